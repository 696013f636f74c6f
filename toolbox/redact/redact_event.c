/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/redact/redact_event.h"

#include <stdio.h>

#include "model/tracks.h"
#include "perfetto/packet/packet_kinds.h"
#include "protos/field_numbers.h"
#include "toolbox/redact/own_words.h"
#include "toolbox/redact/redact_args.h"

enum { SHORT_PHASE = 3 };

static enum tb_status replace(struct tb_redactor *r, struct tb_str *text) {
  return tb_pseudonym(&r->names, &r->scratch, text);
}

static enum tb_status replace_lasting(struct tb_redactor *r, struct tb_str *text) {
  return tb_pseudonym(&r->names, &r->lasting, text);
}

/* ---- tracks ------------------------------------------------------------------------------------------------------ */

static enum tb_status replace_id_text(struct tb_redactor *r, struct tb_str *text) {
  return tb_is_number_text(*text) ? TB_OK : replace_lasting(r, text);
}

static enum tb_status replace_labels(struct tb_redactor *r, const struct tb_track *track,
                                     struct tb_track_details *details) {
  if (!details->label_count) return TB_OK;
  struct tb_str *labels = tb_arena_alloc(&r->lasting, details->label_count * sizeof(*labels));
  if (!labels) return TB_NO_MEMORY;
  memcpy(labels, details->labels, details->label_count * sizeof(*labels));
  details->labels = labels;
  for (uint32_t i = 0; i < details->label_count; i++)
    if (!tb_is_machine_label(track, labels[i]) && replace_lasting(r, &labels[i]) != TB_OK) return TB_NO_MEMORY;
  return TB_OK;
}

static enum tb_status replace_details(struct tb_redactor *r, struct tb_track *track) {
  if (!track->details) return TB_OK;
  struct tb_track_details *details = tb_track_copy_details(&r->lasting, track);
  if (!details) return TB_NO_MEMORY;
  details->description = (struct tb_str){NULL, 0};
  enum tb_status status = replace_id_text(r, &details->pid_text);
  if (status == TB_OK) status = replace_id_text(r, &details->tid_text);
  if (status == TB_OK) status = replace_lasting(r, &details->unit_name);
  return status == TB_OK ? replace_labels(r, track, details) : status;
}

/* A target that has one machine: what happened on others is kept, below tracks of theirs and in processes whose ids the
 * reader keeps apart. */
static void count_machine(struct tb_redactor *r, const struct tb_track *track) {
  char number[16];
  if (!track->machine || !r->one_machine) return;
  int len = snprintf(number, sizeof(number), "%u", (unsigned)track->machine);
  tb_losses_add_kind(
      &r->losses,
      "tracks of a machine that the output's format has no place for, so that their ids may be others: machine",
      (struct tb_str){number, (size_t)len}, TB_NO_OFFSET);
}

static enum tb_status find_track(struct tb_redactor *r, const struct tb_track **track, bool anew);

static enum tb_status fill_track(struct tb_redactor *r, struct tb_track *to, const struct tb_track *from) {
  *to = *from;
  enum tb_status status = tb_is_idle_name(from, from->name) ? TB_OK : replace_lasting(r, &to->name);
  if (status == TB_OK) status = replace_details(r, to);
  return status == TB_OK && to->parent ? find_track(r, &to->parent, false) : status;
}

/* Replaces the source's track by ours; `anew`: what is known of it has changed. */
static enum tb_status find_track(struct tb_redactor *r, const struct tb_track **track, bool anew) {
  const struct tb_track *from = *track;
  if (from->index >= r->track_count) {
    void *tracks = r->tracks;
    enum tb_status status =
        tb_grow_zeroed(r->allocator, &tracks, &r->track_count, (size_t)from->index + 1, sizeof(*r->tracks), UINT32_MAX);
    r->tracks = tracks;
    if (status != TB_OK) return status;
  }
  struct tb_redacted_track *own = r->tracks[from->index];
  bool is_new = !own;
  if (is_new) own = r->tracks[from->index] = tb_arena_alloc(&r->lasting, sizeof(*own));
  if (!own) return TB_NO_MEMORY;
  if (is_new) count_machine(r, from);
  *track = &own->track;
  if (is_new) own->has_states = own->has_events = false;
  if (!is_new && !anew) return TB_OK;
  const struct tb_str before = is_new ? (struct tb_str){NULL, 0} : own->track.name;
  enum tb_status status = fill_track(r, &own->track, from);
  if (status == TB_OK && !tb_str_equal(own->track.name, before)) own->has_states = false;
  return status;
}

