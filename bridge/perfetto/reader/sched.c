/* SPDX-License-Identifier: Apache-2.0
 *
 * Scheduling: what state a thread goes into.
 */
#include "perfetto/reader/sched.h"

#include "ftrace/packets_of_text.h"
#include "model/task_states.h"
#include "perfetto/reader/track_event_fields.h"
#include "protos/perfetto/system_info.pb-c.h"

static const char LOSS_TIME[] = "a scheduling event has no timestamp";

static struct tb_event *make_state(struct tb_perfetto_reader *r, const struct tb_kernel_state *state) {
  struct tb_perfetto_track *track = tb_perfetto_thread(r, NULL, state->tid);
  if (!track) return NULL;
  if (state->tid || !track->track.name.len) /* 0 is every CPU's idle thread */
    tb_perfetto_name_track_by(r, track, state->comm, (struct tb_name_source){.rank = TB_NAME_EVENT, .ts = state->ts});
  tb_perfetto_emit_track(r, track);
  struct tb_event *event = tb_perfetto_emit(r, TB_EVENT_THREAD_STATE);
  event->has = TB_HAS_TS | TB_HAS_NAME | (state->has_cpu ? TB_HAS_CPU : 0u) |
               (state->has_priority ? TB_HAS_PRIORITY : 0u) | (state->has_kernel_state ? TB_HAS_KERNEL_STATE : 0u);
  event->ts = state->ts;
  event->track = &track->track;
  event->task_state = (uint8_t)state->state;
  event->name = tb_task_state_letter(state->state);
  event->cpu = state->cpu;
  event->priority = state->priority;
  event->kernel_state = state->kernel_state;
  if (state->waker > 0) {
    const struct tb_perfetto_track *waker = tb_perfetto_thread(r, NULL, state->waker);
    event->thread = waker ? &waker->track : NULL;
  }
  return event;
}

void tb_perfetto_emit_state(struct tb_perfetto_reader *r, const struct tb_kernel_state *state) {
  (void)make_state(r, state);
}

/* A state that our writer made of an FXT record: which kind of record, and its arguments. */
static enum tb_status emit_state(struct tb_perfetto_reader *r, const struct tb_kernel_state *state) {
  struct tb_event *event = make_state(r, state);
  if (!event) return TB_OK;
  if (state->fxt_kind == TB_GENERIC_KERNEL_TASK_STATE_EVENT_FXT_NEW) event->name = TB_STR("new");
  if (state->fxt_kind == TB_GENERIC_KERNEL_TASK_STATE_EVENT_FXT_WAKING) event->name = TB_STR("waking");
  if (!state->fxt_arguments.len) return TB_OK;
  struct tb_track_event_fields fields;
  enum tb_status status = tb_track_event_fields_read(r, state->fxt_arguments, &fields);
  if (status != TB_OK) return status;
  if (tb_perfetto_is_carried(r, &fields)) tb_perfetto_apply_carried(r, &fields, event);
  event->arg_count = (uint32_t)(r->batch->arg_count - fields.first_arg);
  if (!event->arg_count) return TB_OK;
  event->args = &r->batch->args[fields.first_arg];
  event->has |= TB_HAS_ARGS;
  return TB_OK;
}

enum tb_status tb_perfetto_task_state(struct tb_perfetto_reader *r, struct tb_str payload) {
  struct tb_kernel_state state = {.ts = r->context.ts};
  struct tb_wire_cursor cursor = tb_wire_cursor(payload);
  struct tb_wire_field field;
  enum tb_status status;
  while ((status = tb_wire_read(&cursor, &field)) == TB_OK) {
    switch (field.number) {
      case TB_GENERIC_KERNEL_TASK_STATE_EVENT_CPU:
        state.has_cpu = (int32_t)field.value >= 0;
        state.cpu = (uint32_t)field.value;
        break;
      case TB_GENERIC_KERNEL_TASK_STATE_EVENT_COMM:
        state.comm = field.bytes;
        break;
      case TB_GENERIC_KERNEL_TASK_STATE_EVENT_TID:
        state.tid = (int64_t)field.value;
        break;
      case TB_GENERIC_KERNEL_TASK_STATE_EVENT_STATE:
        state.state = field.value <= TB_TASK_DESTROYED ? (enum tb_task_state)field.value : TB_TASK_UNKNOWN;
        break;
      case TB_GENERIC_KERNEL_TASK_STATE_EVENT_PRIO:
        state.priority = (int32_t)field.value;
        state.has_priority = true;
        break;
      case TB_GENERIC_KERNEL_TASK_STATE_EVENT_FXT_KIND:
        state.fxt_kind = (uint32_t)field.value;
        break;
      case TB_GENERIC_KERNEL_TASK_STATE_EVENT_FXT_ARGUMENTS:
        state.fxt_arguments = field.bytes;
        break;
      case TB_GENERIC_KERNEL_TASK_STATE_EVENT_DERIVED:
        return TB_OK; /* our writer made it of an event that is there too */
      default:
        break;
    }
  }
  if (status != TB_END) return TB_BAD_DATA;
  if (!r->context.has_ts) return tb_perfetto_lose(r, LOSS_TIME);
  return emit_state(r, &state);
}

/* ---- the kernel itself ------------------------------------------------------------------------------------------- */

const struct tb_importer_state tb_system_state = {.size = sizeof(struct tb_system)};

/* The bits of prev_state changed in Linux 4.14. */
static bool is_4_14(struct tb_str release) {
  unsigned parts[2];
  return tb_ftrace_release_parts(release, parts) && (parts[0] > 4 || (parts[0] == 4 && parts[1] >= 14));
}

enum tb_status tb_perfetto_system_info(struct tb_perfetto_reader *r, struct tb_str payload) {
  ProtobufCMessage *message;
  enum tb_status status = tb_perfetto_unpack(r, &perfetto__protos__system_info__descriptor, payload, &message);
  if (status != TB_OK) return status;
  const Perfetto__Protos__SystemInfo *info = (const Perfetto__Protos__SystemInfo *)message;
  bool new_bits = info->utsname && is_4_14(tb_message_str(info->utsname->release));
  struct tb_system *system = r->importer_state;
  if (info->has_page_size) system->page_size = info->page_size;
  system->states = new_bits ? TB_FTRACE_STATES_4_14 : TB_FTRACE_STATES_OLD;
  bool is_made = tb_perfetto_made_of_text(r), redacted = r->reader->target.redacted;
  if (redacted) tb_perfetto_pass_packet(r);
  if (!is_made || !(redacted || tb_perfetto_as_text(r)))
    return tb_perfetto_recorder(r, payload); /* no event holds what else it says */
  return TB_OK;
}
