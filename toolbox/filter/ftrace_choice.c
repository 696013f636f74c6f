/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/filter/ftrace_choice.h"

#include "protos/field_numbers.h"
#include "toolbox/owners/ftrace_owner.h"
#include "toolbox/walk/atrace.h"

/* ---- the first reading ------------------------------------------------------------------------------------------- */

static bool chooses_marks(const struct tb_choice *choice) {
  return choice->names.count || choice->categories.count || choice->min_dur > 0;
}

static enum tb_status take_mark(struct tb_choice *choice, const struct tb_ftrace_bundle *bundle,
                                const struct tb_ftrace_event *event) {
  struct tb_atrace_mark mark;
  int64_t time;
  bool chosen = true;
  enum tb_status status = TB_OK;
  tb_atrace_read(event, &mark);
  if (mark.role == TB_ATRACE_VALUE) {
    const struct tb_name_patterns *counters = &choice->owners.counters;
    status = tb_name_is_chosen(counters, mark.name, &choice->owners.scratch, &chosen);
  } else if (mark.role == TB_ATRACE_INSTANT) {
    status = tb_choice_judge_mark(choice, mark.name, &chosen);
  } else if (mark.role != TB_ATRACE_NONE && chooses_marks(choice)) {
    if (!tb_ftrace_bundle_time(bundle, event->raw_time, &time)) time = (int64_t)event->raw_time;
    uint64_t kind = (uint64_t)bundle->machine << 1 | mark.is_async;
    return tb_choice_take_mark(choice, mark.key, kind, time, mark.role == TB_ATRACE_END, mark.name);
  }
  return status == TB_OK && !chosen ? tb_choice_leave_mark_out(choice, choice->print) : status;
}

enum tb_status tb_choice_take_ftrace(struct tb_choice *choice) {
  if (!chooses_marks(choice) && !choice->owners.counters.count) return TB_OK;
  struct tb_ftrace_bundle bundle;
  struct tb_ftrace_event event;
  struct tb_wire_field field;
  tb_ftrace_bundle_read(&bundle, choice->walk);
  struct tb_wire_cursor cursor = tb_wire_cursor(bundle.bytes);
  int64_t last = tb_ftrace_compact_last(&bundle), time;
  uint64_t raw = 0;
  enum tb_status status = TB_OK;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK) {
    if (!tb_ftrace_is_event(&field)) continue;
    tb_ftrace_event_read(field.bytes, &event);
    if (tb_atrace_is_mark(event.kind)) status = take_mark(choice, &bundle, &event);
    if (event.raw_time > raw) raw = event.raw_time;
    choice->print++;
  }
  if (raw && tb_ftrace_bundle_time(&bundle, raw, &time) && time > last) last = time;
  if (status == TB_OK && last != INT64_MIN) status = tb_ftrace_reach_take(&choice->reach, &bundle, last);
  return status == TB_OK ? tb_slice_pairs_settle(&choice->marks, tb_ftrace_reached_by_all(&choice->reach)) : status;
}

/* ---- the second reading ------------------------------------------------------------------------------------------ */

static bool chooses_thread(struct tb_choice *choice, uint32_t machine, int64_t tid) {
  const uint64_t *known = tb_map_find(&choice->threads, machine, (uint64_t)tid);
  if (known) return *known;
  struct tb_whose whose = tb_owners_thread(&choice->owners, machine, tid);
  bool chosen = tb_owners_choose(&choice->owners, &whose);
  if (tb_map_put(&choice->threads, machine, (uint64_t)tid, chosen) != TB_OK) choice->failed = true;
  return chosen;
}

/* Of what ftrace says of a thread the process is that of the thread's id. */
static bool chooses_whose(struct tb_choice *choice, const struct tb_whose *whose) {
  return whose->kind == TB_WHOSE_THREAD ? chooses_thread(choice, whose->machine, whose->tid)
                                        : tb_owners_choose(&choice->owners, whose);
}

/* A switch between two threads on a processor; prev: -1 where it is not said. One that is not chosen becomes the idle
 * one; where both are not, nothing changes there, but the first switch of a processor is kept: readers take it for
 * where the processor's threads begin. */