/* ---- stacks ------------------------------------------------------------------------------------------------------ */

static enum tb_status replace_frame(struct tb_redactor *r, struct tb_frame *frame) {
  enum tb_status status = replace(r, &frame->function);
  if (status == TB_OK) status = replace(r, &frame->file);
  return status == TB_OK ? replace(r, &frame->mapping) : status;
}

static enum tb_status replace_stack(struct tb_redactor *r, struct tb_stack *stack) {
  struct tb_frame *frames = NULL;
  if (stack->frame_count) {
    frames = tb_arena_alloc(&r->scratch, stack->frame_count * sizeof(*frames));
    if (!frames) return TB_NO_MEMORY;
    memcpy(frames, stack->frames, stack->frame_count * sizeof(*frames));
  }
  stack->frames = frames;
  for (uint32_t i = 0; i < stack->frame_count; i++)
    if (replace_frame(r, &frames[i]) != TB_OK) return TB_NO_MEMORY;
  return replace(r, &stack->ref);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static enum tb_status replace_id(struct tb_redactor *r, struct tb_id *id) {
  return id->is_number && tb_says_number(id->text) ? TB_OK : replace(r, &id->text);
}

static enum tb_status replace_texts(struct tb_redactor *r, const struct tb_event *source, struct tb_event *event) {
  enum tb_status status = tb_is_own_name(source) ? TB_OK : replace(r, &event->name);
  if (status == TB_OK) status = tb_pseudonym_list(&r->names, &r->scratch, &event->categories);
  if (status == TB_OK) status = replace_id(r, &event->id);
  if (status == TB_OK) status = replace_id(r, &event->bind_id);
  if (status == TB_OK) status = replace(r, &event->scope);
  if (status == TB_OK) status = replace(r, &event->correlation_text);
  if (status == TB_OK) status = replace(r, &event->parent_frame);
  if (status == TB_OK) status = replace_frame(r, &event->source_location);
  if (status == TB_OK) status = replace_stack(r, &event->stack);
  if (status == TB_OK) status = replace_stack(r, &event->end_stack);
  if (status == TB_OK) status = tb_redact_args(r, source, event);
  return status == TB_OK ? tb_redact_members(r, source, event) : status;
}

/* ---- what is left out -------------------------------------------------------------------------------------------- */

/* Says the same packet's kernel and nothing else: by its release readers know what the bits of a thread's state are. A
 * target that takes no packets has its states in words. False: the packet is no such one. */
static bool reduce_to_release(struct tb_redactor *r, struct tb_event *event) {
  struct tb_str packet = tb_wire_find_bytes(event->blob, TB_TRACE_PACKET);
  struct tb_str names =
      tb_wire_find_bytes(tb_wire_find_bytes(packet, TB_TRACE_PACKET_SYSTEM_INFO), TB_SYSTEM_INFO_UTSNAME);
  unsigned parts[2];
  if (!r->takes_packets || !tb_ftrace_release_parts(tb_wire_find_bytes(names, TB_SYSTEM_INFO_UTSNAME_RELEASE), parts))
    return false;
  char release[3 * TB_WIRE_VARINT_MAX];
  int len = snprintf(release, sizeof(release), "%u.%u.0", parts[0], parts[1]);
  char info[TB_FTRACE_SYSTEM_INFO_MAX], *end = tb_ftrace_put_system_info(info, (struct tb_str){release, (size_t)len});
  char field[TB_FTRACE_SYSTEM_INFO_MAX + 4 * TB_WIRE_VARINT_MAX];
  size_t field_len =
      (size_t)(tb_wire_put_bytes(field, TB_TRACE_PACKET_SYSTEM_INFO, info, (size_t)(end - info)) - field);
  end = field + field_len;
  uint64_t machine = tb_wire_find_number(packet, TB_TRACE_PACKET_MACHINE_ID);
  if (machine) end = tb_wire_put_uint(end, TB_TRACE_PACKET_MACHINE_ID, machine);
  end = tb_wire_put_bytes(r->packet, TB_TRACE_PACKET, field, (size_t)(end - field));
  event->blob = (struct tb_str){r->packet, (size_t)(end - r->packet)};
  return true;
}

/* Of what the recorder says of itself the reader gives only what says the kernel (target.redacted). */
static bool is_system_info(const struct tb_event *event) {
  return event->type == TB_EVENT_PACKETS && tb_str_equal(event->name, tb_packet_kind_name(TB_TRACE_PACKET_SYSTEM_INFO));
}

/* The first switch of a CPU in the compact form does not say who leaves the CPU. The trace processor shows none for it;
 * written anew, with the idle thread as who leaves, it would. */
static bool lacks_leaver(struct tb_redactor *r, const struct tb_event *event) {
  enum { SWITCH = TB_HAS_CPU | TB_HAS_KERNEL_STATE };
  if (event->type != TB_EVENT_THREAD_STATE || (event->has & SWITCH) != SWITCH || !event->track) return false;
  bool is_first = !tb_map_find(&r->ran, event->cpu, event->track->machine);
  if (is_first && tb_map_put(&r->ran, event->cpu, event->track->machine, 1) != TB_OK) return false;
  if (!r->takes_packets || !is_first || event->task_state != TB_TASK_RUNNING) return false;
  tb_losses_add(&r->notes, "first switches of a CPU that do not say who leaves it are left out", event->offset);
  return true;
}

/* Whether the event's kind is one that has no place for pseudonyms: it is counted then. */
static bool cannot_be(struct tb_redactor *r, const struct tb_event *event) {
  switch (event->type) {
    case TB_EVENT_PACKETS:
      tb_losses_add_kind(&r->losses, "packets that redact has no place for", event->name, event->offset);
      return true;
    case TB_EVENT_BLOB:
      tb_losses_add(&r->losses, "blobs that redact has no place for", event->offset);
      return true;
    case TB_EVENT_SYSTEM_TRACE:
      tb_losses_add(&r->losses, "ftrace text that redact has no place for", event->offset);
      return true;
    case TB_EVENT_TRACE_METADATA:
      tb_losses_add(&r->notes, "members of the trace that say what recorded it are left out", event->offset);
      return true;
    case TB_EVENT_METADATA:
      if (tb_is_own_metadata(event->name)) return false;
      tb_losses_add(&r->notes, "metadata of other things than processes and threads are left out", event->offset);
      return true;
    case TB_EVENT_DATA_LOSS:
      if (!r->takes_packets || !event->track) return false; /* packets say it of a sequence, which FXT's provider is */
      tb_losses_add(&r->losses, "marks of data that the recorder lost, which redact has no place for", event->offset);
      return true;
    case TB_EVENT_OTHER:
      if (event->phase_text.len <= SHORT_PHASE) return false;
      tb_losses_add(&r->losses, "events of unknown type, whose phase is a word", event->offset);
      return true;
    default:
      return false;
  }
}

static void note_event(struct tb_redactor *r, const struct tb_event *source, const struct tb_track *track) {
  struct tb_redacted_track *own = track ? r->tracks[track->index] : NULL;
  if (!own || source->type == TB_EVENT_TRACK) return;
  if (source->type == TB_EVENT_THREAD_STATE && track == source->track)
    own->has_states = true;
  else if (source->type != TB_EVENT_THREAD_STATE)
    own->has_events = true;
}

enum tb_status tb_redact_event(struct tb_redactor *r, struct tb_event *event, bool *left_out) {
  const struct tb_event source = *event;
  enum tb_status status = TB_OK;
  tb_arena_reset(&r->scratch);
  *left_out = is_system_info(event) ? !reduce_to_release(r, event) : cannot_be(r, event) || lacks_leaver(r, event);
  if (*left_out || event->type == TB_EVENT_PACKETS) return TB_OK;
  event->blob = (struct tb_str){NULL, 0};
  if (r->no_args && event->type != TB_EVENT_METADATA && event->type != TB_EVENT_COUNTER) {
    if (event->arg_count) tb_losses_add(&r->asked, "events whose arguments are left out", event->offset);
    event->args = NULL;
    event->arg_count = 0;
    event->has &= ~(uint32_t)TB_HAS_ARGS;
  }
  if (status == TB_OK && event->track) status = find_track(r, &event->track, event->type == TB_EVENT_TRACK);
  if (status == TB_OK && event->thread) status = find_track(r, &event->thread, false);
  if (status != TB_OK) return status;
  note_event(r, &source, source.track);
  note_event(r, &source, source.thread);
  return replace_texts(r, &source, event);
}

void tb_redact_end(struct tb_redactor *r) {
  if (!r->takes_packets || !r->has_tasks) return;
  for (size_t i = 0; i < r->track_count; i++) {
    const struct tb_redacted_track *own = r->tracks[i];
    if (!own || own->track.type != TB_TRACK_THREAD || own->track.has_pid || own->track.tid <= 0) continue;
    if (own->has_states && !own->has_events) continue;
    tb_losses_add(
        &r->losses,
        "threads of no process: Perfetto has no place for events of them, and readers take process 0 for theirs",
        TB_NO_OFFSET);
  }
}
