/* SPDX-License-Identifier: Apache-2.0
 *
 * The Perfetto writer: scheduling.
 */
#include <string.h>

#include "perfetto/fields.h"
#include "perfetto/wire.h"
#include "perfetto/writer_state.h"

/* ---- scheduling --------------------------------------------------------------------------------------------------------------- */

/* What the state does not say of an FXT record: its kind, its arguments beside the weights. */
static enum tb_status put_particulars(struct tb_perfetto_writer *p, const struct tb_event *event,
                                      struct tb_buffer *fields) {
  uint32_t kind = tb_slice_equal(event->name, TB_SLICE("new"))      ? TB_GENERIC_KERNEL_TASK_STATE_EVENT_FXT_NEW
                  : tb_slice_equal(event->name, TB_SLICE("waking")) ? TB_GENERIC_KERNEL_TASK_STATE_EVENT_FXT_WAKING
                                                                    : 0;
  char head[4 * TB_WIRE_VARINT_MAX], *at = head;
  struct tb_slice arguments = {NULL, 0};
  if (kind) at = tb_wire_put_uint(at, TB_GENERIC_KERNEL_TASK_STATE_EVENT_FXT_KIND, kind);
  if (event->arg_count) {
    struct tb_carriage carriage = {.whole_args = false};
    enum tb_status status = tb_encode_event(&p->encoder, &p->sequences[TB_SHARED_SEQUENCE]->uses, event, TB_ENCODE_ARGS,
                                            &carriage, NULL, NULL);
    if (status != TB_OK) return status;
    arguments = (struct tb_slice){p->encoder.body.data, p->encoder.body.len};
    at = tb_wire_put_tag(at, TB_GENERIC_KERNEL_TASK_STATE_EVENT_FXT_ARGUMENTS, TB_WIRE_BYTES);
    at = tb_wire_put_varint(at, arguments.len);
  }
  enum tb_status status = tb_buffer_append(fields, head, (size_t)(at - head));
  return status == TB_OK ? tb_buffer_append(fields, arguments.ptr, arguments.len) : status;
}

enum tb_status tb_perfetto_put_thread_state(struct tb_perfetto_writer *p, const struct tb_event *event) {
  if (event->task_state == TB_TASK_UNKNOWN) return tb_perfetto_put_aside(p, event, TB_KEY_SIDE);
  const struct tb_track_state *state = tb_perfetto_track(p, event->track);
  uint32_t key = state ? tb_perfetto_track_key(p, NULL, TB_KEY_KERNEL) : 0;
  if (!key) return TB_NO_MEMORY;
  struct tb_buffer *body = &p->scratch;
  body->len = 0;
  if (tb_buffer_reserve(body, state->name.len + 8 * TB_WIRE_VARINT_MAX) != TB_OK) return TB_NO_MEMORY;
  char *at = body->data;
  if (event->has & TB_HAS_CPU) at = tb_wire_put_uint(at, TB_GENERIC_KERNEL_TASK_STATE_EVENT_CPU, event->cpu);
  if (state->name.len)
    at = tb_wire_put_bytes(at, TB_GENERIC_KERNEL_TASK_STATE_EVENT_COMM, state->name.ptr, state->name.len);
  at = tb_wire_put_uint(at, TB_GENERIC_KERNEL_TASK_STATE_EVENT_TID, (uint64_t)event->track->tid);
  at = tb_wire_put_uint(at, TB_GENERIC_KERNEL_TASK_STATE_EVENT_STATE, event->task_state);
  if (event->priority)
    at = tb_wire_put_uint(at, TB_GENERIC_KERNEL_TASK_STATE_EVENT_PRIO, (uint64_t)(int64_t)event->priority);
  body->len = (size_t)(at - body->data);
  enum tb_status status = put_particulars(p, event, body);
  if (status != TB_OK) return status;
  struct tb_entry entry = {.ts = event->ts, .kind = TB_ENTRY_COUNTER, .key = key};
  entry.body = (struct tb_slice){body->data, body->len};
  return tb_perfetto_add_entry(p, p->sequences[TB_SHARED_SEQUENCE], &entry);
}
