/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/filter/packet_owner.h"

#include "protos/field_numbers.h"
#include "toolbox/cut/packet_times.h"

/* Payloads that are lists, each of whose elements is of a process. */
struct owned_list {
  uint32_t kind, element, pid;
};

static const struct owned_list *find_list(uint32_t kind) {
  static const struct owned_list lists[] = {
      {TB_TRACE_PACKET_PROCESS_STATS, TB_PROCESS_STATS_PROCESSES, TB_PROCESS_STATS_PROCESS_PID},
      {TB_TRACE_PACKET_ANDROID_LOG, TB_ANDROID_LOG_PACKET_EVENTS, TB_ANDROID_LOG_PACKET_LOG_EVENT_PID},
      {TB_TRACE_PACKET_PROFILE_PACKET, TB_PROFILE_PACKET_PROCESS_DUMPS, TB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_PID},
  };
  for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
    if (lists[i].kind == kind) return &lists[i];
  return NULL;
}

static bool is_refused(const struct tb_choice *choice, const struct owned_list *list,
                       const struct tb_wire_field *field) {
  struct tb_wire_cursor cursor = tb_wire_cursor(field->bytes);
  struct tb_wire_field inner;
  if (field->number != list->element || field->type != TB_WIRE_BYTES) return false;
  while (tb_wire_read(&cursor, &inner) == TB_OK)
    if (inner.number == list->pid)
      return !tb_owners_choose_process(&choice->owners, choice->walk->packet.head.machine, (int64_t)inner.value);
  return false;
}

static enum tb_status append_field(const struct tb_wire_field *field, const char *end, struct tb_buffer *buffer) {
  return tb_buffer_append(buffer, field->start, (size_t)(end - field->start));
}

static enum tb_status append_list(const struct tb_choice *choice, const struct owned_list *list, struct tb_str payload,
                                  struct tb_buffer *buffer) {
  struct tb_wire_cursor cursor = tb_wire_cursor(payload);
  struct tb_wire_field field;
  enum tb_status status = tb_wire_buffer_open(buffer, list->kind);
  size_t body = buffer->len;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK)
    if (!is_refused(choice, list, &field)) status = append_field(&field, cursor.at, buffer);
  return status == TB_OK ? tb_wire_buffer_close(buffer, body) : status;
}

static enum tb_status decide_list(struct tb_choice *choice, const struct owned_list *list, struct tb_cut_order *order) {
  struct tb_wire_cursor payload = tb_wire_cursor(choice->walk->packet.head.payload);
  struct tb_wire_cursor cursor = tb_wire_cursor(choice->walk->packet.packet);
  struct tb_wire_field field;
  struct tb_buffer *buffer = &choice->part;
  bool any = false;
  while (!any && tb_wire_read(&payload, &field) == TB_OK) any = is_refused(choice, list, &field);
  if (!any) return TB_OK;
  buffer->len = 0;
  enum tb_status status = tb_wire_buffer_open(buffer, TB_TRACE_PACKET);
  size_t body = buffer->len;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK)
    status = field.number == list->kind && field.type == TB_WIRE_BYTES ? append_list(choice, list, field.bytes, buffer)
                                                                       : append_field(&field, cursor.at, buffer);
  if (status == TB_OK) status = tb_wire_buffer_close(buffer, body);
  order->replaced = (struct tb_str){buffer->data, buffer->len};
  return status;
}

