/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/filter/choice.h"

#include "base/error.h"
#include "base/times.h"
#include "perfetto/packet/packet_times.h"
#include "protos/field_numbers.h"
#include "toolbox/filter/ftrace_choice.h"
#include "toolbox/walk/scanned_walk.h"

enum { NUMBERS_MAX = 1 << 30, WORD_BITS = 64, CLASS_BITS = 3, CLASSES = 1 << CLASS_BITS };
/* Of a begin, whether its name and categories are chosen. */
enum { MARK_REFUSED = 0, MARK_CHOSEN = 1 };

/* ---- sets of numbers --------------------------------------------------------------------------------------------- */

static enum tb_status add_number(struct tb_choice *choice, struct tb_number_set *set, uint64_t number) {
  size_t word = (size_t)(number / WORD_BITS);
  void *words = set->words;
  enum tb_status status = word < set->capacity ? TB_OK
                                               : tb_grow_array(choice->walk->merger.allocator, &words, &set->capacity,
                                                               word + 1, sizeof(*set->words), NUMBERS_MAX);
  set->words = words;
  if (status != TB_OK) return status;
  for (; set->count <= word; set->count++) set->words[set->count] = 0;
  set->words[word] |= UINT64_C(1) << number % WORD_BITS;
  return TB_OK;
}

/* How many of the `count` numbers from `first` on are in the set. */
static uint32_t count_numbers(const struct tb_number_set *set, uint64_t first, uint32_t count) {
  uint32_t found = 0;
  for (uint64_t at = first, end = first + count; at < end;) {
    uint64_t next = (at / WORD_BITS + 1) * WORD_BITS, last = next < end ? next : end;
    uint64_t word = at / WORD_BITS < set->count ? set->words[at / WORD_BITS] >> at % WORD_BITS : 0;
    if (last - at < WORD_BITS) word &= (UINT64_C(1) << (last - at)) - 1;
    found += (uint32_t)__builtin_popcountll(word);
    at = last;
  }
  return found;
}

bool tb_choice_leaves_mark_out(const struct tb_choice *choice, uint64_t number) {
  return tb_number_set_has(&choice->marks_out, number);
}

/* ---- slices ------------------------------------------------------------------------------------------------------ */

static int class_of(int64_t duration) {
  if (duration < CLASSES) return (int)duration;
  int power = WORD_BITS - 1 - __builtin_clzll((uint64_t)duration);
  return (power - CLASS_BITS + 1) * CLASSES + (int)(duration >> (power - CLASS_BITS) & (CLASSES - 1));
}

int64_t tb_duration_class_start(int class) {
  if (class < CLASSES) return class;
  return (int64_t)(CLASSES + class % CLASSES) << (class / CLASSES - 1);
}

static void count_kept(struct tb_slice_counts *counts, int64_t duration) {
  counts->kept++;
  if (duration >= 0) counts->durations[class_of(duration)]++;
}

static enum tb_status take_pair(struct tb_choice *choice, struct tb_slice_counts *counts, struct tb_number_set *set,
                                const struct tb_slice_edge *begin, const struct tb_slice_edge *end) {
  int64_t duration = end ? tb_time_subtract(end->time, begin->time) : -1;
  counts->all++;
  if (begin->mark == MARK_CHOSEN && (!end || duration >= choice->min_dur)) {
    count_kept(counts, duration);
    return TB_OK;
  }
  enum tb_status status = add_number(choice, set, begin->number);
  return status == TB_OK && end ? add_number(choice, set, end->number) : status;
}

static enum tb_status take_slice(void *ctx, const struct tb_slice_edge *begin, const struct tb_slice_edge *end) {
  struct tb_choice *choice = ctx;
  return take_pair(choice, &choice->slice_counts, &choice->packets, begin, end);
}

static enum tb_status take_mark(void *ctx, const struct tb_slice_edge *begin, const struct tb_slice_edge *end) {
  struct tb_choice *choice = ctx;
  return take_pair(choice, &choice->mark_counts, &choice->marks_out, begin, end);
}

