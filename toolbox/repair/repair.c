/* SPDX-License-Identifier: Apache-2.0 */
#include "tracebridge/repair.h"

#include <unistd.h>

#include "base/error.h"
#include "base/losses.h"
#include "base/options.h"
#include "perfetto/packet/packet_damage.h"
#include "protos/field_numbers.h"
#include "toolbox/cut/cut_file.h"
#include "toolbox/cut/packet_cut.h"
#include "toolbox/repair/recording_files.h"
#include "toolbox/repair/snapshot_choice.h"

static const char LOSS_INSIDE[] = "a packet's inside is damaged";
static const char LOSS_COLUMNS[] = "switches and wakings of a kernel bundle are damaged";

struct repairing {
  struct tb_walk walk;
  struct tb_track_events events;
  struct tb_snapshot_choice snapshots;
  struct tb_buffer mended; /* the current packet without what is damaged in it, framed */
  struct tb_repair_report report;
  struct tb_losses losses; /* of a Perfetto trace */
  bool are_several;
  uint64_t offset; /* where the current recording begins in the input */
};

/* ---- clocks ------------------------------------------------------------------------------------------------------ */

/* Whether the first reading found a snapshot that another one, or it itself, contradicts. */
static bool has_wrong_snapshots(const struct tb_input_clocks *clocks) {
  for (size_t i = 0; i < clocks->graph.node_count; i++)
    if (clocks->graph.nodes[i].backwards) return true;
  return clocks->bad_snapshots > 0;
}

/* Reads the trace once more for its snapshots. */
static enum tb_status choose_snapshots(struct repairing *r) {
  struct tb_walk *walk = &r->walk;
  struct tb_snapshot snapshot;
  tb_snapshot_choice_clear(&r->snapshots);
  if (!has_wrong_snapshots(&walk->source->prescan.clocks)) return TB_OK;
  enum tb_status status = tb_walk_start(walk), added = TB_OK;
  while (status == TB_OK && added == TB_OK) {
    status = tb_walk_next(walk);
    const struct tb_packet_header *head = &walk->packet.head;
    if (status != TB_OK || !walk->packet.packet.ptr || head->kind != TB_TRACE_PACKET_CLOCK_SNAPSHOT) continue;
    if (tb_snapshot_read(head->payload, head->sequence, &snapshot) == TB_OK)
      added = tb_snapshot_choice_add(&r->snapshots, walk->number, head->machine, &snapshot);
  }
  if (status != TB_OK && status != TB_END) return status;
  if (added == TB_OK) added = tb_snapshot_choice_decide(&r->snapshots);
  return added == TB_OK ? TB_OK : tb_fail(&walk->merger.error, added, TB_NO_OFFSET, "%s", tb_status_text(added));
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

/* Of a packet that was just read. */
static uint64_t offset_of(const struct tb_walk *walk) {
  if (walk->packet.offset != TB_NO_OFFSET) return walk->packet.offset;
  return tb_raw_packet_reader_offset(walk->packets) - walk->packet.framed.len;
}

/* What becomes of a packet by what is in it; where that cannot be read at all, nothing of it stays. */
static enum tb_cut_fate judge_inside(struct repairing *r, bool *can_be_read) {
  const struct tb_raw_packet *packet = &r->walk.packet;
  struct tb_packet_damage damage = {.rest = packet->unreadable};
  if (!damage.rest) damage = tb_packet_find_damage(packet->packet, packet->head.kind);
  *can_be_read = !damage.rest;
  if (!damage.rest && !damage.payload) return TB_CUT_KEEP;
  r->report.unreadable++;
  tb_losses_add(&r->losses, LOSS_INSIDE, r->offset + offset_of(&r->walk));
  return TB_CUT_DROP; /* what it says to its sequence stays */
}

/* The fields of a message but those of `number`. */
static enum tb_status append_others(struct tb_buffer *to, struct tb_str message, uint32_t number) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  enum tb_status status = TB_OK;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number != number) status = tb_wire_buffer_field(to, &field, cursor.at);
  return status;
}

