/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/owners/packet_owner.h"

#include "protos/field_numbers.h"

static const struct tb_whose nobody = {.kind = TB_WHOSE_NOBODY};

const struct tb_owned_list tb_owned_tree = {TB_TRACE_PACKET_PROCESS_TREE, TB_PROCESS_TREE_PROCESSES,
                                            TB_PROCESS_TREE_PROCESS_PID, TB_PROCESS_TREE_THREADS,
                                            TB_PROCESS_TREE_THREAD_TGID};

/* ---- lists ------------------------------------------------------------------------------------------------------- */

const struct tb_owned_list *tb_owned_list_find(uint32_t kind) {
  static const struct tb_owned_list lists[] = {
      {TB_TRACE_PACKET_PROCESS_STATS, TB_PROCESS_STATS_PROCESSES, TB_PROCESS_STATS_PROCESS_PID, 0, 0},
      {TB_TRACE_PACKET_ANDROID_LOG, TB_ANDROID_LOG_PACKET_EVENTS, TB_ANDROID_LOG_PACKET_LOG_EVENT_PID, 0, 0},
      {TB_TRACE_PACKET_PROFILE_PACKET, TB_PROFILE_PACKET_PROCESS_DUMPS, TB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_PID, 0,
       0},
  };
  for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
    if (lists[i].kind == kind) return &lists[i];
  return NULL;
}

bool tb_owned_list_whose(const struct tb_owned_list *list, const struct tb_wire_field *field, uint32_t machine,
                         struct tb_whose *whose) {
  struct tb_wire_cursor cursor = tb_wire_cursor(field->bytes);
  struct tb_wire_field inner;
  uint32_t pid = field->number == list->element         ? list->pid
                 : field->number == list->other_element ? list->other_pid
                                                        : 0;
  if (!pid || field->type != TB_WIRE_BYTES) return false;
  while (tb_wire_read(&cursor, &inner) == TB_OK) {
    if (inner.number != pid) continue;
    *whose = tb_whose_process(machine, (int64_t)inner.value);
    return true;
  }
  return false;
}

static bool stays(const struct tb_owned_list_part *part, const struct tb_wire_field *field) {
  struct tb_whose whose;
  return !tb_owned_list_whose(part->list, field, part->machine, &whose) || part->keeps(part->ctx, &whose);
}

void tb_owned_list_count(struct tb_owned_list_part *part, struct tb_str payload) {
  struct tb_wire_cursor cursor = tb_wire_cursor(payload);
  struct tb_wire_field field;
  struct tb_whose whose;
  part->kept = part->left_out = 0;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (tb_owned_list_whose(part->list, &field, part->machine, &whose))
      *(part->keeps(part->ctx, &whose) ? &part->kept : &part->left_out) += 1;
}

static enum tb_status append_list(const struct tb_owned_list_part *part, struct tb_str payload,
                                  struct tb_buffer *buffer) {
  struct tb_wire_cursor cursor = tb_wire_cursor(payload);
  struct tb_wire_field field;
  enum tb_status status = tb_wire_buffer_open(buffer, part->list->kind);
  size_t body = buffer->len;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK)
    if (stays(part, &field)) status = tb_wire_buffer_field(buffer, &field, cursor.at);
  return status == TB_OK ? tb_wire_buffer_close(buffer, body) : status;
}

enum tb_status tb_owned_list_append(const struct tb_owned_list_part *part, struct tb_str packet,
                                    struct tb_buffer *buffer) {
  struct tb_wire_cursor cursor = tb_wire_cursor(packet);
  struct tb_wire_field field;
  enum tb_status status = tb_wire_buffer_open(buffer, TB_TRACE_PACKET);
  size_t body = buffer->len;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK)
    status = field.number == part->list->kind && field.type == TB_WIRE_BYTES
                 ? append_list(part, field.bytes, buffer)
                 : tb_wire_buffer_field(buffer, &field, cursor.at);
  return status == TB_OK ? tb_wire_buffer_close(buffer, body) : status;
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

