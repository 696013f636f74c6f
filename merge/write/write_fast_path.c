/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/write/write_fast_path.h"

#include "base/error.h"

enum { RUN_MOST = 4096, PACKET_MOST = 64 << 10, COPY_BLOCK = 32 };
enum { ROOM = TB_PACKET_FRAME_MAX + 2 * TB_WIRE_VARINT_MAX + 2 * COPY_BLOCK }; /* in addition to what the packet has */

enum { MOVE = 1, RENUMBER = 2 };

/* What becomes of the packets of one sequence whose events stay as they are. */
struct lane {
  struct tb_event_clock events;
  struct tb_clock_cursor clock;
  int64_t last;  /* when the last packet was since the lane was entered; INT64_MIN: none */
  uint32_t id;   /* of the sequence in the merged trace */
  unsigned what; /* RENUMBER: that is another; MOVE: timestamps become merged time */
  bool leave;    /* more than that */
};

static void find_lane(const struct tb_merger *m, struct tb_source *s, uint32_t sequence, struct lane *lane) {
  const struct tb_remap *map = &s->remap;
  *lane = (struct lane){.id = sequence, .last = INT64_MIN};
  tb_input_clocks_events_of(&s->prescan.clocks, sequence, &lane->events);
  if (s->untouched || !lane->events.sequence) return;
  lane->id = tb_remap_sequence(map, sequence);
  bool move = lane->events.clock == s->prescan.clocks.primary || !s->fixed || lane->events.fitted;
  lane->what = (lane->id != sequence ? RENUMBER : 0u) | (move ? MOVE : 0u);
  lane->leave = s->moves_machines || m->new_machines.count || (map->active & 1u << TB_FIELD_PID) ||
                (map->uuid_salt && !lane->events.sequence->anchors) ||
                (lane->events.sequence->counts && !tb_source_keeps_counts(s)) ||
                (move && lane->events.default_clock && lane->events.clock != m->trace_clock);
}

/* Before the first of a lane's packets; leave_lane comes before another lane's. */
static void enter_lane(const struct tb_merger *m, struct tb_source *s, uint32_t sequence, struct lane *lane) {
  find_lane(m, s, sequence, lane);
  if (lane->events.sequence) tb_input_clocks_open_cursor(&s->prescan.clocks, &lane->events, &lane->clock);
}

static void leave_lane(const struct lane *lane) {
  tb_clock_cursor_close(&lane->clock);
  if (lane->events.sequence && lane->last != INT64_MIN) lane->events.sequence->reached = lane->last;
}

/* memcpy, returning the byte after. Up to COPY_BLOCK bytes more are read and written: most pieces are one block
 * then, whatever their length. */
static TB_ALWAYS_INLINE char *copy_ahead(char *to, const char *from, size_t len) {
  memcpy(to, from, COPY_BLOCK);
  if (len > 2 * COPY_BLOCK)
    memcpy(to + COPY_BLOCK, from + COPY_BLOCK, len - COPY_BLOCK);
  else if (len > COPY_BLOCK)
    memcpy(to + COPY_BLOCK, from + COPY_BLOCK, COPY_BLOCK);
  return to + len;
}

/* The bytes up to a number's field, and the field with another number. */
static TB_ALWAYS_INLINE char *copy_with(char *to, const char *from, const char *field, uint64_t value) {
  return tb_wire_put_varint(copy_ahead(to, from, (size_t)(field + 1 - from)), value);
}

/* What becomes of a packet's head. */
struct edit {
  unsigned what; /* of MOVE and RENUMBER: one number, since bools are stored one by one to be looked at together */
  uint64_t timestamp;
  uint32_t sequence;
};

static TB_ALWAYS_INLINE char *put_edited(char *to, const struct tb_common_packet *packet, const struct edit *edit) {
  const struct tb_packet_common *head = &packet->head;
  const char *from = packet->bytes.ptr, *end = from + packet->bytes.len;
  size_t len = packet->bytes.len;
  if (edit->what & MOVE)
    len += tb_wire_varint_size(edit->timestamp) - (size_t)(head->timestamp_end - head->timestamp_at - 1);
  if (edit->what & RENUMBER)
    len += tb_wire_varint_size(edit->sequence) - (size_t)(head->sequence_end - head->sequence_at - 1);
  to = tb_wire_put_varint(tb_wire_put_tag(to, TB_TRACE_PACKET, TB_WIRE_BYTES), len);
  if (edit->what & MOVE) {
    to = copy_with(to, from, head->timestamp_at, edit->timestamp);
    from = head->timestamp_end;
  }
  if (edit->what & RENUMBER) {
    to = copy_with(to, from, head->sequence_at, edit->sequence);
    from = head->sequence_end;
  }
  return copy_ahead(to, from, (size_t)(end - from));
}

/* Packets written since, and where the next one goes in the output: [to, end) is reserved, [start, to) is written. */
struct run {
  uint64_t packets, changed, moved, unresolved;
  char *start, *to, *end;
};

static enum tb_status get_room(struct tb_merger *m, struct run *run) {
  tb_output_commit(m->output, (size_t)(run->to - run->start));
  run->start = run->to = tb_output_reserve(m->output, PACKET_MOST + ROOM, &m->error);
  run->end = run->start ? run->start + PACKET_MOST + ROOM : NULL;
  return run->start ? TB_OK : m->error.code;
}