/* The columns of a bundle are left out where one of them is damaged; its events stay. */
static enum tb_status mend_bundle(struct repairing *r, struct tb_cut_order *order) {
  const struct tb_raw_packet *packet = &r->walk.packet;
  struct tb_buffer *to = &r->mended;
  if (packet->head.kind != TB_TRACE_PACKET_FTRACE_EVENTS || !tb_bundle_has_damaged_columns(packet->head.payload))
    return TB_OK;
  tb_losses_add(&r->losses, LOSS_COLUMNS, r->offset + offset_of(&r->walk));
  to->len = 0;
  enum tb_status status = tb_wire_buffer_open(to, TB_TRACE_PACKET);
  size_t start = to->len;
  if (status == TB_OK) status = append_others(to, packet->packet, TB_TRACE_PACKET_FTRACE_EVENTS);
  if (status == TB_OK) status = tb_wire_buffer_open(to, TB_TRACE_PACKET_FTRACE_EVENTS);
  size_t bundle = to->len;
  if (status == TB_OK) status = append_others(to, packet->head.payload, TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED);
  if (status == TB_OK) status = tb_wire_buffer_close(to, bundle);
  if (status == TB_OK) status = tb_wire_buffer_close(to, start);
  order->replaced = (struct tb_str){to->data, to->len};
  return status;
}

