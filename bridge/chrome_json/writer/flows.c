/* SPDX-License-Identifier: Apache-2.0
 *
 * Flows of slices and instants. Where all that a flow joins is on threads it becomes s, t and f events, which readers
 * bind to the slice that encloses them; where one end is on another track, its events name the flow themselves
 * (`bind_id`), of which an event has room for one only.
 *
 * Which it is, and what each point of a flow is (its start, a step, its end), is known only when all points are. So
 * events with flows are deferred as text, and are written last.
 */
#include "base/error.h"
#include "chrome_json/writer/writer.h"
#include "model/flow_source.h"

enum { READ_BYTES = 64 * 1024, CHAIN_MAX = 1 << 28 };

/* Keeps v2 ids apart from v1 ids, which readers count in the same space. */
#define FIRST_BIND_ID ((uint64_t)1 << 40)

static void keep(struct tb_json_writer *w, const struct tb_event *event, int64_t at, uint64_t number) {
  struct tb_json_flow_point point = {.ts = event->ts,
                                     .at = at,
                                     .event = number,
                                     .pid = event->track->pid,
                                     .tid = event->track->tid,
                                     .on_thread = event->track->type == TB_TRACK_THREAD};
  enum tb_status status = TB_OK;
  for (uint32_t i = 0; status == TB_OK && i < event->flow_count; i++) {
    point.flow = event->flow_ids[i];
    status = tb_json_flow_sorter_add(&w->flows, &point, &w->writer->error);
  }
  point.ends = true;
  for (uint32_t i = 0; status == TB_OK && i < event->terminating_flow_count; i++) {
    point.flow = event->terminating_flow_ids[i];
    status = tb_json_flow_sorter_add(&w->flows, &point, &w->writer->error); /* a failure is in the writer's error */
  }
}

bool tb_json_has_flows(const struct tb_event *event) {
  return (event->flow_count || event->terminating_flow_count) && tb_flow_source(event) != TB_FLOWS_DUPLICATED_BY_NAME;
}

uint64_t tb_json_keep_flows(struct tb_json_writer *w, const struct tb_event *event) {
  if (!tb_json_has_flows(event)) return 0;
  /* at the very time of an end readers see the slice around it */
  bool ends = event->type == TB_EVENT_SLICE_END && event->ts > INT64_MIN;
  keep(w, event, event->ts - ends, ++w->flow_events);
  return w->flow_events;
}

uint64_t tb_json_keep_end_flows(struct tb_json_writer *w, const struct tb_event *end, int64_t begin, uint64_t number) {
  if (!tb_json_has_flows(end)) return number;
  if (!number) number = ++w->flow_events;
  keep(w, end, begin, number);
  return number;
}

/* What the spool of deferred objects has of one: this, and the text without the last brace. The text may have more than
 * one line: arguments are kept as they were written. */
struct deferred {
  uint64_t number; /* of its flows */
  size_t len;
  struct tb_json_end end; /* name_len 0: it is none, or its name is certain */
};

static void defer(struct tb_json_writer *w, size_t start, struct deferred head) {
  struct tb_buffer *out = &w->out.buffer;
  if (w->out.status != TB_OK) return;
  if (out->len > start)
    out->data[start] = '{';
  else
    TB_JSON_EMIT(&w->out, "{");
  head.len = out->len - start;
  enum tb_status status = tb_spool_add(&w->deferred, &head, sizeof(head), &w->writer->error);
  if (status == TB_OK) status = tb_spool_add(&w->deferred, out->data + start, head.len, &w->writer->error);
  if (status != TB_OK) return; /* the failure is in the writer's error */
  tb_json_object_cancel(w, start);
}

void tb_json_defer_object(struct tb_json_writer *w, size_t start, uint64_t number) {
  defer(w, start, (struct deferred){.number = number});
}

void tb_json_defer_end(struct tb_json_writer *w, const struct tb_json_end *end) {
  defer(w, end->at, (struct deferred){.end = *end});
}

/* ---- chains: the points of a flow from its start to its end ------------------------------------------------------ */

/* An event that names a flow itself, by its number; neighbours and path are numbers of events, 0 for none. One event
 * can take part in one path only, but chains that meet in it, one ending and one starting there, are one path to
 * readers. */