void tb_choice_init(struct tb_choice *choice, struct tb_walk *walk, struct tb_track_events *events) {
  const struct tb_allocator *a = walk->merger.allocator;
  *choice = (struct tb_choice){.walk = walk, .events = events};
  tb_owners_init(&choice->owners, a);
  tb_slice_pairs_init(&choice->slices, a, take_slice, choice);
  tb_slice_pairs_init(&choice->marks, a, take_mark, choice);
  choice->slices.waits = choice->marks.gathers_all = true;
  tb_event_runs_init(&choice->runs, a);
  tb_flow_ends_init(&choice->flow_ends, a);
  tb_buffer_init(&choice->judged, a, 0);
  tb_buffer_init(&choice->fates, a, 0);
  tb_buffer_init(&choice->part, a, 0);
  tb_map_init(&choice->frames.cookies, a);
  tb_map_init(&choice->running, a);
  tb_map_init(&choice->begun, a);
  tb_map_init(&choice->reach.processors, a);
  tb_map_init(&choice->threads, a);
}

void tb_choice_free(struct tb_choice *choice) {
  const struct tb_allocator *a = choice->owners.allocator;
  if (!a) return;
  tb_owners_free(&choice->owners);
  tb_slice_pairs_free(&choice->slices);
  tb_slice_pairs_free(&choice->marks);
  tb_free(a, choice->packets.words, choice->packets.capacity * sizeof(*choice->packets.words));
  tb_free(a, choice->marks_out.words, choice->marks_out.capacity * sizeof(*choice->marks_out.words));
  tb_free(a, choice->flows.words, choice->flows.capacity * sizeof(*choice->flows.words));
  tb_flow_ends_free(&choice->flow_ends);
  tb_event_runs_free(&choice->runs);
  tb_buffer_free(&choice->judged);
  tb_buffer_free(&choice->fates);
  tb_buffer_free(&choice->part);
  tb_map_free(&choice->frames.cookies);
  tb_map_free(&choice->running);
  tb_map_free(&choice->begun);
  tb_map_free(&choice->reach.processors);
  tb_map_free(&choice->threads);
}

/* ---- names and categories ---------------------------------------------------------------------------------------- */

enum tb_status tb_choice_judge_mark(struct tb_choice *choice, struct tb_str name, bool *chosen) {
  static const struct tb_str none = {"", 0};
  struct tb_buffer *scratch = &choice->owners.scratch;
  bool named = true;
  enum tb_status status = tb_name_is_chosen(&choice->categories, none, scratch, chosen);
  if (status == TB_OK) status = tb_name_is_chosen(&choice->names, name, scratch, &named);
  *chosen &= named;
  return status;
}

/* By its id, so that a name is looked at once. */
static TB_ALWAYS_INLINE enum tb_status judge_name(struct tb_choice *choice, uint32_t id, bool *chosen) {
  enum { UNKNOWN = 0, NO = 1, YES = 2 };
  struct tb_buffer *judged = &choice->judged;
  *chosen = true;
  if (!choice->names.count) return TB_OK;
  if (id >= judged->len) {
    size_t more = id + 1 - judged->len;
    if (tb_buffer_reserve(judged, more) != TB_OK) return TB_NO_MEMORY;
    memset(judged->data + judged->len, UNKNOWN, more);
    judged->len += more;
  }
  if (judged->data[id] == UNKNOWN) {
    struct tb_str name = id ? choice->events->texts.texts[id - 1] : (struct tb_str){"", 0};
    enum tb_status status = tb_name_is_chosen(&choice->names, name, &choice->owners.scratch, chosen);
    if (status != TB_OK) return status;
    judged->data[id] = *chosen ? YES : NO;
  }
  *chosen = judged->data[id] == YES;
  return TB_OK;
}

/* A category, or several with commas between them. */
static enum tb_status judge_list(struct tb_choice *choice, struct tb_str list, struct tb_name_verdict *verdict) {
  enum tb_status status = TB_OK;
  do {
    const char *comma = list.len ? memchr(list.ptr, ',', list.len) : NULL;
    struct tb_str one = {list.ptr, comma ? (size_t)(comma - list.ptr) : list.len};
    status = tb_name_judge(&choice->categories, one, &choice->owners.scratch, verdict);
    list = comma ? (struct tb_str){comma + 1, list.len - one.len - 1} : (struct tb_str){"", 0};
  } while (status == TB_OK && list.len);
  return status;
}

