/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of one long trace: files that a recording was rotated over, or a trace that was cut. A later part uses names,
 * defaults, tracks and clocks that packets of an earlier one set, so that parts are read as one trace, one file behind
 * the other.
 */
#include <inttypes.h>

#include "base/error.h"
#include "convert/trace_input.h"
#include "merge/input/part_order.h"
#include "merge/input/split_parts.h"

enum { COPY_BYTES = 1 << 16 };

uint64_t tb_source_lacking(const struct tb_source *s) {
  const struct tb_merge_sequences *all = &s->prescan.clocks.sequences;
  uint64_t lacking = 0;
  for (size_t i = 0; i < all->count; i++) lacking += all->items[i].id ? all->items[i].lacking : 0;
  return lacking;
}

/* ---- one trace of parts ------------------------------------------------------------------------------------------ */

static enum tb_status append(struct tb_merger *m, const struct tb_input_place *place, char *buffer, uint64_t *len) {
  struct tb_input *input;
  enum tb_status status = tb_trace_input_open(place, m->allocator, 1, NULL, &input, NULL, &m->error);
  while (status == TB_OK) {
    size_t got;
    status = tb_input_read(input, buffer, COPY_BYTES, &got, &m->error);
    if (status == TB_OK) status = tb_copy_store_put(&m->store, *len, buffer, got, &m->error);
    if (status == TB_OK) *len += got;
  }
  tb_input_close(input);
  return status == TB_END || status == TB_TRUNCATED ? TB_OK : status;
}

/* Copies a chain of parts into one trace. */
static enum tb_status copy_parts(struct tb_merger *m, const struct tb_part_link *links, struct tb_source *head,
                                 struct tb_input_place *copy) {
  char to[TB_COPY_STORE_NAME];
  uint64_t len = 0;
  char *buffer = tb_alloc(m->allocator, COPY_BYTES);
  if (!buffer) return TB_NO_MEMORY;
  enum tb_status status = tb_copy_store_begin(&m->store, head->name, copy, to, &m->error);
  for (uint32_t i = head->index; i != TB_PART_NONE && status == TB_OK; i = links[i].behind)
    status = head->converted ? append(m, &(struct tb_input_place){.name = m->sources[i].original}, buffer, &len)
             : i != head->index && head->prescan.split.recording && m->sources[i].prescan.split.recording
                 ? tb_split_parts_append(m, &m->sources[i], head, &len)
                 : append(m, &m->sources[i].place, buffer, &len);
  if (status == TB_OK) status = tb_copy_store_end(&m->store, len, copy, &m->error);
  tb_free(m->allocator, buffer, COPY_BYTES);
  return status;
}

static enum tb_status join(struct tb_merger *m, const struct tb_part_link *links, struct tb_source *head) {
  struct tb_input_place copy;
  enum tb_status status = copy_parts(m, links, head, &copy);
  if (status == TB_OK && head->converted) {
    struct tb_input_place joined = copy;
    status = tb_merger_convert_source(m, head, &joined);
    tb_copy_store_forget(&m->store, &joined);
    copy = head->place;
    if (status == TB_OK) status = tb_split_parts_say_once(m, head->name, &copy);
  }
  if (status != TB_OK) return status;
  tb_prescan_free(&head->prescan);
  const struct tb_prescan_options options = {m->options.max_junk_bytes, NULL, NULL};
  status = tb_prescan_run(&head->prescan, m->allocator, &copy, &options, &m->error);
  head->place = copy;
  for (uint32_t i = links[head->index].behind; i != TB_PART_NONE; i = links[i].behind) {
    m->sources[i].skipped = true;
    m->sources[i].part_of = head;
    tb_merge_report_add_note(m->report, TB_MERGE_NOTE_PART_JOINED, i,
                             "continues the trace that begins in %s: both are read as one", head->name);
  }
  return status;
}

/* ---- what is missing --------------------------------------------------------------------------------------------- */