/* A frame of a process begins, or ends under its cookie. */
static enum tb_status decide_frame(struct tb_choice *choice, struct tb_cut_order *order) {
  enum { COUNT = TB_FRAME_TIMELINE_EVENT_ACTUAL_SURFACE_FRAME_START_PID + 1 };
  const struct tb_packet_header *head = &choice->walk->packet.head;
  struct tb_wire_cursor cursor = tb_wire_cursor(head->payload);
  struct tb_wire_field frame, f[COUNT];
  if (tb_wire_read(&cursor, &frame) != TB_OK || frame.type != TB_WIRE_BYTES) return TB_OK;
  (void)tb_wire_read_fields(frame.bytes, f, COUNT);
  uint64_t cookie = f[TB_FRAME_TIMELINE_EVENT_FRAME_END_COOKIE].value;
  if (frame.number == TB_FRAME_TIMELINE_EVENT_FRAME_END) {
    if (tb_map_find(&choice->frames, cookie, head->machine)) order->fate = TB_CUT_DROP;
    tb_map_remove(&choice->frames, cookie, head->machine);
    return TB_OK;
  }
  bool of_display = frame.number == TB_FRAME_TIMELINE_EVENT_EXPECTED_DISPLAY_FRAME_START ||
                    frame.number == TB_FRAME_TIMELINE_EVENT_ACTUAL_DISPLAY_FRAME_START;
  const struct tb_wire_field *pid = &f[of_display ? TB_FRAME_TIMELINE_EVENT_ACTUAL_DISPLAY_FRAME_START_PID
                                                  : TB_FRAME_TIMELINE_EVENT_ACTUAL_SURFACE_FRAME_START_PID];
  if (!pid->number || tb_owners_choose_process(&choice->owners, head->machine, (int64_t)pid->value)) return TB_OK;
  order->fate = TB_CUT_DROP;
  return tb_map_put(&choice->frames, cookie, head->machine, 1);
}

static bool choose_sample(const struct tb_choice *choice) {
  const struct tb_packet_header *head = &choice->walk->packet.head;
  struct tb_wire_field f[TB_PERF_SAMPLE_TID + 1];
  (void)tb_wire_read_fields(head->payload, f, TB_PERF_SAMPLE_TID + 1);
  if (f[TB_PERF_SAMPLE_PID].number &&
      !tb_owners_choose_process(&choice->owners, head->machine, (int64_t)f[TB_PERF_SAMPLE_PID].value))
    return false;
  return !f[TB_PERF_SAMPLE_TID].number || !choice->owners.threads.count ||
         tb_owners_choose_thread(&choice->owners, head->machine, (int64_t)f[TB_PERF_SAMPLE_TID].value);
}

/* A state of a thread, of a kernel that is not Linux. */
static bool choose_state(const struct tb_choice *choice) {
  const struct tb_packet_header *head = &choice->walk->packet.head;
  struct tb_wire_field f[TB_GENERIC_KERNEL_TASK_STATE_EVENT_TID + 1];
  (void)tb_wire_read_fields(head->payload, f, TB_GENERIC_KERNEL_TASK_STATE_EVENT_TID + 1);
  return tb_owners_choose_thread(&choice->owners, head->machine,
                                 (int64_t)f[TB_GENERIC_KERNEL_TASK_STATE_EVENT_TID].value);
}

/* Samples of the thread whose sequence it is. */
static bool choose_sequence(const struct tb_choice *choice) {
  size_t number = choice->walk->sequence_number;
  uint64_t thread = number < choice->events->sequence_count ? choice->events->sequences[number].thread : 0;
  struct tb_track_key track = {choice->walk->packet.head.machine, thread, false};
  return !thread || tb_owners_choose_track(&choice->owners, &track, false);
}

enum tb_status tb_choice_decide_packet(struct tb_choice *choice, struct tb_cut_order *order) {
  uint32_t kind = choice->walk->packet.head.kind;
  const struct owned_list *list = find_list(kind);
  bool stays;
  if (list) return decide_list(choice, list, order);
  if (tb_packet_is_timeless(kind)) return TB_OK;
  if (kind == TB_TRACE_PACKET_FRAME_TIMELINE_EVENT) return decide_frame(choice, order);
  if (kind == TB_TRACE_PACKET_PERF_SAMPLE)
    stays = choose_sample(choice);
  else if (kind == TB_TRACE_PACKET_GENERIC_KERNEL_TASK_STATE_EVENT)
    stays = choose_state(choice);
  else if (kind == TB_TRACE_PACKET_STREAMING_PROFILE_PACKET)
    stays = choose_sequence(choice);
  else
    stays = tb_owners_choose_writer(&choice->owners, choice->walk);
  if (stays) return TB_OK;
  order->fate = TB_CUT_DROP;
  order->keep = tb_packet_describing_field(kind);
  return TB_OK;
}