static enum tb_status judge_categories(struct tb_choice *choice, bool *chosen) {
  struct tb_wire_cursor cursor = tb_wire_cursor(choice->walk->packet.head.payload);
  struct tb_wire_field field;
  struct tb_name_verdict verdict = {tb_name_patterns_want_all(&choice->categories), false};
  enum tb_status status = TB_OK;
  bool any = false;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number != TB_TRACK_EVENT_CATEGORY_IIDS && field.number != TB_TRACK_EVENT_CATEGORIES) continue;
    struct tb_str text = field.number == TB_TRACK_EVENT_CATEGORIES
                             ? field.bytes
                             : tb_track_events_category(choice->events, choice->walk, field.value);
    any = true;
    status = judge_list(choice, text, &verdict);
  }
  if (status == TB_OK && !any) status = judge_list(choice, (struct tb_str){"", 0}, &verdict);
  *chosen = tb_name_verdict_is_chosen(verdict);
  return status;
}

/* The walk's event, by that name and its categories. *chosen is true at first. */
static TB_ALWAYS_INLINE enum tb_status judge_event(struct tb_choice *choice, uint32_t name, bool *chosen) {
  bool named = true;
  enum tb_status status = judge_name(choice, name, &named);
  if (status == TB_OK && choice->categories.count) status = judge_categories(choice, chosen);
  *chosen &= named;
  return status;
}

/* ---- the first reading ------------------------------------------------------------------------------------------- */

static bool is_flow(const struct tb_event_view *view) {
  return view->phase == 's' || view->phase == 't' || view->phase == 'f';
}

/* A flow event of before there were tracks goes with the slice around it. */
static enum tb_status take_flow(struct tb_choice *choice, const struct tb_event_view *view) {
  const struct tb_slice_edge *around =
      tb_slice_pairs_innermost(&choice->slices, view->track, choice->walk->packet.head.machine);
  return around && around->mark == MARK_REFUSED ? add_number(choice, &choice->packets, choice->walk->number) : TB_OK;
}

/* The walk's event: an edge of a slice, a whole one, or an instant. */
static TB_ALWAYS_INLINE enum tb_status take_edge(struct tb_choice *choice, enum tb_event_role role, uint64_t track,
                                                 uint32_t machine, struct tb_slice_edge *edge, int64_t duration_ns) {
  bool chosen = true;
  enum tb_status status = role != TB_ROLE_END ? judge_event(choice, edge->name, &chosen) : TB_OK;
  if (status != TB_OK) return status;
  if (role == TB_ROLE_OTHER) return chosen ? TB_OK : add_number(choice, &choice->packets, edge->number);
  edge->mark = chosen ? MARK_CHOSEN : MARK_REFUSED;
  if (role != TB_ROLE_COMPLETE) return tb_slice_pairs_take(&choice->slices, track, machine, edge);
  struct tb_slice_edge end = *edge;
  end.time = tb_time_add(edge->time, duration_ns);
  return take_pair(choice, &choice->slice_counts, &choice->packets, edge, &end);
}

/* Whether events that are left out may end flows of others that stay. */
static bool leaves_flows_out(const struct tb_choice *choice) {
  return !choice->no_flows && (choice->looks_at_slices || tb_owners_are_chosen(&choice->owners));
}

/* The walk's event, which has ids of flows. */
static enum tb_status take_flow_ids(struct tb_choice *choice, uint32_t machine, const struct tb_event_view *view) {
  const struct tb_walk *walk = choice->walk;
  if (choice->slices.again || !leaves_flows_out(choice)) return TB_OK;
  const struct tb_flow_end event = {.time = walk->host_time,
                                    .number = walk->number,
                                    .machine = machine,
                                    .from = view->from,
                                    .from_uuid = view->from_uuid,
                                    .of_process = view->of_process,
                                    .of_all = view->of_all};
  enum tb_status status = add_number(choice, &choice->flows, walk->number);
  return status == TB_OK ? tb_flow_ends_add(&choice->flow_ends, walk, &event) : status;
}

