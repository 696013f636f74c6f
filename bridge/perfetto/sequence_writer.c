/* SPDX-License-Identifier: Apache-2.0
 *
 * One strand as a packet sequence: slices nested, times as differences on an incremental clock, everything else as the
 * strand's bodies have it.
 */
#include "base/error.h"
#include "perfetto/fields.h"
#include "perfetto/wire.h"
#include "perfetto/writer_state.h"
#include "timeline/matching.h"
#include "timeline/nesting.h"

enum { FIRST_SEQUENCE_ID = 2, NEEDS_STATE = 2, HEAD_ROOM = 128, FLOW_BYTES = 2 + 8 };

struct sequence_writer {
  struct tb_perfetto_writer *p;
  struct tb_sequence *sequence;
  uint32_t index, id;
  char id_field[8]; /* the packets' field with the sequence's id */
  size_t id_len;
  int64_t last_ts, last_thread_time;
  bool instants_as_moments; /* see tb_nesting */
  uint64_t side_uuid;       /* of the track beside a thread's own, 0: none yet */
  uint64_t *lane_uuids;     /* by lane */
  size_t lane_capacity;
  size_t written[TB_INTERNED_KINDS];
  const struct tb_slice_flow *flow, *flow_end; /* those of the slices that are still to come */
  struct tb_buffer extra;                      /* fields that are added to a body */
  struct tb_slice entry_name;                  /* of the entry in hand: see pool() */
};

struct event_head {
  int64_t ts;
  bool has_track; /* else the sequence's default */
  uint64_t track;
  uint32_t type;
  bool has_thread_time;
  int64_t thread_time;
};

