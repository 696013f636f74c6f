/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/split/split_plan.h"

#include "base/error.h"
#include "base/search.h"
#include "base/times.h"
#include "perfetto/packet/packet_times.h"
#include "protos/field_numbers.h"
#include "toolbox/owners/ftrace_owner.h"

enum { REST = 0 };
enum { HEAP_GRAPH_CONTINUED = 5 };

static bool by_owner(const struct tb_split_plan *plan) {
  return plan->by == TB_SPLIT_PROCESS || plan->by == TB_SPLIT_THREAD;
}

static bool by_place(const struct tb_split_plan *plan) {
  return plan->by == TB_SPLIT_TIME || plan->by == TB_SPLIT_SIZE;
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

static enum tb_status refuse(struct tb_split_plan *plan) {
  return tb_fail(&plan->walk->merger.error, TB_REFUSED, TB_NO_OFFSET,
                 "there would be more than %d parts: choose longer or larger ones, or filter first",
                 TB_SPLIT_PARTS_MAX);
}

/* NULL where memory is out, or there are too many. */
static struct tb_split_piece *add_piece(struct tb_split_plan *plan) {
  void *items = plan->pieces;
  enum tb_status status = plan->count == TB_SPLIT_PARTS_MAX
                              ? refuse(plan)
                              : tb_grow_array(plan->walk->merger.allocator, &items, &plan->capacity, plan->count + 1,
                                              sizeof(*plan->pieces), TB_SPLIT_PARTS_MAX);
  plan->pieces = items;
  if (status != TB_OK) {
    if (plan->failed == TB_OK) plan->failed = status;
    return NULL;
  }
  plan->pieces[plan->count] = (struct tb_split_piece){.packets = 0};
  return &plan->pieces[plan->count++];
}

/* The piece under a key; where there is none it is made while the trace is looked at, and else is the rest. */
static size_t piece_of(struct tb_split_plan *plan, uint64_t first, uint64_t second, const struct tb_whose *whose) {
  uint32_t number;
  if (tb_map_get(&plan->piece_index, first, second, &number)) return number;
  if (!plan->looks) return REST;
  struct tb_split_piece *piece = add_piece(plan);
  if (!piece) return REST;
  piece->whose = *whose;
  if (tb_map_put(&plan->piece_index, first, second, plan->count - 1) != TB_OK) plan->failed = TB_NO_MEMORY;
  return plan->count - 1;
}

size_t tb_split_plan_whose(struct tb_split_plan *plan, const struct tb_whose *whose) {
  if (whose->kind == TB_WHOSE_NOBODY) return REST;
  if (plan->by == TB_SPLIT_THREAD) {
    if (whose->kind != TB_WHOSE_THREAD) return REST;
    return piece_of(plan, (uint64_t)whose->machine << 32 | (uint32_t)whose->pid, (uint64_t)whose->tid, whose);
  }
  struct tb_whose process = tb_whose_process(whose->machine, whose->pid);
  return piece_of(plan, process.machine, (uint64_t)process.pid, &process);
}

static size_t piece_of_machine(struct tb_split_plan *plan, uint32_t machine) {
  struct tb_whose whose = {.machine = machine};
  return machine ? piece_of(plan, machine, 0, &whose) : REST;
}

/* ---- by time and size -------------------------------------------------------------------------------------------- */

size_t tb_split_plan_place(const struct tb_split_plan *plan, int64_t time, uint64_t number) {
  if (plan->by == TB_SPLIT_TIME) {
    if (!plan->has_time || time <= plan->first) return 0;
    uint64_t place = (uint64_t)tb_time_subtract(time, plan->first) / (uint64_t)plan->window_ns;
    return place < plan->count ? (size_t)place : plan->count - 1;
  }
  size_t at = 0;
  TB_LOWER_BOUND(at, plan->count, place, plan->pieces[place].first_number <= number);
  return at ? at - 1 : 0;
}

/* Payloads of which each adds to those of its sequence before it. */
static bool adds_up(uint32_t kind) {
  return kind == TB_TRACE_PACKET_CPU_PER_UID_DATA || kind == TB_TRACE_PACKET_STREAMING_PROFILE_PACKET;
}

/* Sums of wakelocks are said again at a time, and where their sequence's state is cleared in each part. */
static bool lacks_what_sums_need(const struct tb_split_plan *plan) {
  const struct tb_walk *walk = plan->walk;
  return walk->packet.head.kind == TB_TRACE_PACKET_KERNEL_WAKELOCK_DATA &&
         (!walk->time.resolved || tb_track_events_lack_state_of(plan->events, walk->sequence_number,
                                                                TB_TRACE_PACKET_SEQ_NEEDS_INCREMENTAL_STATE));
}

/* Whether the rest of a dump of a heap follows. */
static bool is_continued(const struct tb_packet_header *head) {
  switch (head->kind) {
    case TB_TRACE_PACKET_PROFILE_PACKET:
      return tb_wire_find_number(head->payload, TB_PROFILE_PACKET_CONTINUED) != 0;
    case TB_TRACE_PACKET_HEAP_GRAPH:
      return tb_wire_find_number(head->payload, HEAP_GRAPH_CONTINUED) != 0;
    default:
      return false;
  }
}

/* A dump of a heap is where its first packet is: readers take nothing of a half. */
static size_t place_of_dump(struct tb_split_plan *plan, size_t part) {
  const struct tb_packet_header *head = &plan->walk->packet.head;
  uint64_t *open = tb_map_find(&plan->dumps, plan->walk->sequence_number, head->kind);
  bool continued = is_continued(head);
  if (open && *open) part = (size_t)*open - 1;
  if (open)
    *open = continued ? part + 1 : 0;
  else if (continued && tb_map_put(&plan->dumps, plan->walk->sequence_number, head->kind, part + 1) != TB_OK)
    plan->failed = TB_NO_MEMORY;
  return part;
}

static size_t place_of_packet(struct tb_split_plan *plan) {
  const struct tb_walk *walk = plan->walk;
  if ((plan->by == TB_SPLIT_TIME && !walk->time.resolved) || adds_up(walk->packet.head.kind) ||
      lacks_what_sums_need(plan))
    return REST;
  size_t part = tb_split_plan_place(plan, walk->time.resolved ? walk->host_time : 0, walk->number);
  if (walk->packet.head.kind == TB_TRACE_PACKET_PROFILE_PACKET || walk->packet.head.kind == TB_TRACE_PACKET_HEAP_GRAPH)
    return place_of_dump(plan, part);
  return plan->has_view ? tb_crossing_slices_part(&plan->crossing, walk, &plan->view, part) : part;
}

/* ---- where packets are ------------------------------------------------------------------------------------------- */

static enum tb_status read_event(struct tb_split_plan *plan) {
  plan->has_view = false;
  if (tb_track_events_lack_state(plan->events, plan->walk)) return TB_OK;
  enum tb_status status = tb_track_events_read(plan->events, plan->walk, &plan->view);
  plan->has_view = status == TB_OK;
  return status;
}

/* Of a packet that is of none: what says something of the whole, and of a sequence. */
static bool is_for_all(uint32_t kind) {
  return tb_packet_is_timeless(kind) || kind == TB_TRACE_PACKET_THREAD_DESCRIPTOR ||
         kind == TB_TRACE_PACKET_PROCESS_DESCRIPTOR;
}

static size_t part_by_owner(struct tb_split_plan *plan) {
  const struct tb_packet_header *head = &plan->walk->packet.head;
  struct tb_whose whose;
  if (head->kind == TB_TRACE_PACKET_TRACK_EVENT) {
    if (!plan->has_view) return REST;
    whose = tb_owners_of_event(&plan->owners, head->machine, &plan->view);
  } else {
    if (head->kind == TB_TRACE_PACKET_FTRACE_EVENTS || tb_owned_list_find(head->kind)) return TB_SPLIT_MIXED;
    if (head->kind == TB_TRACE_PACKET_GENERIC_KERNEL_TASK_STATE_EVENT) return REST; /* scheduling */
    whose = tb_owners_of_packet(&plan->owners, plan->walk, plan->events, &plan->frames);
    if (plan->frames.failed) plan->failed = TB_NO_MEMORY;
  }
  return tb_split_plan_whose(plan, &whose);
}

enum tb_status tb_split_plan_packet(struct tb_split_plan *plan, size_t *part) {
  const struct tb_packet_header *head = &plan->walk->packet.head;
  enum tb_status status = tb_track_events_take(plan->events, plan->walk);
  plan->has_view = false;
  if (status == TB_OK && head->kind == TB_TRACE_PACKET_TRACK_EVENT) status = read_event(plan);
  if (status != TB_OK) return status;
  if (is_for_all(head->kind) || (plan->has_view && plan->view.role == TB_ROLE_ABOUT))
    *part = TB_SPLIT_ALL;
  else if (plan->by == TB_SPLIT_MACHINE)
    *part = piece_of_machine(plan, head->machine);
  else if (by_owner(plan))
    *part = part_by_owner(plan);
  else if (plan->by == TB_SPLIT_TIME &&
           (head->kind == TB_TRACE_PACKET_FTRACE_EVENTS || head->kind == TB_TRACE_PACKET_ETW_EVENTS))
    *part = TB_SPLIT_MIXED;
  else
    *part = place_of_packet(plan);
  return plan->failed;
}

size_t tb_split_plan_row(struct tb_split_plan *plan, const struct tb_ftrace_bundle *bundle,
                         const struct tb_ftrace_row *row) {
  struct tb_ftrace_event event;
  int64_t time;
  if (plan->by == TB_SPLIT_TIME)
    return tb_ftrace_bundle_time(bundle, row->raw_time, &time) ? tb_split_plan_place(plan, time, 0) : REST;
  if (row->kind != TB_FTRACE_ROW_EVENT) return REST;
  tb_ftrace_event_read(row->event, &event);
  if (tb_ftrace_is_scheduling(event.kind)) return REST;
  struct tb_whose whose = tb_owners_of_ftrace(&plan->owners, bundle, &event);
  return tb_split_plan_whose(plan, &whose);
}

size_t tb_split_plan_etw(const struct tb_split_plan *plan, struct tb_str event) {
  int64_t time;
  return tb_etw_event_time(plan->walk, event, &time) ? tb_split_plan_place(plan, time, 0) : REST;
}

/* What names things in a part: nobody's, its own, and the process of its thread. */
static bool names(const struct tb_split_piece *piece, const struct tb_whose *whose) {
  if (whose->kind == TB_WHOSE_NOBODY) return true;
  if (whose->machine != piece->whose.machine || whose->pid != piece->whose.pid) return false;
  return whose->kind == TB_WHOSE_PROCESS || piece->whose.kind == TB_WHOSE_PROCESS || whose->tid == piece->whose.tid;
}

bool tb_split_plan_names(const struct tb_split_plan *plan, size_t part, const struct tb_whose *whose) {
  return names(&plan->pieces[part], whose);
}

bool tb_split_plan_needs(const struct tb_split_plan *plan, size_t part) {
  const struct tb_packet_header *head = &plan->walk->packet.head;
  const struct tb_split_piece *piece = &plan->pieces[part];
  if (by_place(plan)) return true;
  if (plan->by == TB_SPLIT_MACHINE)
    return !head->machine || head->machine == piece->whose.machine || head->kind == TB_TRACE_PACKET_REMOTE_CLOCK_SYNC;
  if (plan->has_view) {
    struct tb_whose whose = tb_owners_of_event(&plan->owners, head->machine, &plan->view);
    return names(piece, &whose);
  }
  if (head->kind != TB_TRACE_PACKET_TRACK_DESCRIPTOR) return true;
  struct tb_wire_field f[TB_TRACK_DESCRIPTOR_UUID + 1];
  (void)tb_wire_read_fields(head->payload, f, TB_TRACK_DESCRIPTOR_UUID + 1);
  struct tb_track_key key = {head->machine, f[TB_TRACK_DESCRIPTOR_UUID].value, true};
  struct tb_whose whose = tb_owners_of_track(&plan->owners, &key, false);
  return names(piece, &whose);
}

/* ---- looking at the trace ---------------------------------------------------------------------------------------- */

static void extend(struct tb_split_plan *plan) {
  const struct tb_walk *walk = plan->walk;
  if (walk->packet.head.kind == TB_TRACE_PACKET_FTRACE_EVENTS) {
    struct tb_ftrace_bundle bundle;
    tb_ftrace_bundle_read(&bundle, plan->walk);
    tb_ftrace_bundle_extend(&bundle, &plan->first, &plan->last);
    return;
  }
  if (walk->packet.head.kind == TB_TRACE_PACKET_ETW_EVENTS) {
    tb_etw_extend(walk, &plan->first, &plan->last);
    return;
  }
  if (!walk->time.resolved || tb_packet_is_timeless(walk->packet.head.kind) ||
      tb_track_events_lack_state(plan->events, walk))
    return;
  if (walk->host_time < plan->first) plan->first = walk->host_time;
  if (walk->host_time > plan->last) plan->last = walk->host_time;
}

/* A part ends where it is as large as it may be. */
static enum tb_status measure(struct tb_split_plan *plan) {
  const struct tb_walk *walk = plan->walk;
  bool is_absolute = !plan->other_format && walk->time.resolved && walk->node && tb_clock_of_sequence(walk->time.clock);
  enum tb_status status = tb_part_size_take(&plan->size, walk, is_for_all(walk->packet.head.kind), is_absolute);
  if (status != TB_OK || !tb_part_size_is_full(&plan->size, plan->part_bytes)) return status;
  tb_part_size_next_part(&plan->size);
  struct tb_split_piece *piece = add_piece(plan);
  if (!piece) return plan->failed;
  piece->first_number = walk->number + 1;
  return TB_OK;
}

/* Whose things are, when, and how large. */
static enum tb_status read_owners_and_times(struct tb_split_plan *plan) {
  plan->first = INT64_MAX;
  plan->last = INT64_MIN;
  tb_track_events_rewind(plan->events);
  enum tb_status status = tb_walk_start(plan->walk);
  while (status == TB_OK && (status = tb_walk_next(plan->walk)) == TB_OK) {
    if (!plan->walk->packet.packet.ptr) continue;
    status = tb_track_events_take(plan->events, plan->walk);
    if (status == TB_OK && by_owner(plan)) status = tb_owners_take(&plan->owners, plan->walk);
    if (plan->by == TB_SPLIT_TIME) extend(plan);
    if (status == TB_OK && plan->by == TB_SPLIT_SIZE) status = measure(plan);
  }
  plan->has_time = plan->first <= plan->last;
  return status == TB_END ? TB_OK : status;
}

static enum tb_status divide_time(struct tb_split_plan *plan) {
  struct tb_merger *m = &plan->walk->merger;
  if (!plan->has_time) return tb_fail(&m->error, TB_REFUSED, TB_NO_OFFSET, "there is no event with a time in it");
  uint64_t parts = (uint64_t)tb_time_subtract(plan->last, plan->first) / (uint64_t)plan->window_ns + 1;
  if (parts > TB_SPLIT_PARTS_MAX) return refuse(plan);
  while (plan->count < parts)
    if (!add_piece(plan)) return plan->failed;
  return TB_OK;
}

static uint8_t count_row(void *ctx, const struct tb_ftrace_bundle *bundle, const struct tb_ftrace_row *row) {
  struct tb_split_plan *plan = ctx;
  size_t part = tb_split_plan_row(plan, bundle, row); /* pieces may move */
  plan->pieces[part].packets++;
  return TB_FTRACE_DROP;
}

static bool count_element(const void *ctx, const struct tb_whose *whose) {
  struct tb_split_plan *plan = *(struct tb_split_plan *const *)ctx;
  size_t part = tb_split_plan_whose(plan, whose);
  plan->pieces[part].packets++;
  return true;
}

static void count_etw(struct tb_split_plan *plan) {
  struct tb_wire_cursor cursor = tb_wire_cursor(plan->walk->packet.head.payload);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (tb_etw_is_event(&field)) plan->pieces[tb_split_plan_etw(plan, field.bytes)].packets++;
}

static enum tb_status count_mixed(struct tb_split_plan *plan) {
  const struct tb_packet_header *head = &plan->walk->packet.head;
  if (head->kind == TB_TRACE_PACKET_ETW_EVENTS) {
    count_etw(plan);
    return TB_OK;
  }
  if (head->kind != TB_TRACE_PACKET_FTRACE_EVENTS) {
    struct tb_owned_list_part part = {tb_owned_list_find(head->kind), head->machine, count_element, &plan, 0, 0};
    tb_owned_list_count(&part, head->payload);
    return plan->failed;
  }
  struct tb_ftrace_bundle bundle;
  enum tb_ftrace_part part;
  tb_ftrace_bundle_read(&bundle, plan->walk);
  enum tb_status status = tb_ftrace_decide(&bundle, count_row, plan, &plan->fates, &part);
  return status == TB_OK ? plan->failed : status;
}

/* How large the state of sequences is at a time. */
static enum tb_status measure_state(struct tb_split_plan *plan) {
  const struct tb_walk *walk = plan->walk;
  const struct tb_packet_header *head = &walk->packet.head;
  if (!head->cleared && !head->dropped && !head->has_defaults && !head->interned_count) return TB_OK;
  uint64_t *found = tb_map_find(&plan->states, walk->sequence_number, 0);
  uint64_t before = found ? *found : 0, after = (head->cleared ? 0 : before) + walk->packet.framed.len;
  plan->state += after - before;
  if (plan->state > plan->state_most) plan->state_most = plan->state;
  if (!found) return tb_map_put(&plan->states, walk->sequence_number, 0, after);
  *found = after;
  return TB_OK;
}

static enum tb_status count_packet(struct tb_split_plan *plan) {
  size_t part;
  enum tb_status status = tb_split_plan_packet(plan, &part);
  if (status == TB_OK) status = measure_state(plan);
  if (status == TB_OK && by_place(plan) && plan->has_view)
    status = tb_crossing_slices_take(&plan->crossing, plan->walk, &plan->view);
  if (status != TB_OK || part == TB_SPLIT_ALL) return status;
  if (by_place(plan) && plan->has_view) part = place_of_packet(plan); /* an end is now known to be another part's */
  if (part == TB_SPLIT_MIXED) return count_mixed(plan);
  plan->pieces[part].packets++;
  return TB_OK;
}

static enum tb_status count(struct tb_split_plan *plan) {
  tb_split_plan_rewind(plan);
  tb_map_clear(&plan->states);
  plan->state = 0;
  for (size_t i = 0; i < plan->count; i++) plan->pieces[i].packets = 0;
  enum tb_status status = tb_walk_start(plan->walk);
  while (status == TB_OK && (status = tb_walk_next(plan->walk)) == TB_OK)
    if (plan->walk->packet.packet.ptr) status = count_packet(plan);
  return status;
}

static enum tb_status look(struct tb_split_plan *plan) {
  enum tb_status status = add_piece(plan) ? read_owners_and_times(plan) : plan->failed;
  if (status == TB_OK && plan->by == TB_SPLIT_TIME) status = divide_time(plan);
  if (status == TB_OK) status = count(plan);
  if (status == TB_END && tb_slice_pairs_disordered(&plan->crossing.slices)) {
    tb_crossing_slices_start_again(&plan->crossing);
    status = count(plan);
  }
  return status == TB_END ? tb_slice_pairs_end(&plan->crossing.slices) : status;
}

enum tb_status tb_split_plan_make(struct tb_split_plan *plan) {
  struct tb_merger *m = &plan->walk->merger;
  plan->looks = true;
  plan->owners.keeps_names = true;
  enum tb_status status = look(plan);
  plan->looks = false;
  return status == TB_OK ? TB_OK : tb_fail(&m->error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

void tb_split_plan_init(struct tb_split_plan *plan, struct tb_walk *walk, struct tb_track_events *events) {
  const struct tb_allocator *a = walk->merger.allocator;
  *plan = (struct tb_split_plan){.walk = walk, .events = events};
  tb_owners_init(&plan->owners, a);
  tb_map_init(&plan->frames.cookies, a);
  tb_map_init(&plan->piece_index, a);
  tb_map_init(&plan->states, a);
  tb_map_init(&plan->dumps, a);
  tb_buffer_init(&plan->fates, a, 0);
  tb_crossing_slices_init(&plan->crossing, plan, a);
  tb_part_size_init(&plan->size, a);
}

void tb_split_plan_free(struct tb_split_plan *plan) {
  if (!plan->walk) return;
  tb_free(plan->walk->merger.allocator, plan->pieces, plan->capacity * sizeof(*plan->pieces));
  tb_owners_free(&plan->owners);
  tb_buffer_free(&plan->fates);
  tb_map_free(&plan->frames.cookies);
  tb_map_free(&plan->piece_index);
  tb_map_free(&plan->states);
  tb_map_free(&plan->dumps);
  tb_crossing_slices_free(&plan->crossing);
  tb_part_size_free(&plan->size);
}

void tb_split_plan_rewind(struct tb_split_plan *plan) {
  tb_track_events_rewind(plan->events);
  tb_map_clear(&plan->frames.cookies);
  tb_map_clear(&plan->dumps);
}