/* Adds a plain event to the run that may grow; false: none may, on the second reading. */
static TB_ALWAYS_INLINE bool add_to_run(struct tb_choice *choice, const struct tb_packet_part *packet, uint64_t track) {
  struct tb_event_runs *runs = &choice->runs;
  if (choice->slices.again) return false;
  if (track && runs->open.track != track) tb_event_runs_end(runs);
  tb_event_runs_add(runs, choice->walk->number, packet, true);
  runs->open.track = track;
  return true;
}

static enum tb_status take_event(struct tb_choice *choice) {
  const struct tb_walk *walk = choice->walk;
  struct tb_event_view view;
  enum tb_status status = tb_track_events_read(choice->events, walk, &view);
  if (status == TB_OK && view.has_flows && walk->time.resolved)
    status = take_flow_ids(choice, walk->packet.head.machine, &view);
  if (status != TB_OK || !choice->looks_at_slices) return status;
  if (tb_walk_at_plain_event(walk) && walk->time.resolved && !choice->runs_of_tracks && !view.has_extras) {
    struct tb_packet_part packet = tb_walk_packet_part(walk);
    if (add_to_run(choice, &packet, 0)) {
      choice->runs.open.has |= TB_EVENT_HAS_ARGS; /* or it may */
      if (view.has_flows) choice->runs.open.has |= TB_EVENT_HAS_FLOWS;
    }
  }
  if (view.role == TB_ROLE_VALUE || view.role == TB_ROLE_ABOUT) return TB_OK;
  if (view.role == TB_ROLE_OTHER && is_flow(&view)) return take_flow(choice, &view);
  int64_t time = walk->time.resolved ? walk->host_time : 0;
  struct tb_slice_edge edge = {time, walk->number, view.name, view.categories, view.role == TB_ROLE_END, 0};
  return take_edge(choice, view.role, view.track, walk->packet.head.machine, &edge, view.duration_ns);
}

/* The walk's event, which most packets are. */
static TB_ALWAYS_INLINE enum tb_status take_plain_event(struct tb_choice *choice, const struct tb_plain_event *event) {
  const struct tb_walk *walk = choice->walk;
  const struct tb_event_fields *fields = &event->fields;
  if (choice->runs_of_any) {
    if (add_to_run(choice, &event->packet, 0)) choice->runs.open.has |= TB_EVENT_HAS_ARGS; /* or they may */
    return TB_OK;
  }
  if (fields->has & TB_EVENT_HAS_FLOWS) {
    const struct tb_event_view view = {.from = fields->track, .from_uuid = true};
    enum tb_status status = take_flow_ids(choice, 0, &view);
    if (status != TB_OK) return status;
  }
  if (!((fields->has & TB_EVENT_HAS_FLOWS) && choice->no_flows) &&
      add_to_run(choice, &event->packet, choice->runs_of_tracks ? fields->track : 0)) {
    struct tb_event_runs *runs = &choice->runs;
    runs->open.has |= fields->has;
    if (fields->has & TB_EVENT_HAS_EXTRAS) tb_event_runs_add_values(runs, &choice->events->extras);
  }
  if (!choice->looks_at_slices) return TB_OK;
  struct tb_slice_edge edge = {
      walk->host_time, walk->number, fields->name, fields->categories, event->role == TB_ROLE_END, 0};
  return take_edge(choice, event->role, fields->track, 0, &edge, event->duration_ns);
}

/* Takes those that come next. */
static enum tb_status take_plain_events(struct tb_choice *choice) {
  struct tb_plain_event event;
  enum tb_status status = TB_OK;
  while (status == TB_OK && tb_track_events_next_plain(choice->events, choice->walk, &event))
    status = take_plain_event(choice, &event);
  return status;
}

enum tb_status tb_choice_leave_mark_out(struct tb_choice *choice, uint64_t number) {
  return add_number(choice, &choice->marks_out, number);
}

