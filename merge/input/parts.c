/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of one long trace: files that a recording was rotated over, or a trace that was cut. A later part uses names,
 * defaults, tracks and clocks that packets of an earlier one set, so that parts are read as one trace, one file behind
 * the other.
 *
 *   first   7: cleared, needs, needs     9: cleared, needs
 *   second  7: needs, needs              9: needs            lacks state: which input does it follow?
 *
 * It follows an input when their TraceUuid is the same; when the packets of a sequence that lacks its state follow
 * those of the same sequence there as closely as these follow each other; or when that sequence counts from time to
 * time, so that its times are not known without the earlier part, and the file begins in the middle of it and comes
 * right behind the other in the user's order. There it is enough, too, that it has no start, as every recorder writes
 * one (a TraceUuid, a snapshot that names the clock), and times of a common sequence are unknown. Nothing may
 * contradict: processes and threads, snapshots, the epoch of the wall clock. In doubt it does not.
 */
#include <inttypes.h>

#include "base/error.h"
#include "convert/trace_input.h"
#include "merge/clocks/input_relations.h"
#include "merge/merger.h"
#include "tracebridge/event.h"

enum { COPY_BYTES = 1 << 16, NO_PART = -1, AMBIGUOUS = -2 };
enum { STEPS_APART = 2 };
static const uint64_t STEP_MOST_NS = 10000000000;
static const int64_t EPOCH_APART_NS = 1000000000;

/* ---- what says that one follows the other ------------------------------------------------------------------------ */

static bool has_reading(const struct tb_time_anchor *readings, size_t count, int64_t value) {
  for (size_t i = 0; i < count; i++)
    if (readings[i].x == value) return true;
  return false;
}

/* Whether snapshots of `part` are from before the end of `s`, which does not have them: it was recording on its own by
 * then. */
static enum tb_status began_before_end(struct tb_merger *m, const struct tb_source *part, const struct tb_source *s,
                                       bool *began) {
  uint32_t primary = part->prescan.clocks.primary;
  struct tb_time_anchor *own, *others = NULL;
  size_t count, other_count = 0;
  *began = false;
  enum tb_status status = tb_source_readings(part, m->allocator, primary, primary, &own, &count);
  if (status == TB_OK && count) status = tb_source_readings(s, m->allocator, primary, primary, &others, &other_count);
  for (size_t i = 0; i < count && status == TB_OK; i++)
    *began |= own[i].x < s->prescan.last && !has_reading(others, other_count, own[i].x);
  tb_free(m->allocator, own, count * sizeof(*own));
  tb_free(m->allocator, others, other_count * sizeof(*others));
  return status;
}

/* What the wall clock read when the trace clock read 0, by the first snapshot; false where it does not say. */
static enum tb_status read_epoch(struct tb_merger *m, const struct tb_source *s, bool *known, int64_t *epoch) {
  struct tb_time_anchor *pairs;
  size_t count;
  enum tb_status status =
      tb_source_readings(s, m->allocator, s->prescan.clocks.primary, TB_CLOCK_REALTIME, &pairs, &count);
  *known = status == TB_OK && count;
  if (!*known) return status;
  *epoch = tb_time_subtract(pairs[0].y, pairs[0].x);
  tb_free(m->allocator, pairs, count * sizeof(*pairs));
  return TB_OK;
}

/* Whether a uuid means one process or thread here and another there. */
static bool describes_others(const struct tb_source *part, const struct tb_source *s) {
  for (size_t i = 0; i < part->prescan.track_count; i++) {
    const struct tb_prescanned_track *t = &part->prescan.tracks[i];
    const uint64_t *at = tb_map_find(&s->prescan.track_index, t->uuid, 0);
    const struct tb_prescanned_track *o = at ? &s->prescan.tracks[*at] : NULL;
    if (!o || t->kind != o->kind || (t->kind != TB_SURVEYED_PROCESS && t->kind != TB_SURVEYED_THREAD)) continue;
    if (t->pid != o->pid || t->tid != o->tid || (t->name && o->name && t->name != o->name)) return true;
  }
  return false;
}

