/* SPDX-License-Identifier: Apache-2.0
 *
 * A later part of a trace has sequences that need a state which it does not have, or no start of its own: nothing that
 * recorders begin with.
 *
 *   first   7: cleared, needs, needs     9: cleared, needs
 *   second  7: needs, needs              9: needs            lacks state: which input does it continue?
 *
 * It continues an input that has these sequences, of the same writers, when their TraceUuid is the same; when packets
 * of a sequence follow those of the same sequence there as closely as packets there follow each other; when it begins
 * the interned ids of a sequence where the other one left off; or when its times count from each other, so that they
 * are not known without the earlier part, and it comes right behind the other in the user's order and has no start of
 * its own, as every recorder writes one (a TraceUuid, a snapshot that names the clock), or begins in the middle of such
 * a sequence.
 * Nothing may contradict: processes and threads, snapshots, the epoch of the wall clock. In doubt it continues none.
 *
 * Parts of one trace are put in the order that times and interned ids of their sequences say, and where these say
 * nothing in the user's.
 */
#include "merge/input/part_order.h"

#include "merge/clocks/input_relations.h"
#include "merge/input/split_parts.h"
#include "tracebridge/event.h"

enum { STEPS_APART = 2 };
static const uint64_t STEP_MOST_NS = 10000000000;
static const int64_t EPOCH_APART_NS = 1000000000;

struct part_search {
  struct tb_merger *m;
  struct tb_part_link *links;
  uint32_t *next; /* by source: the next one that its trace was found to have, in no order */
  uint32_t *row;  /* for ordering */
};

bool tb_part_is_candidate(const struct tb_source *s) { return !s->skipped && !s->converted; }

/* ---- what contradicts -------------------------------------------------------------------------------------------- */

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
    if (t->pid != o->pid || t->tid != o->tid) return true; /* names change */
  }
  return false;
}

