/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/walk/packet_walk.h"

#include "base/error.h"
#include "base/times.h"

enum { PROGRESS_EVERY = 65536 };

static enum tb_status find_source(struct tb_walk *walk, const char *path) {
  struct tb_merger *m = &walk->merger;
  size_t count = 0;
  for (size_t i = 0; i < m->source_count; i++) {
    if (m->sources[i].skipped) continue;
    walk->source = &m->sources[i];
    count++;
  }
  if (count == 1) return TB_OK;
  tb_error_set_file(&m->error, path);
  if (!count) return tb_fail(&m->error, TB_BAD_DATA, TB_NO_OFFSET, "there is no trace in it");
  return tb_fail(&m->error, TB_UNSUPPORTED, TB_NO_OFFSET, "it holds %zu traces; merge them into one first", count);
}

static enum tb_status open_walk(struct tb_walk *walk, const char *path, const struct tb_merge_options *options,
                                const struct tb_prescan_listener *listener, struct tb_error *error) {
  *walk = (struct tb_walk){.packets = NULL};
  struct tb_merge_input input = {.path = path};
  enum tb_status status = tb_merger_open(&walk->merger, options, error);
  if (status != TB_OK) return status;
  struct tb_merger *m = &walk->merger;
  m->listener = listener;
  tb_buffer_init(&m->scratch, m->allocator, 0);
  m->patches.allocator = m->allocator;
  status = tb_field_tree_grow(&m->fields, m->allocator);
  if (status == TB_OK) status = tb_merger_gather(m, &input, 1);
  if (status == TB_OK) status = find_source(walk, path);
  if (status == TB_OK) status = tb_merger_prescan(m);
  m->listener = NULL;
  status = tb_guard_settle(&m->report->guard, status, &m->error);
  if (status == TB_OK) return TB_OK;
  (void)tb_fail(&m->error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
  if (error && error->code == TB_OK) *error = m->error;
  tb_walk_close(walk);
  return status;
}

enum tb_status tb_walk_open(struct tb_walk *walk, const char *path, const struct tb_merge_options *options,
                            struct tb_error *error) {
  return open_walk(walk, path, options, NULL, error);
}

enum tb_status tb_walk_open_listening(struct tb_walk *walk, const char *path, const struct tb_merge_options *options,
                                      const struct tb_prescan_listener *listener, struct tb_error *error) {
  return open_walk(walk, path, options, listener, error);
}

void tb_walk_close(struct tb_walk *walk) {
  tb_raw_packet_reader_close(walk->packets);
  tb_message_patches_free(&walk->merger.patches);
  tb_buffer_free(&walk->merger.scratch);
  tb_merger_close(&walk->merger);
}

enum tb_status tb_walk_turn_to(struct tb_walk *walk, const struct tb_input_place *place) {
  struct tb_merger *m = &walk->merger;
  tb_raw_packet_reader_close(walk->packets);
  walk->packets = NULL;
  walk->source->place = *place;
  tb_prescan_free(&walk->source->prescan);
  const struct tb_prescan_options options = {.max_junk = m->options.max_junk_bytes};
  return tb_prescan_run(&walk->source->prescan, m->allocator, place, &options, &m->error);
}

enum tb_status tb_walk_start(struct tb_walk *walk) {
  struct tb_merger *m = &walk->merger;
  tb_raw_packet_reader_close(walk->packets);
  walk->packets = NULL;
  tb_input_clocks_rewind(&walk->source->prescan.clocks);
  walk->plain = (struct tb_packet_cursor){NULL, NULL};
  walk->events.id = TB_EVENT_CLOCK_NONE;
  walk->clock.node = NULL;
  walk->next = 0;
  walk->next_progress = PROGRESS_EVERY;
  struct tb_raw_packet_reader_options options = {.allocator = m->allocator, .only_heads = true};
  return tb_raw_packet_reader_open(&walk->source->place, &options, &walk->packets, &m->error);
}

int64_t tb_walk_ahead(const struct tb_walk *walk, uint32_t machine) {
  const struct tb_prescan *prescan = &walk->source->prescan;
  for (size_t i = 0; machine && i < prescan->machine_count; i++)
    if (prescan->machines[i].id == machine) return prescan->machines[i].ahead;
  return 0;
}

static enum tb_status report_progress(struct tb_walk *walk) {
  struct tb_merger *m = &walk->merger;
  walk->next_progress = walk->next + PROGRESS_EVERY;
  if (!m->options.progress) return TB_OK;
  uint64_t at = tb_raw_packet_reader_offset(walk->packets);
  if (m->options.progress(m->options.progress_ctx, at, walk->source->prescan.bytes)) return TB_OK;
  return tb_fail(&m->error, TB_CANCELLED, TB_NO_OFFSET, "cancelled");
}

/* ---- packets of nothing but what nearly all have ----------------------------------------------------------------- */

static struct tb_clock_node *node_of(const struct tb_walk *walk, const struct tb_merge_sequence *sequence) {
  return sequence->node ? &walk->source->prescan.clocks.graph.nodes[sequence->node - 1] : NULL;
}

static void leave_sequence(struct tb_walk *walk) {
  tb_clock_cursor_close(&walk->clock);
  walk->clock.node = NULL;
  walk->events.id = TB_EVENT_CLOCK_NONE;
}

bool tb_walk_enter_sequence(struct tb_walk *walk, uint32_t sequence) {
  struct tb_input_clocks *clocks = &walk->source->prescan.clocks;
  struct tb_event_clock *events = &walk->events;
  leave_sequence(walk);
  tb_input_clocks_events_of(clocks, sequence, events);
  if (!events->sequence || events->sequence->counts) return events->id = TB_EVENT_CLOCK_NONE, false;
  tb_input_clocks_open_cursor(clocks, events, &walk->clock);
  walk->sequence = events->sequence;
  walk->sequence_number = (size_t)(events->sequence - clocks->sequences.items);
  walk->node = node_of(walk, events->sequence);
  walk->time = (struct tb_merge_packet_time){
      .clock = events->clock, .default_clock = events->default_clock, .fitted = events->fitted};
  walk->counted = false;
  walk->packet.offset = TB_NO_OFFSET;
  walk->packet.inner = walk->packet.unreadable = false;
  return true;
}

bool tb_walk_enter_events(struct tb_walk *walk, const struct tb_walk_events *events) {
  bool at_hand = walk->next == events->first && walk->plain.at && walk->next < walk->next_progress &&
                 walk->plain.end - walk->plain.at >= events->bytes;
  return at_hand && (walk->events.id == events->sequence || tb_walk_enter_sequence(walk, events->sequence));
}

struct tb_str tb_walk_pass_events(struct tb_walk *walk, const struct tb_walk_events *events) {
  struct tb_clock_cursor *clock = &walk->clock;
  struct tb_str framed = {walk->plain.at, events->bytes};
  walk->plain.at += events->bytes;
  walk->next += events->count;
  walk->number = walk->next - 1;
  clock->last = (clock->last + events->ticks * clock->multiplier) & clock->keep;
  return framed;
}

/* ---- any packet -------------------------------------------------------------------------------------------------- */

/* Of an event without a timestamp, which says its time itself, in microseconds of MONOTONIC: by itself, or of a legacy
 * sequence from the event before it on. */
static void count_time(struct tb_walk *walk) {
  const struct tb_packet_header *head = &walk->packet.head;
  struct tb_input_clocks *clocks = &walk->source->prescan.clocks;
  int64_t ns;
  walk->counted = tb_merge_sequence_count(walk->sequence, head->payload, &ns);
  if (!walk->counted) return;
  (void)tb_input_clocks_convert(clocks, head->machine, TB_CLOCK_MONOTONIC, ns, &ns); /* as readers take it, else */
  walk->time.resolved = true;
  walk->time.time = ns;
  walk->time.clock = clocks->primary;
  walk->host_time = tb_time_subtract(ns, tb_walk_ahead(walk, head->machine));
}

/* What the packet says of clocks, and its time. */
static enum tb_status take_packet(struct tb_walk *walk) {
  const struct tb_packet_header *head = &walk->packet.head;
  struct tb_input_clocks *clocks = &walk->source->prescan.clocks;
  struct tb_merge_sequence *sequence = tb_merge_sequence_get(&clocks->sequences, head->machine, head->sequence);
  walk->sequence = sequence;
  walk->time.resolved = walk->counted = false;
  walk->node = NULL;
  if (!sequence) return TB_NO_MEMORY;
  walk->sequence_number = (size_t)(sequence - clocks->sequences.items);
  if (head->rare || head->kind != TB_TRACE_PACKET_TRACK_EVENT) {
    enum tb_status status = tb_input_clocks_take(clocks, head, sequence, false);
    if (status != TB_OK) return status;
  }
  if (head->kind == TB_TRACE_PACKET_THREAD_DESCRIPTOR) tb_merge_sequence_start_counting(sequence, head->payload);
  if (head->kind == TB_TRACE_PACKET_TRACK_EVENT && (sequence->counts || !head->has_timestamp)) count_time(walk);
  if (!head->has_timestamp || walk->counted) return TB_OK;
  tb_input_clocks_time(clocks, head, sequence, &walk->time);
  walk->node = node_of(walk, sequence);
  walk->host_time =
      head->machine ? tb_time_subtract(walk->time.time, tb_walk_ahead(walk, head->machine)) : walk->time.time;
  return TB_OK;
}

/* The reader's next packet, whatever it is. */
static enum tb_status read_any(struct tb_walk *walk) {
  struct tb_packet_tokenizer *stream = tb_raw_packet_reader_stream(walk->packets);
  if (walk->plain.at) tb_packet_tokenizer_close_cursor(stream, &walk->plain);
  leave_sequence(walk);
  enum tb_status status = walk->next < walk->next_progress ? TB_OK : report_progress(walk);
  if (status == TB_OK) status = tb_raw_packet_reader_next(walk->packets, &walk->packet, &walk->merger.error);
  walk->plain = tb_packet_tokenizer_open_cursor(stream);
  return status;
}

enum tb_status tb_walk_next_slowly(struct tb_walk *walk) {
  enum tb_status status = read_any(walk);
  if (status != TB_OK || !walk->packet.packet.ptr) return status;
  walk->number = walk->next++;
  status = take_packet(walk);
  return status == TB_OK ? TB_OK
                         : tb_fail(&walk->merger.error, status, walk->packet.offset, "%s", tb_status_text(status));
}

enum tb_status tb_walk_patch(struct tb_walk *walk, const struct tb_message_patch *patches, struct tb_str *framed) {
  struct tb_merger *m = &walk->merger;
  *framed = walk->packet.framed;
  if (!patches->count) return TB_OK;
  size_t len = (size_t)((int64_t)walk->packet.packet.len + patches->growth);
  m->scratch.len = 0;
  enum tb_status status = tb_buffer_reserve(&m->scratch, len + TB_PACKET_FRAME_MAX);
  if (status != TB_OK) return tb_fail(&m->error, status, walk->packet.offset, "%s", tb_status_text(status));
  char *at = tb_wire_put_varint(tb_wire_put_tag(m->scratch.data, TB_TRACE_PACKET, TB_WIRE_BYTES), len);
  at = tb_message_patches_apply(patches, walk->packet.packet, at);
  *framed = (struct tb_str){m->scratch.data, (size_t)(at - m->scratch.data)};
  return TB_OK;
}

enum tb_status tb_walk_write_patched(struct tb_walk *walk, const struct tb_message_patch *patches) {
  struct tb_str framed;
  enum tb_status status = tb_walk_patch(walk, patches, &framed);
  return status == TB_OK ? tb_walk_write(walk, framed) : status;
}