static bool same_text(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

/* What the user says of the two is different. */
static bool is_said_apart(const struct tb_source *part, const struct tb_source *s) {
  return !same_text(part->machine_name, s->machine_name) || part->manifest_file || s->manifest_file ||
         part->has_offset != s->has_offset || part->offset != s->offset;
}

static enum tb_status contradict(struct tb_merger *m, const struct tb_source *part, const struct tb_source *s,
                                 bool *contradict) {
  const struct tb_prescan *v = &part->prescan, *o = &s->prescan;
  bool known, other_known;
  int64_t epoch = 0, other_epoch = 0;
  enum tb_status status = read_epoch(m, part, &known, &epoch);
  if (status == TB_OK) status = read_epoch(m, s, &other_known, &other_epoch);
  if (status != TB_OK) return status;
  int64_t apart = known && other_known ? tb_time_subtract(epoch, other_epoch) : 0;
  *contradict = apart > EPOCH_APART_NS || apart < -EPOCH_APART_NS ||
                (v->clocks.primary_named && v->clocks.primary != o->clocks.primary) || describes_others(part, s) ||
                (v->trace_uuid && v->trace_uuid != o->trace_uuid);
  return TB_OK;
}

static const struct tb_merge_sequence *find_sequence(struct tb_source *s, uint32_t machine, uint32_t id) {
  struct tb_merge_sequences *all = &s->prescan.clocks.sequences;
  uint32_t number;
  return tb_sequence_table_find(&all->table, machine, id, &number) ? &all->items[number] : NULL;
}

/* Whether packets of the sequence follow those of the other file's as closely as both files' follow each other. */
static bool follows(const struct tb_merge_sequence *later, const struct tb_merge_sequence *earlier) {
  const struct tb_sequence_extent *a = &earlier->extent, *b = &later->extent;
  if (!a->any || !b->any || b->first < a->first) return false;
  uint64_t step = a->step > b->step ? a->step : b->step;
  if (step > STEP_MOST_NS) step = STEP_MOST_NS;
  uint64_t apart = b->first > a->last ? (uint64_t)b->first - (uint64_t)a->last : (uint64_t)a->last - (uint64_t)b->first;
  return apart <= STEPS_APART * step;
}

/* Sequences of `part` that lack their state and that `s` has: how many, and how many follow those. */
static void count_sequences(const struct tb_source *part, struct tb_source *s, size_t *shared, size_t *following) {
  const struct tb_merge_sequences *all = &part->prescan.clocks.sequences;
  *shared = *following = 0;
  for (size_t i = 0; i < all->count; i++) {
    const struct tb_merge_sequence *own = &all->items[i];
    const struct tb_merge_sequence *other = own->lacking ? find_sequence(s, own->machine, own->id) : NULL;
    if (!other || !other->id || !(other->has_state || other->lacking)) continue;
    ++*shared;
    *following += follows(own, other);
  }
}

/* Whether `s` is the input in front of `part`. */
static bool is_in_front(const struct tb_merger *m, const struct tb_source *s, const struct tb_source *part) {
  size_t before = part->index;
  while (before && (m->sources[before - 1].skipped || m->sources[before - 1].converted)) before--;
  return before && &m->sources[before - 1] == s;
}

/* Whether times of a sequence that both have are known from what comes before them alone, which `s` may lack, too. */
static bool shares_unknown_times(const struct tb_source *part, struct tb_source *s) {
  const struct tb_merge_sequences *all = &part->prescan.clocks.sequences;
  for (size_t i = 0; i < all->count; i++) {
    const struct tb_merge_sequence *own = &all->items[i];
    const struct tb_merge_sequence *other = own->lacking ? find_sequence(s, own->machine, own->id) : NULL;
    if (other && other->id && (tb_clock_of_sequence(other->default_clock) || (other->lacking && !other->has_state)))
      return true;
  }
  return false;
}

/* Whether `part`, right behind `s`, begins in the middle of a sequence of it whose times count from each other, or has
 * no start of its own while `s` has one. */
static bool goes_on(struct tb_merger *m, const struct tb_source *part, struct tb_source *s) {
  const struct tb_prescan *v = &part->prescan, *o = &s->prescan;
  const struct tb_merge_sequence *sequence = v->starts_within ? find_sequence(s, 0, v->starts_within) : NULL;
  if (!is_in_front(m, s, part)) return false;
  if (sequence && tb_clock_of_sequence(sequence->default_clock)) return true;
  bool has_start = v->trace_uuid || v->clocks.primary_named, other_has = o->trace_uuid && o->clocks.primary_named;
  return !has_start && other_has && shares_unknown_times(part, s);
}

uint64_t tb_source_lacking(const struct tb_source *s) {
  const struct tb_merge_sequences *all = &s->prescan.clocks.sequences;
  uint64_t lacking = 0;
  for (size_t i = 0; i < all->count; i++) lacking += all->items[i].id ? all->items[i].lacking : 0;
  return lacking;
}

/* ---- which follows which ----------------------------------------------------------------------------------------- */

/* What a source follows and what follows it: indices, NO_PART or AMBIGUOUS. */
struct part_links {
  int64_t before, behind;
};

static bool is_candidate(const struct tb_source *s) { return !s->skipped && !s->converted; }

/* Whether `part` follows `s`; *shared: sequences of it have their state there, if it does. */
static enum tb_status judge(struct tb_merger *m, const struct tb_source *part, struct tb_source *s, bool *follows,
                            bool *shared) {
  size_t common, following;
  bool against = true;
  *follows = false;
  count_sequences(part, s, &common, &following);
  *shared = common > 0;
  if (!common || is_said_apart(part, s)) return TB_OK;
  enum tb_status status = contradict(m, part, s, &against);
  bool same_trace = part->prescan.trace_uuid && part->prescan.trace_uuid == s->prescan.trace_uuid;
  bool began = false;
  if (status == TB_OK && following) status = began_before_end(m, part, s, &began);
  bool in_time = following && !began;
  *follows = status == TB_OK && !against && (in_time || same_trace || goes_on(m, part, s));
  return status;
}

static enum tb_status find_predecessor(struct tb_merger *m, struct part_links *links, uint32_t part) {
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < m->source_count && status == TB_OK; i++) {
    bool follows, shared;
    if (i == part || !is_candidate(&m->sources[i])) continue;
    status = judge(m, &m->sources[part], &m->sources[i], &follows, &shared);
    if (status == TB_OK && follows) links[part].before = links[part].before == NO_PART ? (int64_t)i : AMBIGUOUS;
  }
  return status;
}