enum tb_status tb_choice_take_mark(struct tb_choice *choice, uint64_t key, uint64_t kind, int64_t time, bool ends,
                                   struct tb_str name) {
  bool chosen = true;
  enum tb_status status = ends ? TB_OK : tb_choice_judge_mark(choice, name, &chosen);
  struct tb_slice_edge edge = {time, choice->print, 0, 0, ends, chosen ? MARK_CHOSEN : MARK_REFUSED};
  return status == TB_OK ? tb_slice_pairs_take(&choice->marks, key, kind, &edge) : status;
}

static enum tb_status take_packet(struct tb_choice *choice) {
  struct tb_walk *walk = choice->walk;
  const struct tb_packet_header *head = &walk->packet.head;
  enum tb_status status = tb_track_events_take(choice->events, walk);
  if (status != TB_OK || tb_track_events_lack_state(choice->events, walk)) return status;
  if (head->kind == TB_TRACE_PACKET_TRACK_EVENT)
    return choice->looks_at_slices || leaves_flows_out(choice) ? take_event(choice) : TB_OK;
  if (!choice->slices.again) status = tb_owners_take(&choice->owners, walk);
  if (status != TB_OK) return status;
  if (head->kind == TB_TRACE_PACKET_FTRACE_EVENTS && !choice->slices.again) return tb_choice_take_ftrace(choice);
  return TB_OK;
}

/* Whether anything has to be known of events before they are written. */
static bool takes_events(const struct tb_choice *choice) {
  return choice->looks_at_slices || choice->runs_of_tracks || choice->runs_of_any;
}

static enum tb_status read_all(struct tb_choice *choice) {
  tb_track_events_rewind(choice->events);
  enum tb_status status = tb_walk_start(choice->walk);
  while (status == TB_OK) {
    if (takes_events(choice)) status = take_plain_events(choice);
    if (status == TB_OK) status = tb_walk_next(choice->walk);
    if (status == TB_OK && choice->walk->packet.packet.ptr) status = take_packet(choice);
  }
  return status;
}

bool tb_choice_take_scanned_event(void *ctx, const struct tb_common_packet *packet, uint64_t number, int64_t time) {
  struct tb_scanned_walk *scanned = ctx;
  struct tb_choice *choice = scanned->reader.ctx;
  struct tb_plain_event event;
  enum tb_scan_step step = tb_scanned_walk_take_event(scanned, packet, number, time, &event);
  if (step == TB_SCAN_EVENT && (!takes_events(choice) || take_plain_event(choice, &event) == TB_OK)) return true;
  if (step == TB_SCAN_PACKET && take_packet(choice) == TB_OK) return true;
  scanned->failed = true;
  return false;
}

bool tb_choice_take_scanned_packet(void *ctx) {
  struct tb_choice *choice = ctx;
  bool is_ftrace = choice->walk->packet.head.kind == TB_TRACE_PACKET_FTRACE_EVENTS; /* its events' times may change */
  return !is_ftrace && take_packet(choice) == TB_OK;
}

/* What the first reading made of track events, which are read again. */
static void forget(struct tb_choice *choice) {
  tb_slice_pairs_start_again(&choice->slices);
  for (size_t i = 0; i < choice->packets.count; i++) choice->packets.words[i] = 0;
  choice->slice_counts = (struct tb_slice_counts){.all = 0};
}

static bool is_end_chosen(const void *ctx, const struct tb_flow_end *end) {
  const struct tb_choice *choice = ctx;
  const struct tb_event_view view = {
      .from = end->from, .from_uuid = end->from_uuid, .of_process = end->of_process, .of_all = end->of_all};
  if (tb_number_set_has(&choice->packets, end->number)) return false;
  struct tb_whose whose = tb_owners_of_event(&choice->owners, end->machine, &view);
  return tb_owners_choose(&choice->owners, &whose);
}