static enum tb_status take_packet(struct repairing *r, struct tb_cut *cut) {
  struct tb_walk *walk = &r->walk;
  struct tb_cut_order order = {.fate = TB_CUT_KEEP};
  enum tb_status status = TB_OK;
  bool backwards = false, can_be_read = true, is_packet = walk->packet.packet.ptr != NULL;
  if (is_packet) order.fate = judge_inside(r, &can_be_read);
  if (!can_be_read) return TB_OK;
  if (is_packet && order.fate == TB_CUT_KEEP) {
    status = tb_track_events_take(&r->events, walk);
    backwards = tb_snapshot_choice_is_wrong(&r->snapshots, walk->number);
    if (status == TB_OK) status = mend_bundle(r, &order);
  }
  if (status != TB_OK) return tb_fail(&walk->merger.error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
  if (backwards) order.fate = TB_CUT_DROP;
  r->report.snapshots_left_out += backwards;
  return tb_cut_packet(cut, &order);
}

/* Of other formats the merger says what was lost. */
static enum tb_status report_losses(struct repairing *r) {
  const struct tb_source *source = r->walk.source;
  const struct tb_losses *lost = tb_raw_packet_reader_losses(r->walk.packets);
  for (size_t i = 0; i < lost->count; i++) {
    const struct tb_loss *loss = &lost->entries[i];
    r->report.passed_over += loss->count;
    if (!source->converted) tb_losses_add_many(&r->losses, loss->reason, loss->count, r->offset + loss->first_offset);
  }
  if (source->converted) return TB_OK;
  struct tb_merge_report *report = r->walk.merger.report;
  return tb_merge_report_set_losses(report, tb_source_report(&r->walk.merger, source), r->losses.entries,
                                    r->losses.count);
}

static enum tb_status write_readable(void *ctx) {
  struct repairing *r = ctx;
  struct tb_cut cut;
  tb_cut_init(&cut, &r->walk, &r->events);
  cut.keeps_all = true;
  enum tb_status status = choose_snapshots(r);
  if (status == TB_OK) status = tb_walk_start(&r->walk);
  while (status == TB_OK) {
    status = tb_walk_next(&r->walk);
    if (status == TB_OK) status = take_packet(r, &cut);
  }
  r->report.packets_in += r->walk.next;
  r->report.packets_out += cut.kept;
  bool is_nothing_left = !cut.kept && r->report.unreadable;
  tb_cut_free(&cut);
  if (status == TB_END && is_nothing_left)
    return tb_fail(&r->walk.merger.error, TB_BAD_DATA, r->offset, "none of its packets can be read");
  return status == TB_END ? report_losses(r) : status;
}

/* ---- the recordings ---------------------------------------------------------------------------------------------- */

static void add_losses(struct tb_losses *losses, const struct tb_loss *more, size_t count) {
  for (size_t i = 0; i < count; i++) tb_losses_add_many(losses, more[i].reason, more[i].count, more[i].first_offset);
}

/* What all conversions lost so far, in one report: what was lost in reading first. */
static void add_conversion(struct tb_convert_report *all, const struct tb_convert_report *more) {
  struct tb_losses reading = {.count = 0}, writing = {.count = 0};
  add_losses(&reading, all->losses, all->reader_loss_count);
  add_losses(&reading, more->losses, more->reader_loss_count);
  add_losses(&writing, all->losses + all->reader_loss_count, all->loss_count - all->reader_loss_count);
  add_losses(&writing, more->losses + more->reader_loss_count, more->loss_count - more->reader_loss_count);
  all->loss_count = 0;
  for (size_t i = 0; i < reading.count; i++) all->losses[all->loss_count++] = reading.entries[i];
  all->reader_loss_count = all->loss_count;
  for (size_t i = 0; i < writing.count; i++) all->losses[all->loss_count++] = writing.entries[i];
}

static enum tb_status write_one(struct repairing *r, const struct tb_recording_file *file, bool is_first) {
  struct tb_merger *m = &r->walk.merger;
  struct tb_convert_report *before = m->report->conversion;
  uint64_t bytes_before = m->report->summary.bytes_out;
  tb_track_events_init(&r->events, m->allocator);
  m->options.no_clobber |= !is_first;
  enum tb_status status = is_first && !r->are_several ? TB_OK : tb_walk_turn_to(&r->walk, &file->place);
  r->offset = file->offset;
  if (status == TB_OK) status = tb_merger_write_out(m, file->name, write_readable, r);
  tb_track_events_free(&r->events);
  if (status != TB_OK || is_first) return status;
  m->report->summary.bytes_out += bytes_before;
  if (before && m->report->conversion) {
    add_conversion(before, m->report->conversion);
    m->report->conversion = before;
  }
  return TB_OK;
}

static enum tb_status write_files(struct repairing *r, const struct tb_recording_file *files, size_t count,
                                  const char **outputs) {
  struct tb_merger *m = &r->walk.merger;
  enum tb_status status = TB_OK;
  r->are_several = count > 1;
  r->report.recordings = count + r->walk.source->other_recordings;
  r->report.mended_events = r->walk.source->mended_events;
  r->report.mended_offset = r->walk.source->mended_offset;
  r->report.outputs = outputs;
  for (size_t i = 0; i < count && status == TB_OK; i++) {
    status = write_one(r, &files[i], i == 0);
    if (status == TB_OK) outputs[r->report.output_count++] = files[i].name;
  }
  status = tb_guard_settle(&m->report->guard, status, &m->error);
  for (; status != TB_OK && r->are_several && r->report.output_count; r->report.output_count--)
    (void)unlink(outputs[r->report.output_count - 1]);
  return status;
}

static enum tb_status write_all(struct repairing *r, const char *in, const char *out) {
  struct tb_merger *m = &r->walk.merger;
  struct tb_recording_file *files;
  size_t count;
  enum tb_status status = tb_recording_files(&r->walk, in, out, &files, &count);
  if (status != TB_OK) return tb_guard_settle(&m->report->guard, status, &m->error);
  const char **outputs = tb_arena_alloc(&m->report->arena, count * sizeof(*outputs));
  return outputs ? write_files(r, files, count, outputs) : TB_NO_MEMORY;
}

static enum tb_status run(struct repairing *r, const char *in, const char *out, struct tb_error *error) {
  struct tb_merger *m = &r->walk.merger;
  tb_snapshot_choice_init(&r->snapshots, m->allocator);
  tb_buffer_init(&r->mended, m->allocator, 0);
  m->partial = false; /* of reading: that is what is mended */
  enum tb_status status = write_all(r, in, out);
  status = tb_cut_settle(m, status, error);
  tb_snapshot_choice_free(&r->snapshots);
  tb_buffer_free(&r->mended);
  return status;
}

enum tb_status tb_repair(const char *in, const char *out, const struct tb_repair_options *options,
                         struct tb_repair_report *report, struct tb_error *error) {
  struct tb_repair_options how = {.size = sizeof(how)};
  struct repairing r = {.report = {.merge = NULL}};
  enum tb_status status = tb_report_begin(report, sizeof(*report), error);
  if (status == TB_OK) status = tb_options_take(&how, sizeof(how), options, error);
  if (status == TB_OK) status = tb_cut_check_files(in, out, error);
  if (status != TB_OK) return status;
  struct tb_merge_options merge = TB_CUT_MERGE_OPTIONS(&how, threads);
  status = tb_walk_open(&r.walk, in, &merge, error);
  if (status == TB_OK) {
    status = run(&r, in, out, error);
    tb_walk_close(&r.walk);
  }
  r.report.merge = r.walk.merger.report;
  tb_report_give(report, &r.report, sizeof(r.report));
  if (!TB_REPORT_HAS(report, struct tb_repair_report, merge)) tb_merge_report_free(r.report.merge);
  return status;
}

void tb_repair_report_free(struct tb_repair_report *report) {
  if (!TB_REPORT_HAS(report, struct tb_repair_report, merge)) return;
  tb_merge_report_free(report->merge);
  report->merge = NULL;
  if (!TB_REPORT_HAS(report, struct tb_repair_report, output_count)) return;
  report->outputs = NULL;
  report->output_count = 0;
}
