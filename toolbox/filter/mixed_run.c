/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/filter/mixed_run.h"

/* A part of a run that is being written. */
struct mixing {
  struct tb_cut *cut;
  struct tb_walk_events passed; /* what of it is behind */
  const char *at, *end;         /* where the next packet is; bytes up to `end` can be read ahead */
  const char *copied;           /* up to here all is written that stays */
  uint64_t pending;             /* ticks that the next packet that stays has to make up for */
};

/* A packet of a run. */
struct run_packet {
  const char *body, *after;
  const char *timestamp_end; /* of the field, which comes first */
  uint64_t timestamp;
};

/* False where it is not at hand. */
static TB_ALWAYS_INLINE bool read_frame(const struct mixing *mixing, struct run_packet *frame) {
  uint64_t len;
  if (mixing->end - mixing->at < TB_PACKET_FRAME_MAX || *mixing->at != TB_WIRE_TAG(TB_TRACE_PACKET, TB_WIRE_BYTES))
    return false;
  frame->body = tb_wire_read_varint_ahead(mixing->at + 1, &len);
  if (!frame->body || len > (uint64_t)(mixing->end - frame->body)) return false;
  frame->after = frame->body + len;
  if ((unsigned char)*frame->body != TB_PACKET_TAG_TIMESTAMP) return false;
  frame->timestamp_end = tb_wire_read_varint_ahead(frame->body + 1, &frame->timestamp);
  return frame->timestamp_end && frame->timestamp_end <= frame->after;
}

/* Writes what stays before the next packet. */
static enum tb_status flush(struct mixing *mixing) {
  struct tb_str bytes = {mixing->copied, (size_t)(mixing->at - mixing->copied)};
  return bytes.len ? tb_walk_write(mixing->cut->walk, bytes) : TB_OK;
}

/* Writes the front of a packet up to its timestamp, which makes up for what is pending. */
static enum tb_status write_front(struct mixing *mixing, const struct run_packet *frame) {
  char front[TB_PACKET_FRAME_MAX + 1 + TB_WIRE_VARINT_MAX];
  uint64_t timestamp = frame->timestamp + mixing->pending;
  size_t rest = (size_t)(frame->after - frame->timestamp_end);
  char *at = tb_wire_put_tag(front, TB_TRACE_PACKET, TB_WIRE_BYTES);
  at = tb_wire_put_varint(at, 1 + tb_wire_varint_size(timestamp) + rest);
  at = tb_wire_put_uint(at, TB_TRACE_PACKET_TIMESTAMP, timestamp);
  enum tb_status status = flush(mixing);
  mixing->pending = 0;
  mixing->copied = frame->timestamp_end;
  return status == TB_OK ? tb_walk_write(mixing->cut->walk, (struct tb_str){front, (size_t)(at - front)}) : status;
}

static enum tb_status take_frames(struct mixing *mixing, const struct tb_event_run *run,
                                  const struct tb_number_set *left_out) {
  struct tb_walk *walk = mixing->cut->walk;
  const bool counts = walk->node && walk->node->incremental;
  const uint64_t end = run->events.first + run->events.count;
  struct run_packet frame;
  enum tb_status status = TB_OK;
  uint32_t dropped = 0;
  uint64_t number = walk->next;
  for (; number < end && status == TB_OK && read_frame(mixing, &frame); number++) {
    bool goes = tb_number_set_has(left_out, number);
    if (goes && run->marked) break;
    if (goes) {
      status = flush(mixing);
      if (counts) mixing->pending += frame.timestamp;
      mixing->copied = frame.after;
      dropped++;
    } else if (mixing->pending) {
      status = write_front(mixing, &frame);
    }
    mixing->passed.ticks += frame.timestamp;
    mixing->at = frame.after;
  }
  if (status == TB_OK) status = flush(mixing);
  mixing->passed.count = (uint32_t)(number - walk->next);
  mixing->passed.bytes = (uint32_t)(mixing->at - walk->plain.at);
  mixing->cut->dropped += dropped;
  mixing->cut->kept += mixing->passed.count - dropped;
  return status;
}

bool tb_mixed_run_take(struct tb_cut *cut, const struct tb_event_run *run, const struct tb_number_set *left_out,
                       enum tb_status *status) {
  struct tb_walk *walk = cut->walk;
  struct tb_walk_events none = {.first = walk->next, .sequence = run->events.sequence};
  if ((run->marked && tb_number_set_has(left_out, walk->next)) || !tb_walk_enter_events(walk, &none) ||
      tb_cut_has_state_pending(cut))
    return false;
  struct mixing mixing = {.cut = cut, .passed = none, .at = walk->plain.at, .end = walk->plain.end};
  mixing.copied = mixing.at;
  *status = tb_cut_take_ticks(cut, &mixing.pending);
  if (*status == TB_OK) *status = take_frames(&mixing, run, left_out);
  if (*status == TB_OK && mixing.pending) *status = tb_cut_leave_ticks_out(cut, mixing.pending);
  if (!mixing.passed.count) return *status != TB_OK;
  (void)tb_walk_pass_events(walk, &mixing.passed);
  return true;
}