/* Nothing is known to be missing, but tracks or names may be that only the other one says. */
static void note_unclear(struct tb_merger *m, const struct tb_source *s) {
  const struct tb_source *other = tb_part_may_continue(m, s);
  if (!other) return;
  tb_merge_report_add_note(
      m->report, TB_MERGE_NOTE_PART_UNCLEAR, s->index,
      "does not begin as a recording does, and has sequences of the numbers that %s has, but "
      "nothing shows that it continues that one: it is read as a trace of its own (where it does, cat makes one "
      "file of both)",
      other->name);
}

static void note_missing(struct tb_merger *m, const struct tb_source *s) {
  struct tb_merge_note note = {.code = TB_MERGE_NOTE_STATE_MISSING, .input = s->index};
  note.packets = tb_source_lacking(s);
  if (!note.packets) {
    note_unclear(m, s);
    return;
  }
  const struct tb_source *other = tb_part_namesake(m, s);
  const char *doubt = other ? tb_merge_report_print(m->report,
                                                    "; %s has sequences of the same numbers, but nothing shows that "
                                                    "this trace continues it",
                                                    other->name)
                            : "";
  tb_merge_report_add_timed_note(m->report, &note,
                                 "%" PRIu64
                                 " packets need names, defaults or tracks that were said before it begins, "
                                 "in no input: readers leave them out%s",
                                 note.packets, doubt);
}

static void note_doubt(struct tb_merger *m, size_t part, enum tb_part_doubt doubt) {
  if (doubt == TB_PART_SURE) return;
  tb_merge_report_add_note(m->report, TB_MERGE_NOTE_PARTS_UNORDERED, part,
                           doubt == TB_PART_BY_NAME
                               ? "is a part of a trace whose parts are not given in their order: only the order of "
                                 "their names says which comes before it"
                               : "is a part of another input's trace, but nothing shows which part comes before it: "
                                 "name them in their order");
}

enum tb_status tb_merger_join_parts(struct tb_merger *m) {
  if (m->source_count < 2) return TB_OK;
  struct tb_part_link *links = tb_alloc(m->allocator, m->source_count * sizeof(*links));
  enum tb_status status = links ? tb_part_order_find(m, links) : TB_NO_MEMORY;
  for (size_t i = 0; i < m->source_count && status == TB_OK; i++)
    if (links[i].begin == i && links[i].behind != TB_PART_NONE) status = join(m, links, &m->sources[i]);
  for (size_t i = 0; i < m->source_count && status == TB_OK; i++) note_doubt(m, i, links[i].doubt);
  tb_free(m->allocator, links, m->source_count * sizeof(*links));
  for (size_t i = 0; i < m->source_count && status == TB_OK; i++)
    if (tb_part_is_candidate(&m->sources[i])) note_missing(m, &m->sources[i]);
  return status == TB_OK ? TB_OK : tb_fail(&m->error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
}

/* ---- the report -------------------------------------------------------------------------------------------------- */

void tb_merger_report_parts(struct tb_merger *m) {
  for (size_t i = 0; i < m->source_count; i++) {
    struct tb_source *s = &m->sources[i];
    if (!s->part_of) continue;
    struct tb_merge_input_report *in = tb_source_report(m, s), *head = tb_source_report(m, s->part_of);
    in->machine = head->machine;
    in->machine_id = head->machine_id;
    in->clock = head->clock;
    in->placement = head->placement;
    in->why = tb_merge_report_print(m->report, "continues %s, and is counted there", head->name);
    in->offset_ns = head->offset_ns;
    in->drift_ppm = head->drift_ppm;
    in->has_bound = head->has_bound;
    in->bound_ns = head->bound_ns;
    in->bounds = head->bounds;
    in->bound_count = head->bound_count;
    in->has_time = head->has_time;
    in->first_ns = head->first_ns;
    in->last_ns = head->last_ns;
  }
}