/* A frame of a process begins, or ends under its cookie. */
static struct tb_whose of_frame(const struct tb_packet_header *head, struct tb_open_frames *frames) {
  enum { COUNT = TB_FRAME_TIMELINE_EVENT_ACTUAL_SURFACE_FRAME_START_PID + 1 };
  struct tb_wire_cursor cursor = tb_wire_cursor(head->payload);
  struct tb_wire_field frame, f[COUNT];
  if (tb_wire_read(&cursor, &frame) != TB_OK || frame.type != TB_WIRE_BYTES) return nobody;
  (void)tb_wire_read_fields(frame.bytes, f, COUNT);
  uint64_t cookie = f[TB_FRAME_TIMELINE_EVENT_FRAME_END_COOKIE].value;
  if (frame.number == TB_FRAME_TIMELINE_EVENT_FRAME_END) {
    const uint64_t *began = tb_map_find(&frames->cookies, cookie, head->machine);
    struct tb_whose whose = began ? tb_whose_process(head->machine, (int64_t)*began) : nobody;
    tb_map_remove(&frames->cookies, cookie, head->machine);
    return whose;
  }
  bool of_display = frame.number == TB_FRAME_TIMELINE_EVENT_EXPECTED_DISPLAY_FRAME_START ||
                    frame.number == TB_FRAME_TIMELINE_EVENT_ACTUAL_DISPLAY_FRAME_START;
  const struct tb_wire_field *pid = &f[of_display ? TB_FRAME_TIMELINE_EVENT_ACTUAL_DISPLAY_FRAME_START_PID
                                                  : TB_FRAME_TIMELINE_EVENT_ACTUAL_SURFACE_FRAME_START_PID];
  if (!pid->number) return nobody;
  if (tb_map_put(&frames->cookies, cookie, head->machine, pid->value) != TB_OK) frames->failed = true;
  return tb_whose_process(head->machine, (int64_t)pid->value);
}

static struct tb_whose of_sample(const struct tb_owners *owners, const struct tb_packet_header *head) {
  struct tb_wire_field f[TB_PERF_SAMPLE_TID + 1];
  (void)tb_wire_read_fields(head->payload, f, TB_PERF_SAMPLE_TID + 1);
  int64_t pid = (int64_t)f[TB_PERF_SAMPLE_PID].value, tid = (int64_t)f[TB_PERF_SAMPLE_TID].value;
  if (!f[TB_PERF_SAMPLE_TID].number)
    return f[TB_PERF_SAMPLE_PID].number ? tb_whose_process(head->machine, pid) : nobody;
  if (!f[TB_PERF_SAMPLE_PID].number) return tb_owners_thread(owners, head->machine, tid);
  return (struct tb_whose){TB_WHOSE_THREAD, head->machine, pid, tid};
}

/* A state of a thread, of a kernel that is not Linux. */
static struct tb_whose of_state(const struct tb_owners *owners, const struct tb_packet_header *head) {
  struct tb_wire_field f[TB_GENERIC_KERNEL_TASK_STATE_EVENT_TID + 1];
  (void)tb_wire_read_fields(head->payload, f, TB_GENERIC_KERNEL_TASK_STATE_EVENT_TID + 1);
  return tb_owners_thread(owners, head->machine, (int64_t)f[TB_GENERIC_KERNEL_TASK_STATE_EVENT_TID].value);
}

/* Samples of the thread whose sequence it is. */
static struct tb_whose of_sequence(const struct tb_owners *owners, const struct tb_walk *walk,
                                   const struct tb_track_events *events) {
  size_t number = walk->sequence_number;
  uint64_t thread = number < events->sequence_count ? events->sequences[number].thread : 0;
  struct tb_track_key track = {walk->packet.head.machine, thread, false};
  return thread ? tb_owners_of_track(owners, &track, false) : nobody;
}

struct tb_whose tb_owners_of_packet(const struct tb_owners *owners, const struct tb_walk *walk,
                                    const struct tb_track_events *events, struct tb_open_frames *frames) {
  const struct tb_packet_header *head = &walk->packet.head;
  switch (head->kind) {
    case TB_TRACE_PACKET_FRAME_TIMELINE_EVENT:
      return of_frame(head, frames);
    case TB_TRACE_PACKET_PERF_SAMPLE:
      return of_sample(owners, head);
    case TB_TRACE_PACKET_GENERIC_KERNEL_TASK_STATE_EVENT:
      return of_state(owners, head);
    case TB_TRACE_PACKET_STREAMING_PROFILE_PACKET:
      return of_sequence(owners, walk, events);
    default:
      return tb_owners_of_writer(owners, walk);
  }
}