static bool same_text(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

bool tb_part_is_said_alike(const struct tb_source *a, const struct tb_source *b) {
  return same_text(a->machine_name, b->machine_name) && !a->manifest_file && !b->manifest_file &&
         a->has_offset == b->has_offset && a->offset == b->offset;
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
                (v->clocks.primary_named && o->clocks.primary_named && v->clocks.primary != o->clocks.primary) ||
                describes_others(part, s) || (v->trace_uuid && v->trace_uuid != o->trace_uuid);
  return TB_OK;
}

/* Whether `part` may be what comes behind the start that the trace of `begin` has. */
static bool lacks_start(const struct tb_source *part, const struct tb_source *begin) {
  return !part->prescan.has_start && begin->prescan.has_start;
}

/* ---- sequences --------------------------------------------------------------------------------------------------- */

static const struct tb_merge_sequence *find_sequence(struct tb_source *s, uint32_t machine, uint32_t id) {
  struct tb_merge_sequences *all = &s->prescan.clocks.sequences;
  uint32_t number;
  return tb_sequence_table_find(&all->table, machine, id, &number) ? &all->items[number] : NULL;
}

/* Whether packets of the sequence follow those of the other file's as closely as both files' follow each other, or are
 * `step` apart. */
static bool follows(const struct tb_merge_sequence *later, const struct tb_merge_sequence *earlier, uint64_t step) {
  const struct tb_sequence_extent *a = &earlier->extent, *b = &later->extent;
  if (!a->any || !b->any || b->first < a->first) return false;
  if (b->step > step) step = b->step;
  if (a->step > step) step = a->step;
  if (step > STEP_MOST_NS) step = STEP_MOST_NS;
  uint64_t apart = b->first > a->last ? (uint64_t)b->first - (uint64_t)a->last : (uint64_t)a->last - (uint64_t)b->first;
  return apart <= STEPS_APART * step;
}

/* Whether the part needs the sequence's state and the other input has the sequence; which is then *other. */
static bool needs_from(const struct tb_merge_sequence *own, struct tb_source *s,
                       const struct tb_merge_sequence **other) {
  *other = own->lacking && own->id ? find_sequence(s, own->machine, own->id) : NULL;
  return *other && ((*other)->has_state || (*other)->lacking);
}

/* Whether times before the sequence's state is known may count from each other: where a part of the trace says that
 * they do, or none says anything. */
static bool counts_from_each_other(const struct part_search *p, uint32_t begin,
                                   const struct tb_merge_sequence *sequence) {
  bool known = sequence->has_state;
  if (tb_clock_of_sequence(sequence->default_clock)) return true;
  for (uint32_t i = begin; i != TB_PART_NONE; i = p->next[i]) {
    const struct tb_merge_sequence *other = find_sequence(&p->m->sources[i], sequence->machine, sequence->id);
    if (!other) continue;
    if (tb_clock_of_sequence(other->default_clock)) return true;
    known |= other->has_state;
  }
  return !known;
}

/* How often the sequence introduces ids from where those of the other one ended. */
static int count_continued_ids(const struct tb_merge_sequence *later, const struct tb_merge_sequence *earlier) {
  int count = 0;
  for (int i = 0; i < TB_INTERNED_RUNS; i++)
    count += earlier->interned[i].last && later->interned[i].first == earlier->interned[i].last + 1;
  return count;
}

/* What sequences say of a part and another input. */
struct comparison {
  size_t shared;    /* that lack their state, and that the other input has */
  size_t common;    /* that both have, and that one writer wrote */
  size_t foreign;   /* that both have, of two writers */
  size_t following; /* that follow closely those of the other input */
  size_t unknown;   /* whose times are not known, of the shared ones */
  size_t continued; /* interned ids that begin where the other's end, of the shared ones */
};

static struct comparison compare_sequences(const struct part_search *p, const struct tb_source *part,
                                           struct tb_source *s) {
  const struct tb_merge_sequences *all = &part->prescan.clocks.sequences;
  struct comparison c = {0};
  uint32_t begin = p->links[s->index].begin;
  bool is_rest = part->prescan.headless || lacks_start(part, &p->m->sources[begin]);
  for (size_t i = 0; i < all->count; i++) {
    const struct tb_merge_sequence *own = &all->items[i], *other;
    const struct tb_merge_sequence *first = find_sequence(&p->m->sources[begin], own->machine, own->id);
    const struct tb_merge_sequence *same = own->id ? find_sequence(s, own->machine, own->id) : NULL;
    if (same) *(same->writer == own->writer ? &c.common : &c.foreign) += 1;
    if (!needs_from(own, s, &other)) {
      c.following += same && is_rest && !own->lacking && !same->lacking && follows(own, same, 0);
      continue;
    }
    bool unknown = counts_from_each_other(p, begin, own);
    c.shared++;
    c.unknown += unknown;
    c.following += !unknown && follows(own, other, first ? first->extent.step : 0);
    c.continued += (size_t)count_continued_ids(own, other);
  }
  return c;
}

const struct tb_source *tb_part_may_continue(struct tb_merger *m, const struct tb_source *s) {
  const struct tb_merge_sequences *all = &s->prescan.clocks.sequences;
  if (s->prescan.clocks.graph.group_count) return NULL;
  for (size_t i = 0; i < m->source_count; i++) {
    struct tb_source *other = &m->sources[i];
    if (other == s || !tb_part_is_candidate(other) || !lacks_start(s, other)) continue;
    for (size_t k = 0; k < all->count; k++) {
      const struct tb_merge_sequence *own = &all->items[k], *same = find_sequence(other, own->machine, own->id);
      if (own->id && same && same->writer == own->writer) return other;
    }
  }
  return NULL;
}

const struct tb_source *tb_part_namesake(struct tb_merger *m, const struct tb_source *s) {
  const struct tb_merge_sequences *all = &s->prescan.clocks.sequences;
  const struct tb_merge_sequence *other;
  for (size_t i = 0; i < m->source_count; i++) {
    if (&m->sources[i] == s || !tb_part_is_candidate(&m->sources[i])) continue;
    for (size_t k = 0; k < all->count; k++)
      if (needs_from(&all->items[k], &m->sources[i], &other)) return &m->sources[i];
  }
  return NULL;
}

/* ---- what says that one continues the other ---------------------------------------------------------------------- */

/* Whether `s` is the input in front of `part`. */
static bool is_in_front(const struct tb_merger *m, const struct tb_source *s, const struct tb_source *part) {
  size_t before = part->index;
  while (before && (m->sources[before - 1].skipped || m->sources[before - 1].converted)) before--;
  return before && &m->sources[before - 1] == s;
}

/* Whether a part that needs an earlier one for its times can only be of this trace: it has no start of its own while
 * the trace has one; or it begins in the middle of such a sequence and comes right behind. */
static bool goes_on(const struct part_search *p, const struct tb_source *part, struct tb_source *s,
                    const struct comparison *c) {
  const struct tb_prescan *v = &part->prescan;
  const struct tb_source *begin = &p->m->sources[p->links[s->index].begin];
  const struct tb_merge_sequence *within = v->starts_within ? find_sequence(s, 0, v->starts_within) : NULL;
  if (v->headless && c->unknown && begin->prescan.trace_uuid && begin->prescan.clocks.primary_named) return true;
  return within && tb_clock_of_sequence(within->default_clock) && is_in_front(p->m, s, part);
}

static enum tb_status is_continued(const struct part_search *p, const struct tb_source *part, struct tb_source *s,
                                   bool *continued) {
  struct comparison c = compare_sequences(p, part, s);
  bool against = true, began = false;
  *continued = false;
  bool is_rest = lacks_start(part, &p->m->sources[p->links[s->index].begin]);
  if ((!c.shared && !(is_rest && c.common)) || c.foreign || !tb_part_is_said_alike(part, s)) return TB_OK;
  enum tb_status status = contradict(p->m, part, s, &against);
  if (status == TB_OK && c.following) status = began_before_end(p->m, part, s, &began);
  bool same_trace = part->prescan.trace_uuid && part->prescan.trace_uuid == s->prescan.trace_uuid;
  bool same_ids = part->prescan.headless && c.continued;
  *continued =
      status == TB_OK && !against && ((c.following && !began) || same_trace || same_ids || goes_on(p, part, s, &c));
  return status;
}

/* ---- which inputs are of one trace ------------------------------------------------------------------------------- */

/* Whether another input is the same: which of the two goes on, nobody knows. */
static bool is_there_twice(struct tb_merger *m, const struct tb_source *s) {
  for (size_t i = 0; i < m->source_count; i++) {
    const struct tb_source *other = &m->sources[i];
    if (other != s && tb_part_is_candidate(other) && tb_source_is_same(m, other, s)) return true;
  }
  return false;
}

/* The trace that a part continues; TB_PART_NONE: no other, or nobody knows which. */
static enum tb_status find_trace(const struct part_search *p, const struct tb_source *part, uint32_t *begin) {
  enum tb_status status = TB_OK;
  *begin = TB_PART_NONE;
  for (size_t i = 0; i < p->m->source_count && status == TB_OK; i++) {
    struct tb_source *s = &p->m->sources[i];
    uint32_t of = p->links[i].begin;
    bool continued;
    if (of == part->index || of == *begin || !tb_part_is_candidate(s)) continue;
    status = is_continued(p, part, s, &continued);
    if (status != TB_OK || !continued) continue;
    if (*begin != TB_PART_NONE) {
      *begin = TB_PART_NONE;
      break;
    }
    *begin = of;
  }
  return status;
}

static void add_to_trace(struct part_search *p, uint32_t part, uint32_t begin) {
  uint32_t last = begin;
  while (p->next[last] != TB_PART_NONE) last = p->next[last];
  p->next[last] = part;
  for (uint32_t i = part; i != TB_PART_NONE; i = p->next[i]) p->links[i].begin = begin;
}

/* Parts come to traces one after the other: what one of them says counts for the next. */
static enum tb_status find_traces(struct part_search *p) {
  enum tb_status status = TB_OK;
  bool found = true;
  while (found && status == TB_OK) {
    found = false;
    for (uint32_t i = 0; i < p->m->source_count && status == TB_OK; i++) {
      const struct tb_source *part = &p->m->sources[i];
      uint32_t begin;
      bool may_be = p->links[i].begin == i && p->links[i].behind == TB_PART_NONE && tb_part_is_candidate(part) &&
                    (tb_source_lacking(part) || !part->prescan.has_start);
      if (!may_be || is_there_twice(p->m, part)) continue;
      status = find_trace(p, part, &begin);
      if (status != TB_OK || begin == TB_PART_NONE) continue;
      add_to_trace(p, i, begin);
      found = true;
    }
  }
  return status;
}

/* ---- their order ------------------------------------------------------------------------------------------------- */

/* How sure what says that one part is before another is: interned ids that go on where the other's end, and times;
 * interned ids that are larger, or a state that the one clears and the other needs, which a recorder may clear again
 * and again. */
enum { STRONG = 4, WEAK = 1 };

static int weigh_state(const struct tb_merge_sequence *a, const struct tb_merge_sequence *b) {
  int weight = a->has_state && !a->lacking && b->lacking && !b->has_state ? WEAK : 0;
  for (int i = 0; i < TB_INTERNED_RUNS; i++) {
    uint32_t last = a->interned[i].last, first = b->interned[i].first;
    if (last && first) weight += first == last + 1 ? STRONG : first > last && !a->has_state ? WEAK : 0;
  }
  return weight;
}

static int weigh_times(const struct tb_sequence_extent *a, const struct tb_sequence_extent *b) {
  if (a->last <= b->first) return a->first < b->last ? STRONG : 0;
  if (b->last <= a->first) return -STRONG;
  return WEAK * ((a->first < b->first) - (a->first > b->first)); /* recorders write some events late */
}

/* How much sequences say that `a` is before `b`, less what they say of the opposite. */
static int order_of(const struct part_search *p, uint32_t a, uint32_t b) {
  const struct tb_merge_sequences *all = &p->m->sources[a].prescan.clocks.sequences;
  int before = 0;
  for (size_t i = 0; i < all->count; i++) {
    const struct tb_merge_sequence *own = &all->items[i];
    const struct tb_merge_sequence *other = find_sequence(&p->m->sources[b], own->machine, own->id);
    if (!other || !own->id) continue;
    before += weigh_state(own, other) - weigh_state(other, own);
    if (!own->extent.any || !other->extent.any) continue;
    if ((own->lacking || other->lacking) && counts_from_each_other(p, p->links[a].begin, own)) continue;
    before += weigh_times(&own->extent, &other->extent);
  }
  return before;
}

/* Of the parts in the row from `from` on, the one that comes first: what no other one is before, or the fewest. */
static size_t find_earliest(const struct part_search *p, size_t from, size_t count) {
  size_t best = from;
  int least = INT32_MAX;
  for (size_t i = from; i < count && least > 0; i++) {
    int against = 0;
    for (size_t k = from; k < count; k++) against += k != i && order_of(p, p->row[k], p->row[i]) > 0;
    if (against >= least) continue;
    least = against;
    best = i;
  }
  return best;
}

/* Whether it is known of each sequence that the part needs which part before it has it last: the others' order does
 * not matter. `at`: its place in the row. */
static bool is_order_sure(const struct part_search *p, size_t at) {
  const struct tb_merge_sequences *all = &p->m->sources[p->row[at]].prescan.clocks.sequences;
  for (size_t i = 0; i < all->count; i++) {
    const struct tb_merge_sequence *own = &all->items[i], *other = NULL;
    size_t before = at;
    while (before-- > 0 && !needs_from(own, &p->m->sources[p->row[before]], &other)) continue;
    if (other && before < at && order_of(p, p->row[before], p->row[at]) <= 0) return false;
  }
  return true;
}

/* Puts the row into the order of the inputs' names, numbers in them by their value; false where that contradicts. */
static bool order_by_names(const struct part_search *p, uint32_t begin, size_t count) {
  const struct tb_source *sources = p->m->sources;
  for (size_t i = 1; i < count; i++)
    for (size_t k = i; k > 0 && strverscmp(sources[p->row[k - 1]].name, sources[p->row[k]].name) > 0; k--) {
      uint32_t part = p->row[k];
      p->row[k] = p->row[k - 1];
      p->row[k - 1] = part;
    }
  bool right = strverscmp(sources[begin].name, sources[p->row[0]].name) < 0;
  for (size_t i = 0; i < count && right; i++)
    for (size_t k = i + 1; k < count && right; k++) right = order_of(p, p->row[i], p->row[k]) > -STRONG;
  return right;
}

/* Puts the row into the order that the sequences say; true where that is the user's order. */
static bool order_by_sequences(const struct part_search *p, uint32_t begin, size_t count) {
  bool moved = p->row[0] < begin;
  for (size_t i = 0; i < count; i++) {
    size_t first = find_earliest(p, i, count);
    uint32_t part = p->row[first];
    moved |= first != i;
    memmove(&p->row[i + 1], &p->row[i], (first - i) * sizeof(*p->row)); /* the others stay in the user's order */
    p->row[i] = part;
  }
  return !moved;
}

static void order_trace(struct part_search *p, uint32_t begin) {
  enum tb_part_doubt doubt = TB_PART_SURE;
  size_t count = 0;
  for (uint32_t i = 0; i < p->m->source_count; i++)
    if (p->links[i].begin == begin && i != begin) p->row[count++] = i;
  bool sure = order_by_sequences(p, begin, count);
  for (size_t i = 1; i < count && !sure; i++) {
    if (is_order_sure(p, i)) continue;
    doubt = order_by_names(p, begin, count) ? TB_PART_BY_NAME : TB_PART_UNORDERED;
    break;
  }
  uint32_t last = begin;
  for (size_t i = 0; i < count; i++) {
    uint32_t part = p->row[i];
    p->links[part].doubt = doubt;
    if (doubt == TB_PART_UNORDERED)
      p->links[part].begin = part;
    else
      p->links[last].behind = part;
    last = part;
  }
}

enum tb_status tb_part_order_find(struct tb_merger *m, struct tb_part_link *links) {
  size_t size = m->source_count * sizeof(uint32_t);
  struct part_search p = {m, links, tb_alloc(m->allocator, size), tb_alloc(m->allocator, size)};
  enum tb_status status = p.next && p.row ? TB_OK : TB_NO_MEMORY;
  for (uint32_t i = 0; i < m->source_count; i++) links[i] = (struct tb_part_link){i, TB_PART_NONE, TB_PART_SURE};
  for (uint32_t i = 0; i < m->source_count && status == TB_OK; i++) p.next[i] = TB_PART_NONE;
  if (status == TB_OK) status = tb_split_parts_link(m, links);
  if (status == TB_OK) status = find_traces(&p);
  for (uint32_t i = 0; i < m->source_count && status == TB_OK; i++)
    if (links[i].begin == i && p.next[i] != TB_PART_NONE) order_trace(&p, i);
  tb_free(m->allocator, p.next, size);
  tb_free(m->allocator, p.row, size);
  return status;
}
