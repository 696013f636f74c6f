/* SPDX-License-Identifier: Apache-2.0 */
#include "model/metadata.h"

#include "base/decimal.h"
#include "base/memory.h"

bool tb_metadata_is_of_thread(struct tb_str name) {
  enum { LEN = sizeof("thread_") - 1 };
  return name.len >= LEN && memcmp(name.ptr, "thread_", LEN) == 0;
}

bool tb_metadata_is_split_part(const struct tb_event *event) {
  return event->type == TB_EVENT_TRACE_METADATA && tb_str_equal(event->name, TB_STR(TB_METADATA_SPLIT_PART));
}

struct tb_str tb_metadata_track_name(const struct tb_event *event) {
  const struct tb_str none = {NULL, 0};
  if (event->type != TB_EVENT_METADATA || !event->track) return none;
  bool of_thread = event->track->type == TB_TRACK_THREAD;
  if (!of_thread && event->track->type != TB_TRACK_PROCESS) return none;
  if (!tb_str_equal(event->name, of_thread ? TB_STR("thread_name") : TB_STR("process_name"))) return none;
  for (uint32_t i = 0; i < event->arg_count; i += event->args[i].span)
    if (event->args[i].type == TB_ARG_STRING && tb_str_equal(event->args[i].name, TB_STR("name")))
      return event->args[i].text;
  return none;
}

bool tb_metadata_micros(const struct tb_arg *arg, int64_t *ns) {
  struct tb_decimal number;
  if (arg->type == TB_ARG_INT) return !__builtin_mul_overflow(arg->i, 1000, ns);
  if (arg->type != TB_ARG_STRING || !arg->text.len) return false;
  const char *end = arg->text.ptr + arg->text.len;
  return tb_decimal_parse(arg->text.ptr, end, &number) == end && tb_decimal_to_int(&number, 3, ns);
}
