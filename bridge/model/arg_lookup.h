/* SPDX-License-Identifier: Apache-2.0
 *
 * Looking an argument up by its name, and the number that its text says.
 */
#ifndef TB_MODEL_ARG_LOOKUP_H
#define TB_MODEL_ARG_LOOKUP_H

#include "base/decimal.h"
#include "base/memory.h"
#include "tracebridge/event.h"

/* The first of `count` arguments, which count their members, that is called so and no member of another; NULL where
 * there is none. */
static inline const struct tb_arg *tb_find_member(const struct tb_arg *args, uint32_t count, struct tb_str name) {
  for (uint32_t i = 0; i < count; i += args[i].span)
    if (tb_str_equal(args[i].name, name)) return &args[i];
  return NULL;
}

/* Whether it is a string, or JSON text: as which numbers come that no 64 bits hold. */
static inline bool tb_arg_is_text(const struct tb_arg *arg) {
  return arg->type == TB_ARG_STRING || arg->type == TB_ARG_JSON;
}

/* The number that such an argument is (tb_number_in_text); false where it is none. */
static inline bool tb_arg_number_in_text(const struct tb_arg *arg, double *number) {
  return tb_arg_is_text(arg) && tb_number_in_text(arg->text, number);
}

/* A further member that says of the event's `pid` or `tid` that there is none, though its track has one: a null
 * pointer, which no member of JSON is. */
static inline struct tb_arg tb_absent_id(struct tb_str key) {
  return (struct tb_arg){.name = key, .type = TB_ARG_POINTER, .span = 1};
}
static inline bool tb_is_absent_id(const struct tb_arg *member) {
  return member->type == TB_ARG_POINTER && !member->u &&
         (tb_str_equal(member->name, TB_STR("pid")) || tb_str_equal(member->name, TB_STR("tid")));
}

#endif