static void end_run(struct tb_merger *m, struct tb_source *s, const struct run *run) {
  tb_output_commit(m->output, (size_t)(run->to - run->start));
  s->packets_out += run->packets;
  s->packets_unchanged += run->packets - run->changed;
  s->remap.times_changed += run->moved;
  m->report->summary.packets_out += run->packets;
  tb_source_report(m, s)->unresolved_times += run->unresolved;
}

/* Writes the packet; its merged time counts where `resolved`. There is room. */
static TB_ALWAYS_INLINE void put(struct run *run, const struct tb_common_packet *packet, const struct lane *lane,
                                 bool resolved, int64_t merged) {
  const struct tb_packet_common *head = &packet->head;
  struct edit edit = {.timestamp = merged < 0 ? 0 : (uint64_t)merged, .sequence = lane->id};
  run->packets++;
  if (lane->what & MOVE && resolved && edit.timestamp != head->timestamp) edit.what |= MOVE;
  if (lane->what & RENUMBER && head->sequence_end) edit.what |= RENUMBER;
  if (!edit.what) {
    run->to = copy_ahead(run->to, packet->framed.ptr, packet->framed.len);
    return;
  }
  run->moved += edit.what & MOVE;
  run->changed++;
  run->to = put_edited(run->to, packet, &edit);
}

static TB_ALWAYS_INLINE bool leaves(const struct tb_merger *m, const struct tb_source *s,
                                    const struct tb_common_packet *packet, const struct lane *lane) {
  return !lane->leave && packet->framed.len <= PACKET_MOST &&
         (!s->untouched ? tb_rewrite_leaves_event(&m->fields, packet->head.payload)
                        : !s->numbered || tb_rewrite_is_on_none(s->numbered, s->numbered_end, packet->head.payload));
}

bool tb_write_common_current(struct tb_merger *m, struct tb_source *s, enum tb_status *status) {
  struct lane lane;
  struct run run = {0};
  find_lane(m, s, s->common.head.sequence, &lane);
  if (!lane.events.sequence || !leaves(m, s, &s->common, &lane)) return false;
  *status = get_room(m, &run);
  if (*status != TB_OK) return true;
  put(&run, &s->common, &lane, s->time.resolved, s->merged);
  end_run(m, s, &run);
  return true;
}

/* The packet that starts at `at`, read once more: were it copied, all of each packet would be kept at hand while
 * packets are written. */
static __attribute__((noinline)) void make_current(struct tb_source *s, struct tb_packet_tokenizer *stream,
                                                   const char *at, const struct lane *lane, bool resolved,
                                                   int64_t merged) {
  stream->at = at;
  s->is_common = tb_packet_tokenizer_take_common(stream, &s->common);
  s->packets_in++;
  s->sequence = lane->events.sequence;
  s->time = (struct tb_merge_packet_time){.clock = lane->events.clock,
                                          .default_clock = lane->events.default_clock,
                                          .fitted = lane->events.fitted,
                                          .resolved = resolved};
  s->merged = merged;
}

/* When a packet was that was at `time` on its input's trace clock, on the merged one, and how far the input is then. */
static TB_ALWAYS_INLINE int64_t merge_time(const struct tb_source *s, int64_t ahead, int64_t time, int64_t *reached) {
  int64_t merged = tb_source_time(s, 0, time), at = ahead ? tb_time_subtract(merged, ahead) : merged;
  if (at > *reached) *reached = at;
  return merged;
}

__attribute__((noinline)) enum tb_status tb_write_common(struct tb_merger *m, struct tb_source *s, int64_t limit,
                                                         bool *at_next) {
  struct tb_packet_tokenizer *stream = tb_raw_packet_reader_stream(s->packets);
  struct tb_packet_cursor packets = tb_packet_tokenizer_open_cursor(stream);
  struct tb_common_packet packet;
  struct lane lane = {.events.id = TB_EVENT_CLOCK_NONE};
  struct run run = {0};
  enum tb_status status = TB_OK;
  int64_t ahead = s->realigned ? tb_source_merged_ahead(s, 0) : 0, reached = s->reached, merged = 0;
  bool resolved = false;
  *at_next = false;
  while (tb_packet_cursor_take(&packets, &packet)) {
    const struct tb_packet_common *head = &packet.head;
    int64_t time;
    if (lane.events.id != head->sequence) {
      leave_lane(&lane);
      enter_lane(m, s, head->sequence, &lane);
      if (!lane.events.sequence) {
        status = tb_fail(&m->error, TB_NO_MEMORY, TB_NO_OFFSET, "%s", tb_status_text(TB_NO_MEMORY));
        break;
      }
    }
    resolved = head->timestamp_at &&
               tb_input_clocks_read_at_cursor(&s->prescan.clocks, &lane.events, &lane.clock, head->timestamp, &time);
    if (resolved)
      merged = merge_time(s, ahead, lane.last = time, &reached);
    else
      run.unresolved += head->timestamp_at != NULL;
    if (reached > limit || run.packets == RUN_MOST || !leaves(m, s, &packet, &lane)) {
      *at_next = true;
      break;
    }
    if ((size_t)(run.end - run.to) < packet.framed.len + ROOM && (status = get_room(m, &run)) != TB_OK) break;
    put(&run, &packet, &lane, resolved, merged);
  }
  s->reached = reached;
  leave_lane(&lane);
  tb_packet_tokenizer_close_cursor(stream, &packets);
  if (*at_next) make_current(s, stream, packet.framed.ptr, &lane, resolved, resolved ? merged : 0);
  s->packets_in += run.packets;
  end_run(m, s, &run);
  return status;
}