static enum tb_status link_parts(struct tb_merger *m, struct part_links *links) {
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < m->source_count; i++) links[i] = (struct part_links){NO_PART, NO_PART};
  for (size_t i = 0; i < m->source_count && status == TB_OK; i++)
    if (is_candidate(&m->sources[i]) && tb_source_lacking(&m->sources[i]))
      status = find_predecessor(m, links, (uint32_t)i);
  for (size_t i = 0; i < m->source_count; i++)
    if (links[i].before >= 0) {
      struct part_links *before = &links[links[i].before];
      before->behind = before->behind == NO_PART ? (int64_t)i : AMBIGUOUS;
    }
  return status;
}

/* The part behind one; NO_PART where there is none, or nobody knows which of several. */
static int64_t next_part(const struct part_links *links, int64_t i) {
  return links[i].behind >= 0 ? links[i].behind : NO_PART;
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
static enum tb_status copy_parts(struct tb_merger *m, const struct part_links *links, struct tb_source *head,
                                 struct tb_input_place *copy) {
  char to[TB_COPY_STORE_NAME];
  uint64_t len = 0;
  char *buffer = tb_alloc(m->allocator, COPY_BYTES);
  if (!buffer) return TB_NO_MEMORY;
  enum tb_status status = tb_copy_store_begin(&m->store, head->name, copy, to, &m->error);
  for (int64_t i = head->index; i != NO_PART && status == TB_OK; i = next_part(links, i))
    status = append(m, &m->sources[i].place, buffer, &len);
  if (status == TB_OK) status = tb_copy_store_end(&m->store, len, copy, &m->error);
  tb_free(m->allocator, buffer, COPY_BYTES);
  return status;
}

static enum tb_status join(struct tb_merger *m, const struct part_links *links, struct tb_source *head) {
  struct tb_input_place copy;
  enum tb_status status = copy_parts(m, links, head, &copy);
  if (status != TB_OK) return status;
  tb_prescan_free(&head->prescan);
  status = tb_prescan_run(&head->prescan, m->allocator, &copy, m->options.max_junk_bytes, NULL, &m->error);
  head->place = copy;
  for (int64_t i = next_part(links, head->index); i != NO_PART; i = next_part(links, i)) {
    m->sources[i].skipped = true;
    m->sources[i].part_of = head;
    tb_merge_report_add_note(m->report, TB_MERGE_NOTE_PART_JOINED, (size_t)i,
                             "continues the trace that begins in %s: both are read as one", head->name);
  }
  return status;
}

/* ---- what is missing --------------------------------------------------------------------------------------------- */

/* An input that has sequences which the source lacks the state of; NULL: none. */
static const struct tb_source *find_namesake(struct tb_merger *m, const struct tb_source *s) {
  for (size_t i = 0; i < m->source_count; i++) {
    size_t shared, following;
    if (&m->sources[i] == s || !is_candidate(&m->sources[i])) continue;
    count_sequences(s, &m->sources[i], &shared, &following);
    if (shared) return &m->sources[i];
  }
  return NULL;
}

static void note_missing(struct tb_merger *m, const struct tb_source *s) {
  struct tb_merge_note note = {.code = TB_MERGE_NOTE_STATE_MISSING, .input = s->index};
  note.packets = tb_source_lacking(s);
  if (!note.packets) return;
  const struct tb_source *other = find_namesake(m, s);
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

enum tb_status tb_merger_join_parts(struct tb_merger *m) {
  if (m->source_count < 2) return TB_OK;
  struct part_links *links = tb_alloc(m->allocator, m->source_count * sizeof(*links));
  enum tb_status status = links ? link_parts(m, links) : TB_NO_MEMORY;
  for (size_t i = 0; i < m->source_count && status == TB_OK; i++)
    if (links[i].before < 0 && next_part(links, (int64_t)i) != NO_PART) status = join(m, links, &m->sources[i]);
  tb_free(m->allocator, links, m->source_count * sizeof(*links));
  for (size_t i = 0; i < m->source_count && status == TB_OK; i++)
    if (is_candidate(&m->sources[i])) note_missing(m, &m->sources[i]);
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