enum tb_status tb_choice_find(struct tb_choice *choice, bool taken_in) {
  struct tb_merger *m = &choice->walk->merger;
  enum tb_status status = taken_in ? TB_END : read_all(choice);
  tb_event_runs_end(&choice->runs);
  if (status == TB_END && tb_slice_pairs_disordered(&choice->slices)) {
    forget(choice);
    status = read_all(choice);
  }
  if (status == TB_END) status = tb_slice_pairs_end(&choice->slices);
  if (status == TB_OK) status = tb_slice_pairs_end(&choice->marks);
  if (status == TB_OK) tb_flow_ends_settle(&choice->flow_ends, is_end_chosen, choice);
  return status == TB_OK ? TB_OK : tb_fail(&m->error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
}

/* ---- the second reading ------------------------------------------------------------------------------------------ */

void tb_choice_rewind(struct tb_choice *choice) {
  tb_track_events_rewind(choice->events);
  tb_event_runs_rewind(&choice->runs);
  tb_map_clear(&choice->running);
  tb_map_clear(&choice->begun);
  tb_map_clear(&choice->threads);
  tb_map_clear(&choice->frames.cookies);
  choice->print = 0;
}

static bool is_chosen(const struct tb_choice *choice, const struct tb_event_view *view) {
  const struct tb_owners *owners = &choice->owners;
  uint32_t machine = choice->walk->packet.head.machine;
  if (choice->no_flows && view->role == TB_ROLE_OTHER && is_flow(view)) return false;
  if (view->role == TB_ROLE_VALUE && view->has_uuid && !tb_owners_choose_counter(owners, machine, view->track))
    return false;
  if (!tb_owners_are_chosen(owners)) return true;
  struct tb_whose whose = tb_owners_of_event(owners, machine, view);
  return tb_owners_choose(owners, &whose);
}

/* Values of further counters: those that stay are said by packets of their own where the event goes, or where others
 * of it go. */
static void decide_extras(struct tb_choice *choice, struct tb_cut_order *order) {
  const struct tb_event_extras *extras = tb_track_events_extras(choice->events, choice->walk);
  const struct tb_owners *owners = &choice->owners;
  size_t counters = 0, chosen = 0;
  choice->kept.count = 0;
  for (size_t i = 0; i < extras->count; i++) {
    struct tb_track_key track = {choice->walk->packet.head.machine, extras->uuids[i], true};
    if (!tb_owners_is_counter(owners, track.machine, track.key)) {
      choice->kept.uuids[choice->kept.count] = extras->uuids[i];
      choice->kept.values[choice->kept.count++] = extras->values[i];
      continue;
    }
    counters++;
    struct tb_whose whose = tb_owners_of_track(owners, &track, false);
    if (tb_owners_choose_counter(owners, track.machine, track.key) && tb_owners_choose(owners, &whose))
      choice->stated[chosen++] = extras->uuids[i];
  }
  if (order->fate == TB_CUT_KEEP && chosen == counters) return;
  if (order->fate == TB_CUT_KEEP) order->extras = &choice->kept;
  if (!choice->walk->time.resolved) return;
  order->stated = choice->stated;
  order->stated_count = chosen;
  order->host_time = choice->walk->host_time;
}

/* Whether it depends on whose an event is, or on what it has, if it stays. */
static bool looks_at_events(const struct tb_choice *choice) {
  const struct tb_owners *owners = &choice->owners;
  return tb_owners_are_chosen(owners) || owners->counters.count || choice->no_flows;
}

bool tb_choice_keeps(const struct tb_choice *choice) {
  return tb_walk_at_plain_event(choice->walk) && !looks_at_events(choice) &&
         !tb_number_set_has(&choice->packets, choice->walk->number) &&
         !(choice->flow_ends.count && tb_number_set_has(&choice->flows, choice->walk->number));
}

/* Whether a run has values of counters that readers show: those stay where their events go, in packets of their own. */
static bool run_has_counters(const struct tb_choice *choice, const struct tb_event_run *run) {
  for (uint8_t i = 0; i < run->counters; i++)
    if (tb_owners_is_counter(&choice->owners, 0, run->uuids[i])) return true;
  return false;
}

/* Whether the track of a run is of what is chosen. */
static bool is_run_chosen(const struct tb_choice *choice, const struct tb_event_run *run) {
  const struct tb_owners *owners = &choice->owners;
  if (!tb_owners_are_chosen(owners)) return true;
  const struct tb_track_key track = {0, run->track, true};
  struct tb_whose whose = tb_owners_of_track(owners, &track, false);
  return tb_owners_choose(owners, &whose);
}

const struct tb_event_run *tb_choice_run_at(struct tb_choice *choice, uint64_t number, enum tb_run_fate *fate) {
  const struct tb_event_run *run = tb_event_runs_around(&choice->runs, number);
  if (!run) return NULL;
  bool begins = run->events.first == number, has_counters = run_has_counters(choice, run);
  bool changes =
      (choice->no_args && run->has & TB_EVENT_HAS_ARGS) || (choice->flow_ends.count && run->has & TB_EVENT_HAS_FLOWS);
  *fate = TB_RUN_GOES;
  if (!is_run_chosen(choice, run)) return begins && !has_counters ? run : NULL;
  uint32_t left_out = begins ? count_numbers(&choice->packets, number, run->events.count) : 0;
  *fate = begins && !left_out && !changes ? TB_RUN_STAYS : TB_RUN_MIXED;
  if (has_counters && (*fate == TB_RUN_MIXED || choice->owners.counters.count)) return NULL;
  if (left_out == run->events.count) *fate = TB_RUN_GOES;
  return run;
}

static enum tb_status decide_event(struct tb_choice *choice, struct tb_cut_order *order) {
  const struct tb_walk *walk = choice->walk;
  const struct tb_owners *owners = &choice->owners;
  bool dropped = tb_number_set_has(&choice->packets, walk->number);
  bool looks = looks_at_events(choice) || choice->events->incremental.count || dropped;
  if (tb_track_events_lack_state(choice->events, walk) || !looks) return TB_OK;
  enum tb_status status = tb_track_events_read(choice->events, walk, &order->view);
  if (status != TB_OK) return status;
  if (dropped || !is_chosen(choice, &order->view)) order->fate = TB_CUT_DROP;
  if (order->view.has_extras && (dropped || order->fate == TB_CUT_DROP || owners->counters.count))
    decide_extras(choice, order);
  return TB_OK;
}

static bool chooses(const void *ctx, const struct tb_whose *whose) {
  return tb_owners_choose(&((const struct tb_choice *)ctx)->owners, whose);
}

static enum tb_status decide_list(struct tb_choice *choice, const struct tb_owned_list *list,
                                  struct tb_cut_order *order) {
  const struct tb_raw_packet *packet = &choice->walk->packet;
  struct tb_owned_list_part part = {.list = list, .machine = packet->head.machine, .keeps = chooses, .ctx = choice};
  tb_owned_list_count(&part, packet->head.payload);
  if (!part.left_out) return TB_OK;
  choice->part.len = 0;
  enum tb_status status = tb_owned_list_append(&part, packet->packet, &choice->part);
  order->replaced = (struct tb_str){choice->part.data, choice->part.len};
  return status;
}

/* A packet that is neither a track event nor ftrace. */
static enum tb_status decide_packet(struct tb_choice *choice, struct tb_cut_order *order) {
  uint32_t kind = choice->walk->packet.head.kind;
  const struct tb_owned_list *list = tb_owned_list_find(kind);
  if (list) return decide_list(choice, list, order);
  if (tb_packet_is_timeless(kind)) return TB_OK;
  struct tb_whose whose = tb_owners_of_packet(&choice->owners, choice->walk, choice->events, &choice->frames);
  if (choice->frames.failed) return TB_NO_MEMORY;
  if (tb_owners_choose(&choice->owners, &whose)) return TB_OK;
  order->fate = TB_CUT_DROP;
  order->keep = tb_packet_describing_field(kind);
  return TB_OK;
}

enum tb_status tb_choice_decide(struct tb_choice *choice, struct tb_cut_order *order) {
  struct tb_walk *walk = choice->walk;
  enum tb_status status = tb_track_events_take(choice->events, walk);
  if (status != TB_OK) return status;
  if (walk->packet.head.kind == TB_TRACE_PACKET_TRACK_EVENT) return decide_event(choice, order);
  if (walk->packet.head.kind == TB_TRACE_PACKET_FTRACE_EVENTS) return tb_choice_decide_ftrace(choice, order);
  if (!tb_owners_are_chosen(&choice->owners)) return TB_OK;
  return decide_packet(choice, order);
}