static enum tb_status no_memory(struct sequence_writer *w) {
  return tb_fail(&w->p->writer->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
}

/* ---- packets --------------------------------------------------------------------------------------------------------------------------- */

/* What stands before the body: all but its bytes. `at` has room for HEAD_ROOM bytes. */
static char *put_head(struct sequence_writer *w, char *at, const struct event_head *head, size_t fields_len) {
  uint64_t counter = 0;
  size_t event_len = 2 + fields_len;
  if (head->has_track) event_len += 1 + tb_wire_varint_size(head->track);
  if (head->has_thread_time) {
    int64_t time = w->sequence->thread_times_in_us ? head->thread_time / 1000 : head->thread_time;
    counter = (uint64_t)time - (uint64_t)w->last_thread_time;
    w->last_thread_time = time;
    event_len += 1 + tb_wire_varint_size(counter);
  }
  uint64_t delta = (uint64_t)head->ts - (uint64_t)w->last_ts;
  w->last_ts = head->ts;
  size_t packet_len = 1 + tb_wire_varint_size(delta) + w->id_len + 2 + 1 + tb_wire_varint_size(event_len) + event_len;
  at = tb_wire_put_varint(tb_wire_put_tag(at, TB_TRACE_PACKET, TB_WIRE_BYTES), packet_len);
  at = tb_wire_put_uint(at, TB_TRACE_PACKET_TIMESTAMP, delta);
  memcpy(at, w->id_field, sizeof(w->id_field));
  at += w->id_len;
  at = tb_wire_put_uint(at, TB_TRACE_PACKET_SEQUENCE_FLAGS, NEEDS_STATE);
  at = tb_wire_put_varint(tb_wire_put_tag(at, TB_TRACE_PACKET_TRACK_EVENT, TB_WIRE_BYTES), event_len);
  at = tb_wire_put_uint(at, TB_TRACK_EVENT_TYPE, head->type);
  if (head->has_track) at = tb_wire_put_uint(at, TB_TRACK_EVENT_TRACK_UUID, head->track);
  if (head->has_thread_time) at = tb_wire_put_uint(at, TB_TRACK_EVENT_EXTRA_COUNTER_VALUES, counter);
  return at;
}

static char *put_bytes(char *at, struct tb_slice bytes) {
  if (bytes.len) memcpy(at, bytes.ptr, bytes.len);
  return at + bytes.len;
}

/* Writes a packet with a TrackEvent: its head, the fields in `fields` (of the counter, of flows), the body, and what is in w->extra. */
static enum tb_status put_packet(struct sequence_writer *w, const struct event_head *head, struct tb_slice fields,
                                 struct tb_slice body) {
  struct tb_slice extra = {w->extra.data, w->extra.len};
  size_t rest = fields.len + body.len + extra.len;
  w->extra.len = 0;
  char *start = tb_packet_sink_reserve(&w->p->sink, HEAD_ROOM + rest);
  if (start) {
    char *at = put_head(w, start, head, rest);
    at = put_bytes(put_bytes(put_bytes(at, fields), body), extra);
    tb_packet_sink_commit(&w->p->sink, (size_t)(at - start));
    return TB_OK;
  }
  if (w->p->writer->error.code != TB_OK) return w->p->writer->error.code;
  struct tb_buffer *whole = &w->p->scratch;
  whole->len = 0;
  if (tb_buffer_reserve(whole, HEAD_ROOM + rest) != TB_OK) return no_memory(w);
  char *at = put_head(w, whole->data, head, rest);
  at = put_bytes(put_bytes(put_bytes(at, fields), body), extra);
  return tb_packet_sink_put(&w->p->sink, whole->data, (size_t)(at - whole->data), (struct tb_slice){NULL, 0});
}

/* Adds {trace_event: {ph}} to the next packet. */
static enum tb_status carry_phase(struct sequence_writer *w, char phase) {
  if (tb_buffer_reserve(&w->extra, TB_CARRIED_PHASE_MAX) != TB_OK) return no_memory(w);
  char *end = tb_encode_carried_phase(&w->p->encoder, &w->sequence->uses, w->extra.data + w->extra.len, phase);
  if (!end) return no_memory(w);
  w->extra.len = (size_t)(end - w->extra.data);
  return tb_perfetto_write_interned(w->p, w->id, &w->sequence->uses, w->written);
}

/* ---- flows ------------------------------------------------------------------------------------------------------------------------------ */

static char *put_flow(char *at, const struct tb_slice_flow *flow) {
  return tb_wire_put_fixed64(at, flow->terminating ? TB_TRACK_EVENT_TERMINATING_FLOW_IDS : TB_TRACK_EVENT_FLOW_IDS,
                             flow->id);
}

/* Adds the flows of the slice that begins at `place` to the next packet. */
static enum tb_status add_flows(struct sequence_writer *w, size_t place) {
  while (w->flow < w->flow_end && w->flow->place < place) w->flow++;
  for (; w->flow < w->flow_end && w->flow->place == place; w->flow++) {
    if (w->flow->at_end) continue;
    if (tb_buffer_reserve(&w->extra, FLOW_BYTES) != TB_OK) return no_memory(w);
    w->extra.len = (size_t)(put_flow(w->extra.data + w->extra.len, w->flow) - w->extra.data);
  }
  return TB_OK;
}

static const struct tb_slice_flow *first_flow(const struct tb_flows *flows, uint32_t strand, uint64_t place) {
  size_t low = 0, high = flows->slice_count;
  while (low < high) {
    size_t mid = low + (high - low) / 2;
    const struct tb_slice_flow *f = &flows->slices[mid];
    if (f->strand < strand || (f->strand == strand && f->place < place))
      low = mid + 1;
    else
      high = mid;
  }
  return flows->slices ? flows->slices + low : NULL;
}

static enum tb_status add_end_flows(struct sequence_writer *w, size_t place) {
  if (!w->p->flows.any_at_end) return TB_OK;
  const struct tb_slice_flow *f = first_flow(&w->p->flows, w->index, place);
  for (; f < w->flow_end && f->place == place; f++) {
    if (!f->at_end) continue;
    if (tb_buffer_reserve(&w->extra, FLOW_BYTES) != TB_OK) return no_memory(w);
    w->extra.len = (size_t)(put_flow(w->extra.data + w->extra.len, f) - w->extra.data);
  }
  return TB_OK;
}

/* ---- tracks ------------------------------------------------------------------------------------------------------------------------------- */

static bool is_shared(const struct sequence_writer *w) { return w->index == TB_SHARED_SEQUENCE; }

/* The uuid of a new lane: its track's own for the first lane of a track, else that of a new track. */
static enum tb_status new_lane(struct sequence_writer *w, const struct tb_lane *lane, uint64_t *uuid) {
  struct tb_perfetto_writer *p = w->p;
  if (!is_shared(w)) {
    if (lane->number == 0) return TB_OK; /* the default track */
    *uuid = ++p->next_uuid;
    return tb_perfetto_write_lane(p, *uuid, w->sequence->track->track, TB_SLICE("overlapping slices"));
  }
  const struct tb_pool *pool = &p->pools[lane->pool];
  if (pool->class == TB_KEY_TRACK && lane->number == 0) {
    *uuid = pool->home ? p->tracks[pool->home->index].uuid : 0;
    return TB_OK;
  }
  *uuid = ++p->next_uuid;
  return tb_perfetto_write_lane(p, *uuid, pool->home,
                                pool->class == TB_KEY_TRACK ? TB_SLICE("overlapping slices") : pool->name);
}

static enum tb_status lane_track(struct sequence_writer *w, const struct tb_lane *lane, uint32_t index,
                                 struct event_head *head) {
  size_t before = w->lane_capacity;
  void *uuids = w->lane_uuids;
  if (tb_grow_array(w->p->allocator, &uuids, &w->lane_capacity, (size_t)index + 1, sizeof(*w->lane_uuids),
                    UINT32_MAX) != TB_OK)
    return no_memory(w);
  w->lane_uuids = uuids;
  for (size_t i = before; i < w->lane_capacity; i++) w->lane_uuids[i] = UINT64_MAX;
  if (w->lane_uuids[index] == UINT64_MAX) {
    w->lane_uuids[index] = 0;
    enum tb_status status = new_lane(w, lane, &w->lane_uuids[index]);
    if (status != TB_OK) return status;
  }
  head->track = w->lane_uuids[index];
  head->has_track = is_shared(w) || head->track;
  return TB_OK;
}

/* Whether the lane is one for slices that overlap: their phase is then no longer implied by their track. */
static bool is_overflow(const struct sequence_writer *w, const struct tb_lane *lane) {
  return lane->number > 0 && (!is_shared(w) || w->p->pools[lane->pool].class == TB_KEY_TRACK);
}

/* ---- what nesting tells ----------------------------------------------------------------------------------------------------------------------- */

static struct tb_slice interned_name(const struct tb_perfetto_writer *p, uint32_t iid) {
  return iid ? tb_intern_text(&p->interned.tables[TB_INTERNED_NAMES], iid) : (struct tb_slice){NULL, 0};
}

static enum tb_status pool(void *ctx, const struct tb_entry *root, uint32_t *pool_id) {
  struct sequence_writer *w = ctx;
  *pool_id = 0;
  if (!is_shared(w)) return TB_OK;
  *pool_id = tb_perfetto_pool(w->p, root->key, interned_name(w->p, root->name));
  return *pool_id ? TB_OK : no_memory(w);
}

static enum tb_status begin(void *ctx, const struct tb_entry *entry, size_t place, const struct tb_lane *lane,
                            uint32_t lane_index) {
  struct sequence_writer *w = ctx;
  struct event_head head = {.ts = entry->ts, .has_thread_time = entry->has_thread_ts, .thread_time = entry->thread_ts};
  bool instant = entry->kind == TB_ENTRY_INSTANT || entry->kind == TB_ENTRY_MARK;
  head.type = instant && !w->instants_as_moments ? TB_TRACK_EVENT_TYPE_INSTANT : TB_TRACK_EVENT_TYPE_SLICE_BEGIN;
  enum tb_status status = lane_track(w, lane, lane_index, &head);
  if (status == TB_OK && is_overflow(w, lane) && !instant)
    status = carry_phase(w, entry->kind == TB_ENTRY_BEGIN ? 'B' : 'X');
  if (status == TB_OK && w->instants_as_moments && entry->kind == TB_ENTRY_INSTANT) status = carry_phase(w, 'i');
  if (status == TB_OK && w->flow < w->flow_end) status = add_flows(w, place);
  return status == TB_OK ? put_packet(w, &head, (struct tb_slice){NULL, 0}, entry->body) : status;
}

/* What an END says so that readers end the right slice: the name and the categories of its BEGIN. */
static enum tb_status add_label(struct sequence_writer *w, const struct tb_open_slice *slice) {
  struct tb_wire_cursor cursor = tb_wire_cursor(slice->body);
  struct tb_wire_field field;
  while (tb_wire_next(&cursor, &field) == TB_OK &&
         (field.number == TB_TRACK_EVENT_NAME_IID || field.number == TB_TRACK_EVENT_CATEGORY_IIDS))
    if (tb_buffer_append(&w->extra, field.start, (size_t)(cursor.at - field.start)) != TB_OK) return no_memory(w);
  return TB_OK;
}

static enum tb_status end(void *ctx, int64_t ts, const struct tb_entry *entry, const struct tb_open_slice *slice,
                          bool innermost, bool cut, const struct tb_lane *lane, uint32_t lane_index) {
  struct sequence_writer *w = ctx;
  struct event_head head = {.ts = ts, .type = TB_TRACK_EVENT_TYPE_SLICE_END};
  struct tb_slice body = slice->end_body;
  if (entry) {
    head.has_thread_time = entry->has_thread_ts;
    head.thread_time = entry->thread_ts;
    body = entry->body;
  } else if (slice->complete) {
    head.has_thread_time = slice->has_thread_end;
    head.thread_time = slice->thread_end;
  }
  enum tb_status status = lane_track(w, lane, lane_index, &head);
  if (status == TB_OK && !innermost) status = add_label(w, slice);
  if (cut)
    tb_losses_add(&w->p->writer->losses,
                  "slices cut short: they overlap others, which the memory budget leaves no room to sort out", 0);
  if (status == TB_OK) status = add_end_flows(w, slice->place);
  return status == TB_OK ? put_packet(w, &head, (struct tb_slice){NULL, 0}, body) : status;
}

/* The track beside the strand's own. */
static enum tb_status side_track(struct sequence_writer *w, const struct tb_track *home, uint64_t *uuid) {
  if (is_shared(w) || !w->side_uuid) {
    w->side_uuid = ++w->p->next_uuid;
    enum tb_status status = tb_perfetto_write_lane(w->p, w->side_uuid, home, TB_SLICE("other events"));
    if (status != TB_OK) return status;
  }
  *uuid = w->side_uuid;
  return TB_OK;
}

static char stray_phase(const struct sequence_writer *w, const struct tb_entry *entry) {
  if (!is_shared(w)) return 'E';
  switch (w->p->keys[entry->key].class) {
    case TB_KEY_ASYNC:
      return 'e';
    case TB_KEY_LEGACY_ASYNC:
      return 'F';
    case TB_KEY_OBJECT:
      return 'D';
    case TB_KEY_CONTEXT:
      return ')';
    default:
      return 'E';
  }
}

static enum tb_status stray(void *ctx, const struct tb_entry *entry) {
  struct sequence_writer *w = ctx;
  struct event_head head = {.ts = entry->ts, .has_track = true, .type = TB_TRACK_EVENT_TYPE_INSTANT};
  const struct tb_track *home = is_shared(w) ? w->p->keys[entry->key].home : w->sequence->track->track;
  enum tb_status status = side_track(w, home, &head.track);
  if (status == TB_OK) status = carry_phase(w, stray_phase(w, entry));
  if (status != TB_OK) return status;
  char name[1 + TB_WIRE_VARINT_MAX];
  size_t name_len = entry->name ? (size_t)(tb_wire_put_uint(name, TB_TRACK_EVENT_NAME_IID, entry->name) - name) : 0;
  if (entry->categories) {
    const struct tb_category_list *list = &w->p->interned.list_entries[entry->categories - 1];
    if (tb_buffer_append(&w->extra, list->encoded, list->encoded_len) != TB_OK) return no_memory(w);
  }
  return put_packet(w, &head, (struct tb_slice){name, name_len}, entry->body);
}

/* ---- counters ------------------------------------------------------------------------------------------------------------------------------------- */

/* A packet with another payload than a TrackEvent. */
static enum tb_status put_payload(struct sequence_writer *w, int64_t ts, uint32_t field, struct tb_slice payload) {
  char fields[HEAD_ROOM];
  struct tb_buffer *whole = &w->p->scratch;
  char *at = tb_wire_put_uint(fields, TB_TRACE_PACKET_TIMESTAMP, (uint64_t)ts - (uint64_t)w->last_ts);
  at = put_bytes(at, (struct tb_slice){w->id_field, w->id_len});
  at = tb_wire_put_uint(at, TB_TRACE_PACKET_SEQUENCE_FLAGS, NEEDS_STATE);
  at = tb_wire_put_varint(tb_wire_put_tag(at, field, TB_WIRE_BYTES), payload.len);
  w->last_ts = ts;
  whole->len = 0;
  if (tb_buffer_append(whole, fields, (size_t)(at - fields)) != TB_OK ||
      tb_buffer_append(whole, payload.ptr, payload.len) != TB_OK)
    return no_memory(w);
  return tb_packet_sink_put_fields(&w->p->sink, (struct tb_slice){whole->data, whole->len});
}

static enum tb_status put_counter(struct sequence_writer *w, const struct tb_entry *entry) {
  if (w->p->keys[entry->key].class == TB_KEY_KERNEL)
    return put_payload(w, entry->ts, TB_TRACE_PACKET_GENERIC_KERNEL_TASK_STATE_EVENT, entry->body);
  struct tb_key *key = &w->p->keys[entry->key];
  struct event_head head = {
      .ts = entry->ts, .has_track = true, .track = key->uuid, .type = TB_TRACK_EVENT_TYPE_COUNTER};
  uint64_t bits;
  memcpy(&bits, entry->body.ptr + 1, sizeof(bits));
  char value[2 + TB_WIRE_VARINT_MAX];
  char *end;
  if (entry->body.ptr[0]) {
    end = tb_wire_put_fixed64(value, TB_TRACK_EVENT_DOUBLE_COUNTER_VALUE, bits);
  } else {
    uint64_t base = key->incremental ? (uint64_t)key->last_value : 0;
    end = tb_wire_put_uint(value, TB_TRACK_EVENT_COUNTER_VALUE, bits - base);
    key->last_value = (int64_t)bits;
  }
  struct tb_slice rest = {entry->body.ptr + 1 + sizeof(bits), entry->body.len - 1 - sizeof(bits)};
  return put_packet(w, &head, (struct tb_slice){value, (size_t)(end - value)}, rest);
}

/* ---- the sequence -------------------------------------------------------------------------------------------------------------------------------------- */

/* The strand's index with matches, where its slices do not nest as they come. */
static enum tb_status prepare(struct sequence_writer *w, bool *matched) {
  struct tb_strand *s = &w->sequence->strand;
  *matched = !s->run_count && (s->tangled || (!s->sorted && s->has_begin));
  if (!*matched) return TB_OK;
  enum tb_status status = tb_strand_index(s);
  if (status == TB_OK) status = tb_match_slices(s, is_shared(w) ? (uint32_t)w->p->key_count + 1 : 1);
  return status == TB_OK ? TB_OK : no_memory(w);
}

static enum tb_status put_start(struct sequence_writer *w, int64_t ts) {
  struct tb_perfetto_writer *p = w->p;
  uint64_t track = is_shared(w) ? 0 : w->sequence->track->uuid, counter = 0;
  if (w->sequence->strand.has_thread_times && !is_shared(w)) {
    counter = ++p->next_uuid;
    enum tb_status status = tb_perfetto_write_thread_time_track(p, counter, track, w->sequence->thread_times_in_us);
    if (status != TB_OK) return status;
  }
  w->last_ts = ts;
  enum tb_status status = tb_perfetto_write_sequence_start(p, w->id, ts, track, counter);
  return status == TB_OK ? tb_perfetto_write_interned(p, w->id, &w->sequence->uses, w->written) : status;
}

static enum tb_status put_entries(struct sequence_writer *w, struct tb_strand_cursor *cursor,
                                  struct tb_nesting *nesting) {
  struct tb_entry entry;
  enum tb_status status;
  struct tb_error *error = &w->p->writer->error;
  while ((status = tb_strand_next(cursor, &entry, error)) == TB_OK) {
    if (cursor->place == 1) status = put_start(w, entry.ts);
    if (status != TB_OK) return status;
    if (entry.kind == TB_ENTRY_FLOW) continue;
    if (is_shared(w)) entry.key = tb_perfetto_resolve_key(w->p, entry.key);
    status = entry.kind == TB_ENTRY_COUNTER ? tb_nesting_advance(nesting, entry.ts)
                                            : tb_nesting_put(nesting, &entry, cursor->place - 1);
    if (status == TB_OK && entry.kind == TB_ENTRY_COUNTER) status = put_counter(w, &entry);
    if (status != TB_OK) return status;
  }
  return status == TB_END ? tb_nesting_finish(nesting) : status;
}

enum tb_status tb_perfetto_write_sequence(struct tb_perfetto_writer *p, uint32_t index) {
  struct sequence_writer w = {.p = p, .sequence = p->sequences[index], .index = index, .id = index + FIRST_SEQUENCE_ID};
  if (w.sequence->strand.total == 0) return TB_OK;
  w.id_len = (size_t)(tb_wire_put_uint(w.id_field, TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, w.id) - w.id_field);
  bool matched;
  struct tb_strand_cursor cursor = {0};
  tb_buffer_init(&w.extra, p->allocator, 0);
  w.flow = first_flow(&p->flows, index, 0);
  w.flow_end = p->flows.slices ? first_flow(&p->flows, index + 1, 0) : NULL;
  enum tb_status status = prepare(&w, &matched);
  const struct tb_nesting_sink sink = {.ctx = &w, .pool = pool, .begin = begin, .end = end, .stray = stray};
  struct tb_nesting nesting;
  tb_nesting_init(&nesting, &w.sequence->strand, matched, is_shared(&w) ? (uint32_t)p->key_count + 1 : 1, &sink);
  /* The trace processor gives an instant with a thread time a thread duration too, which JSON's have not: a slice without one has none */
  w.instants_as_moments = nesting.instants_as_moments = w.sequence->strand.has_thread_times;
  if (status == TB_OK) status = tb_strand_open(&w.sequence->strand, p->spill, &cursor, &p->writer->error);
  if (status == TB_OK) status = put_entries(&w, &cursor, &nesting);
  tb_strand_close(&cursor);
  tb_nesting_free(&nesting);
  tb_strand_free(&w.sequence->strand);
  tb_buffer_free(&w.extra);
  tb_free(p->allocator, w.lane_uuids, w.lane_capacity * sizeof(*w.lane_uuids));
  return status;
}
