/* SPDX-License-Identifier: Apache-2.0
 *
 * Looking an argument up by its name.
 */
#ifndef TB_MODEL_ARG_LOOKUP_H
#define TB_MODEL_ARG_LOOKUP_H

#include "base/memory.h"
#include "tracebridge/event.h"

/* The first of `count` arguments, which count their members, that is called so and no member of another; NULL where
 * there is none. */
static inline const struct tb_arg *tb_find_member(const struct tb_arg *args, uint32_t count, struct tb_str name) {
  for (uint32_t i = 0; i < count; i += args[i].span)
    if (tb_str_equal(args[i].name, name)) return &args[i];
  return NULL;
}

#endif
