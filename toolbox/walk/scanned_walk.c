/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/walk/scanned_walk.h"

#include "protos/field_numbers.h"

static bool fail(struct tb_scanned_walk *scanned) {
  scanned->failed = true;
  return false;
}

/* A time of a clock that no snapshot has: the trace clock's own. */
static bool take_primary(struct tb_scanned_walk *scanned) {
  uint32_t primary = scanned->walk->source->prescan.clocks.primary;
  if (!scanned->any) scanned->primary = primary;
  scanned->any = true;
  return scanned->primary == primary;
}

/* One of an event; false: it was not read by a clock's line. */
static bool take_read(struct tb_scanned_walk *scanned, int64_t time) {
  const struct tb_clock_cursor *clock = scanned->clock;
  if (!clock->node) return take_primary(scanned);
  if (!clock->span) return false;
  tb_scan_times_add(&scanned->times, scanned->node, (int64_t)((uint64_t)time - clock->offset), clock->offset);
  return true;
}

static void begin(void *ctx, const struct tb_allocator *allocator) {
  struct tb_scanned_walk *scanned = ctx;
  tb_scan_times_init(&scanned->times, allocator);
  scanned->reader.begin(scanned->reader.begin_ctx);
}

/* Makes the packets of a sequence the walk's; `plain`: its plain events. */
static void enter(struct tb_walk *walk, const struct tb_merge_sequence *sequence, int64_t plain) {
  walk->sequence_number = (size_t)(sequence - walk->source->prescan.clocks.sequences.items);
  walk->events.id = plain;
}

/* Makes the packet of that number the walk's. */
static bool count(struct tb_scanned_walk *scanned, uint64_t number) {
  if (number != scanned->next) return false;
  scanned->walk->number = number;
  scanned->walk->next = scanned->next = number + 1;
  return true;
}

static void turn_to(void *ctx, const struct tb_merge_sequence *sequence, const struct tb_clock_cursor *clock) {
  struct tb_scanned_walk *scanned = ctx;
  const struct tb_clock_graph *graph = &scanned->walk->source->prescan.clocks.graph;
  enter(scanned->walk, sequence, sequence->id);
  scanned->walk->time.resolved = true;
  scanned->clock = clock;
  scanned->node = clock->node ? (uint32_t)(clock->node - graph->nodes) : 0;
}

enum tb_scan_step tb_scanned_walk_take_event(struct tb_scanned_walk *scanned, const struct tb_common_packet *packet,
                                             uint64_t number, int64_t time, struct tb_plain_event *event) {
  struct tb_walk *walk = scanned->walk;
  if (!count(scanned, number) || !take_read(scanned, time)) return TB_SCAN_NONE;
  walk->host_time = time;
  if (tb_track_events_take_plain(scanned->events, walk, packet, event)) return TB_SCAN_EVENT;
  tb_walk_set_packet(walk, packet);
  return TB_SCAN_PACKET;
}

/* Whether the walk knows more of its time than the scan does, or another one. */
static bool is_odd(const struct tb_packet_header *head) {
  return head->machine || head->kind == TB_TRACE_PACKET_THREAD_DESCRIPTOR ||
         (head->kind == TB_TRACE_PACKET_TRACK_EVENT && !head->has_timestamp);
}

/* A time that is not known yet may be so later. */
static bool take_time(struct tb_scanned_walk *scanned, const struct tb_scanned_packet *packet,
                      const struct tb_packet_header *head) {
  struct tb_walk *walk = scanned->walk;
  const struct tb_clock_graph *graph = &walk->source->prescan.clocks.graph;
  walk->time.resolved = packet->time.resolved;
  if (!packet->time.resolved) return !head->has_timestamp;
  walk->host_time = packet->time.time;
  if (!packet->sequence->node) return take_primary(scanned);
  const struct tb_clock_node *node = &graph->nodes[packet->sequence->node - 1];
  int64_t own = node->incremental ? node->last : (int64_t)(head->timestamp * node->unit_multiplier);
  tb_scan_times_add(&scanned->times, packet->sequence->node - 1, own, (uint64_t)packet->time.time - (uint64_t)own);
  return true;
}

static bool take_packet(void *ctx, const struct tb_scanned_packet *packet, const struct tb_raw_packet *raw) {
  struct tb_scanned_walk *scanned = ctx;
  if (!packet->sequence) return true;
  if (is_odd(&raw->head) || !count(scanned, packet->number) || !take_time(scanned, packet, &raw->head))
    return fail(scanned);
  enter(scanned->walk, packet->sequence, TB_EVENT_CLOCK_NONE);
  scanned->walk->packet = *raw;
  return scanned->reader.take_packet(scanned->reader.ctx) || fail(scanned);
}

enum tb_status tb_scanned_walk_open(struct tb_scanned_walk *scanned, const char *path,
                                    const struct tb_merge_options *options, struct tb_error *error) {
  const struct tb_prescan_listener listener = {scanned, begin, turn_to, scanned->reader.take_event, take_packet};
  return tb_walk_open_listening(scanned->walk, path, options, &listener, error);
}

bool tb_scanned_walk_holds(const struct tb_scanned_walk *scanned) {
  struct tb_prescan *prescan = &scanned->walk->source->prescan;
  if (scanned->failed || scanned->next != prescan->packets) return false;
  if (scanned->any && scanned->primary != prescan->clocks.primary) return false;
  return tb_scan_times_hold(&scanned->times, &prescan->clocks);
}

void tb_scanned_walk_free(struct tb_scanned_walk *scanned) { tb_scan_times_free(&scanned->times); }