struct binding {
  uint64_t before, after;
  uint64_t path; /* its first event */
};

struct chains {
  struct tb_json_writer *w;
  struct tb_json_flow_point *points; /* of the current chain */
  size_t count, capacity;
  uint64_t id;
  bool binding_time;        /* the first walk: chains that leave the threads are bound; the second writes the others */
  struct binding *bindings; /* by number of the event, from 1; made when the first is needed */
  size_t binding_count;
};

static void write_point(struct tb_json_writer *w, const struct tb_json_flow_point *point, uint64_t id, char phase) {
  size_t start = tb_json_object_begin(w);
  TB_JSON_EMIT(&w->out, ",\"name\":\"flow\",\"cat\":\"flow\"");
  tb_json_emit_phase(&w->out, phase);
  TB_JSON_EMIT(&w->out, ",\"ts\":");
  tb_json_emit_micros(&w->out, point->at);
  TB_JSON_EMIT(&w->out, ",\"pid\":");
  tb_json_emit_int(&w->out, point->pid);
  TB_JSON_EMIT(&w->out, ",\"tid\":");
  tb_json_emit_int(&w->out, point->tid);
  TB_JSON_EMIT(&w->out, ",\"id\":");
  tb_json_emit_uint(&w->out, id);
  if (phase == 'f') TB_JSON_EMIT(&w->out, ",\"bp\":\"e\"");
  tb_json_object_end(w, start, 0);
  w->writer->summary.flows += phase == 's';
}

static enum tb_status write_points(struct chains *c) {
  for (size_t i = 0; i < c->count; i++) {
    if (i && c->points[i].at < c->points[i - 1].at) c->points[i].at = c->points[i - 1].at; /* readers go by time */
    bool ends = c->points[i].ends || (i > 0 && i + 1 == c->count);
    write_point(c->w, &c->points[i], c->id, ends ? 'f' : i ? 't' : 's');
    enum tb_status status = tb_json_flush_some(c->w);
    if (status != TB_OK) return status;
  }
  return TB_OK;
}

static enum tb_status bind_points(struct chains *c) {
  static const struct tb_event nowhere = {.offset = TB_NO_OFFSET};
  if (!c->bindings) {
    if (c->w->flow_events > CHAIN_MAX) return tb_json_fail(c->w, TB_LIMIT);
    c->binding_count = (size_t)c->w->flow_events + 1;
    c->bindings = tb_calloc(c->w->writer->allocator, c->binding_count * sizeof(*c->bindings));
    if (!c->bindings) return tb_json_fail(c->w, TB_NO_MEMORY);
  }
  for (size_t i = 1; i < c->count; i++) {
    uint64_t from = c->points[i - 1].event, to = c->points[i].event;
    if (from == to) continue;
    if (c->bindings[from].after || c->bindings[to].before) {
      tb_json_lose(c->w, "a further flow of a slice that is joined with one on no thread", &nowhere);
    } else {
      c->bindings[from].after = to;
      c->bindings[to].before = from;
    }
  }
  return TB_OK;
}

static enum tb_status end_chain(struct chains *c) {
  bool on_threads = true;
  if (!c->binding_time) c->id++;
  for (size_t i = 0; i < c->count; i++) on_threads = on_threads && c->points[i].on_thread;
  enum tb_status status = TB_OK;
  if (c->binding_time && !on_threads) status = bind_points(c);
  if (!c->binding_time && on_threads) status = write_points(c);
  c->count = 0;
  return status;
}

static enum tb_status take_point(void *ctx, const struct tb_json_flow_point *point, bool last) {
  struct chains *c = ctx;
  void *points = c->points;
  enum tb_status status =
      tb_grow_array(c->w->writer->allocator, &points, &c->capacity, c->count + 1, sizeof(*c->points), CHAIN_MAX);
  c->points = points;
  if (status != TB_OK) return tb_json_fail(c->w, status);
  c->points[c->count++] = *point;
  return last || point->ends ? end_chain(c) : TB_OK;
}

/* ---- the events that were deferred ------------------------------------------------------------------------------ */