static uint8_t decide_switch(struct tb_choice *choice, const struct tb_ftrace_bundle *bundle, int64_t prev,
                             int64_t next) {
  bool prev_chosen = prev >= 0 && chooses_thread(choice, bundle->machine, prev);
  bool next_chosen = chooses_thread(choice, bundle->machine, next);
  uint64_t *running = tb_map_find(&choice->running, bundle->machine, bundle->cpu);
  bool is_first = !running;
  if (running)
    *running = (uint64_t)next;
  else if (tb_map_put(&choice->running, bundle->machine, bundle->cpu, (uint64_t)next) != TB_OK)
    choice->failed = true;
  if (!prev_chosen && !next_chosen && !is_first) return TB_FTRACE_DROP;
  return (uint8_t)(TB_FTRACE_KEEP | (prev_chosen || prev <= 0 ? 0 : TB_FTRACE_IDLE_PREV) |
                   (next_chosen || !next ? 0 : TB_FTRACE_IDLE_NEXT));
}

static uint8_t decide_event(struct tb_choice *choice, const struct tb_ftrace_bundle *bundle, struct tb_str bytes) {
  const struct tb_owners *owners = &choice->owners;
  struct tb_ftrace_event event;
  if (tb_choice_leaves_mark_out(choice, choice->print++)) return TB_FTRACE_DROP;
  if (!tb_owners_are_chosen(&choice->owners)) return TB_FTRACE_KEEP;
  tb_ftrace_event_read(bytes, &event);
  if (event.kind == TB_FTRACE_EVENT_SCHED_SWITCH) {
    struct tb_thread_switch between = tb_thread_switch_read(&event);
    return decide_switch(choice, bundle, between.prev, between.next);
  }
  struct tb_whose whose = tb_owners_of_ftrace(owners, bundle, &event);
  if (chooses_whose(choice, &whose)) return TB_FTRACE_KEEP;
  whose = tb_owners_other_side(owners, bundle->machine, &event);
  return whose.kind != TB_WHOSE_NOBODY && chooses_whose(choice, &whose);
}

/* The thread that a switch of compact_sched leaves is that of the one before on its processor. */
static uint8_t decide_row(void *ctx, const struct tb_ftrace_bundle *bundle, const struct tb_ftrace_row *row) {
  struct tb_choice *choice = ctx;
  if (row->kind == TB_FTRACE_ROW_EVENT) return decide_event(choice, bundle, row->event);
  if (row->kind == TB_FTRACE_ROW_WAKING) return chooses_thread(choice, bundle->machine, row->pid);
  const uint64_t *running = tb_map_find(&choice->running, bundle->machine, bundle->cpu);
  return decide_switch(choice, bundle, running ? (int64_t)*running : -1, row->pid);
}

enum tb_status tb_choice_decide_ftrace(struct tb_choice *choice, struct tb_cut_order *order) {
  struct tb_ftrace_bundle bundle;
  enum tb_ftrace_part part;
  if (!tb_owners_are_chosen(&choice->owners) && !choice->marks_out.count) return TB_OK;
  tb_ftrace_bundle_read(&bundle, choice->walk);
  enum tb_status status = tb_owners_are_chosen(&choice->owners)
                              ? tb_ftrace_decide(&bundle, decide_row, choice, &choice->fates, &part)
                              : tb_ftrace_decide_events(&bundle, decide_row, choice, &choice->fates, &part);
  if (choice->failed) return TB_NO_MEMORY;
  if (status == TB_OK) status = tb_ftrace_write_first(&bundle, part, &choice->begun);
  if (part == TB_FTRACE_NONE) order->fate = TB_CUT_DROP;
  if (status != TB_OK || part != TB_FTRACE_SOME) return status;
  choice->part.len = 0;
  status = tb_ftrace_append_part(&bundle, choice->walk->packet.packet, &choice->fates, &choice->part);
  order->replaced = (struct tb_str){choice->part.data, choice->part.len};
  return status;
}
