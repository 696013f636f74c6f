/* SPDX-License-Identifier: Apache-2.0
 *
 * The Perfetto reader: V8's CPU profiles (see perfetto/packet/profile_event.h). Their start is a time of MONOTONIC;
 * events have it on the trace clock, as their own times.
 */
#include "perfetto/packet/profile_event.h"

#include "json/text.h"
#include "perfetto/reader/track_event_importer.h"

/* The JSON with the start moved to `us`; empty without memory. */
static struct tb_str move_start(struct tb_perfetto_reader *r, struct tb_str json, struct tb_str digits, int64_t us) {
  char *text = tb_perfetto_alloc(r, json.len - digits.len + TB_JSON_INTEGER_MAX);
  const size_t before = (size_t)(digits.ptr - json.ptr), behind = json.len - before - digits.len;
  if (!text) return (struct tb_str){NULL, 0};
  memcpy(text, json.ptr, before);
  char *at = tb_json_put_int(text + before, us);
  memcpy(at, digits.ptr + digits.len, behind);
  return (struct tb_str){text, (size_t)(at - text) + behind};
}

void tb_perfetto_place_profile(struct tb_perfetto_reader *r, size_t first_arg) {
  for (size_t i = first_arg; i < r->batch->arg_count; i += r->batch->args[i].span) {
    struct tb_arg *arg = &r->batch->args[i];
    struct tb_str digits;
    int64_t ns, on_trace_clock;
    if (arg->type != TB_ARG_JSON || !tb_profile_start(arg->text, &digits, &ns)) continue;
    if (!tb_trace_state_convert(&r->state, &r->head, TB_CLOCK_MONOTONIC, ns, &on_trace_clock)) return;
    if (on_trace_clock == ns) return;
    struct tb_str moved = move_start(r, arg->text, digits, tb_profile_start_us(on_trace_clock));
    if (moved.len) arg->text = moved;
    return;
  }
}