static void number_paths(struct chains *c) {
  for (size_t i = 1; i < c->binding_count; i++) {
    if (c->bindings[i].before || !c->bindings[i].after) continue;
    for (uint64_t at = i; at; at = c->bindings[at].after) c->bindings[at].path = i;
  }
}

static enum tb_status write_deferred(struct chains *c, const struct deferred *head, struct tb_str text) {
  struct tb_json_writer *w = c->w;
  uint64_t number = head->number;
  bool unnamed = head->end.name_len && w->tracks[head->end.track].back_to < head->end.ts;
  size_t name_len = unnamed ? head->end.name_len : 0; /* behind the brace */
  static const struct binding none = {0};
  const struct binding *binding = number < c->binding_count ? &c->bindings[number] : &none;
  size_t start = tb_json_object_begin(w);
  tb_json_emit_raw(&w->out, text.ptr, 1);
  tb_json_emit_raw(&w->out, text.ptr + 1 + name_len, text.len - 1 - name_len);
  if (binding->path) {
    TB_JSON_EMIT(&w->out, ",\"bind_id\":");
    char *at = tb_json_emit_room(&w->out, TB_JSON_INTEGER_MAX);
    if (at) tb_json_emit_end(&w->out, tb_json_put_hex(at, FIRST_BIND_ID + binding->path));
    if (binding->before) TB_JSON_EMIT(&w->out, ",\"flow_in\":true");
    if (binding->after) TB_JSON_EMIT(&w->out, ",\"flow_out\":true");
    w->writer->summary.flows += binding->after != 0;
  }
  tb_json_object_end(w, start, 0);
  return tb_json_flush_some(w);
}

/* What was read of the spool of deferred objects; `text` has what is before `at`, and was taken up to `used`. */
struct deferred_text {
  struct tb_buffer *text;
  size_t used;
  uint64_t at;
};

/* Reads on where less than `needed` bytes are left. */
static enum tb_status read_on(struct tb_json_writer *w, struct deferred_text *read, size_t needed) {
  struct tb_buffer *text = read->text;
  size_t have = text->len - read->used;
  if (have >= needed) return TB_OK;
  if (have) memmove(text->data, text->data + read->used, have);
  text->len = have;
  read->used = 0;
  uint64_t left = tb_spool_size(&w->deferred) - read->at;
  size_t n = left < READ_BYTES ? (size_t)left : READ_BYTES;
  if (n < needed - have) n = needed - have;
  enum tb_status status = tb_buffer_reserve(text, n);
  if (status != TB_OK) return tb_json_fail(w, status);
  status = tb_spool_read(&w->deferred, read->at, text->data + text->len, n, &w->writer->error);
  text->len += n;
  read->at += n;
  return status;
}

static enum tb_status write_all_deferred(struct chains *c) {
  struct deferred_text read = {.text = &c->w->scratch.buffer};
  struct deferred next;
  read.text->len = 0;
  while (read.used < read.text->len || read.at < tb_spool_size(&c->w->deferred)) {
    enum tb_status status = read_on(c->w, &read, sizeof(next));
    if (status != TB_OK) return status;
    memcpy(&next, read.text->data + read.used, sizeof(next));
    read.used += sizeof(next);
    status = read_on(c->w, &read, next.len);
    if (status == TB_OK) status = write_deferred(c, &next, (struct tb_str){read.text->data + read.used, next.len});
    if (status != TB_OK) return status;
    read.used += next.len;
  }
  return TB_OK;
}

/* The points come last: at one time readers bind them to the slice before them. */
enum tb_status tb_json_write_flows(struct tb_json_writer *w) {
  struct chains c = {.w = w, .binding_time = true};
  enum tb_status status = tb_json_flow_sorter_walk(&w->flows, take_point, &c, &w->writer->error);
  if (status == TB_OK) {
    number_paths(&c);
    status = write_all_deferred(&c);
  }
  if (status == TB_OK) {
    c.binding_time = false;
    status = tb_json_flow_sorter_walk(&w->flows, take_point, &c, &w->writer->error);
  }
  tb_free(w->writer->allocator, c.points, c.capacity * sizeof(*c.points));
  tb_free(w->writer->allocator, c.bindings, c.binding_count * sizeof(*c.bindings));
  return status;
}
