/* SPDX-License-Identifier: Apache-2.0 */
#include "support/fxt_lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tracebridge/info.h"

enum { SHOWN = 8 };

/* ---- one line in the making -------------------------------------------------------------------------------------- */

static void die(const char *why) {
  fprintf(stderr, "%s\n", why);
  abort();
}

static void put(struct tb_buffer *to, const char *text, size_t len) {
  if (tb_buffer_append(to, text, len) != TB_OK) die("out of memory");
}

#define PUT(to, ...)                                                 \
  do {                                                               \
    char put_text[64];                                               \
    int put_len = snprintf(put_text, sizeof(put_text), __VA_ARGS__); \
    put(to, put_text, (size_t)put_len);                              \
  } while (0)

static void put_text(struct tb_buffer *to, const char *before, struct tb_str text) {
  PUT(to, " %s\"", before);
  put(to, text.ptr, text.len);
  put(to, "\"", 1);
}

static void put_arg(struct tb_buffer *to, const struct tb_arg *arg) {
  static const char *const types[] = {"null",    "bool", "int",  "uint",  "double", "string",
                                      "pointer", "koid", "dict", "array", "json",   "blob"};
  put_text(to, "", arg->name);
  PUT(to, ":%s%d=", types[arg->type], arg->width);
  if (arg->type == TB_ARG_STRING || arg->type == TB_ARG_JSON || arg->type == TB_ARG_BLOB)
    put(to, arg->text.ptr, arg->text.len);
  else if (arg->type != TB_ARG_DICT && arg->type != TB_ARG_ARRAY && arg->type != TB_ARG_NULL)
    PUT(to, "%" PRIu64, arg->u);
}

static void put_args(struct tb_buffer *to, const struct tb_arg *args, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (args[i].flags & TB_ARG_DERIVED)
      i += args[i].span - 1;
    else
      put_arg(to, &args[i]);
}

/* Members that no format has a field for; what the types are shows already. */
static void put_extra(struct tb_buffer *to, const struct tb_event *event) {
  for (uint32_t i = 0; i < event->extra_count; i += event->extra[i].span) {
    if (tb_str_equal(event->extra[i].name, TB_STR("fxt_types"))) continue;
    put(to, " +", 2);
    put_args(to, &event->extra[i], event->extra[i].span);
  }
}

static void put_id(struct tb_buffer *to, bool has, int64_t id, struct tb_str text) {
  if (text.len)
    put(to, text.ptr, text.len);
  else if (has)
    PUT(to, "%" PRId64, id);
}

static void put_thread(struct tb_buffer *to, const struct tb_track *track) {
  PUT(to, " in ");
  if (!track) return;
  if (track->has_pid && (track->pid || tb_track_get_details(track)->pid_text.len))
    put_id(to, true, track->pid, tb_track_get_details(track)->pid_text);
  PUT(to, "/");
  put_id(to, track->has_tid && (track->tid || tb_track_get_details(track)->tid_text.len), track->tid,
         tb_track_get_details(track)->tid_text);
}

static void add_line(struct fxt_lines *lines, const struct tb_buffer *text) {
  if (lines->count == lines->capacity) {
    lines->capacity = lines->capacity ? 2 * lines->capacity : 256;
    lines->lines = realloc(lines->lines, lines->capacity * sizeof(*lines->lines));
    if (!lines->lines) die("out of memory");
  }
  char *line = malloc(text->len + 1);
  if (!line) die("out of memory");
  memcpy(line, text->data, text->len);
  line[text->len] = '\0';
  lines->lines[lines->count++] = line;
}

/* ---- slices ------------------------------------------------------------------------------------------------------ */

struct open_slice {
  uint32_t track;
  int64_t ts;
  struct tb_buffer text;
};

/* A point of a flow, or a piece of a Perfetto blob. */
struct point {
  uint64_t id;
  int64_t ts;
  size_t place;
  struct tb_buffer text;
};

struct reading {
  struct fxt_lines *lines;
  struct open_slice *open;
  size_t open_count, open_capacity;
  struct point *points;
  size_t point_count, point_capacity;
  struct tb_buffer packets;
  bool lossy;
};

static void *grow(void *items, size_t *capacity, size_t count, size_t size) {
  if (count < *capacity) return items;
  *capacity = *capacity ? 2 * *capacity : 64;
  items = realloc(items, *capacity * size);
  if (!items) die("out of memory");
  return items;
}

static void put_slice(struct tb_buffer *to, const struct tb_event *event) {
  put_thread(to, event->track);
  put_text(to, "", event->name);
  put_text(to, "of ", event->categories);
  put_args(to, event->args, event->arg_count);
  put_extra(to, event);
}

static void begin(struct reading *r, const struct tb_event *event) {
  r->open = grow(r->open, &r->open_capacity, r->open_count, sizeof(*r->open));
  struct open_slice *slice = &r->open[r->open_count++];
  *slice = (struct open_slice){.track = event->track->index, .ts = event->ts};
  tb_buffer_init(&slice->text, tb_default_allocator(), 0);
  put_slice(&slice->text, event);
}

static void add_slice(struct reading *r, int64_t ts, int64_t end, const struct tb_buffer *text) {
  struct tb_buffer line;
  tb_buffer_init(&line, tb_default_allocator(), 0);
  PUT(&line, "slice %" PRId64 " to %" PRId64, ts, end);
  put(&line, text->data, text->len);
  add_line(r->lines, &line);
  tb_buffer_free(&line);
}

static bool end(struct reading *r, const struct tb_event *event) {
  size_t i = r->open_count;
  while (i > 0 && r->open[i - 1].track != event->track->index) i--;
  if (i == 0) return false;
  struct open_slice slice = r->open[i - 1];
  put_args(&slice.text, event->args, event->arg_count);
  put_extra(&slice.text, event);
  add_slice(r, slice.ts, event->ts, &slice.text);
  tb_buffer_free(&slice.text);
  memmove(&r->open[i - 1], &r->open[i], (r->open_count - i) * sizeof(*r->open));
  r->open_count--;
  return true;
}

/* ---- the other events -------------------------------------------------------------------------------------------- */

static void add_flow(struct reading *r, const struct tb_event *event) {
  r->points = grow(r->points, &r->point_capacity, r->point_count, sizeof(*r->points));
  struct point *point = &r->points[r->point_count];
  *point = (struct point){.id = event->id.value, .ts = event->ts, .place = r->point_count};
  r->point_count++;
  tb_buffer_init(&point->text, tb_default_allocator(), 0);
  PUT(&point->text, " then %c %" PRId64, event->phase, event->ts);
  put_slice(&point->text, event);
}

static void add_event(struct reading *r, const struct tb_event *event) {
  struct tb_buffer line;
  tb_buffer_init(&line, tb_default_allocator(), 0);
  PUT(&line, "%s", tb_event_type_name(event->type));
  if (event->has & TB_HAS_TS) PUT(&line, " %" PRId64, event->ts);
  if (event->type == TB_EVENT_THREAD_STATE)
    put_id(&line, true, event->track->tid, tb_track_get_details(event->track)->tid_text);
  else
    put_thread(&line, event->thread ? event->thread : event->track);
  if (event->type == TB_EVENT_COUNTER) put_text(&line, "track ", tb_track_get_details(event->track)->description);
  put_text(&line, "", event->name);
  put_text(&line, "of ", event->categories);
  if (event->id.kind) PUT(&line, " id %" PRIu64, event->id.value);
  if (event->has & TB_HAS_CPU) PUT(&line, " cpu %" PRIu32 " priority %" PRId32, event->cpu, event->priority);
  if (event->task_state) PUT(&line, " state %d", event->task_state);
  if (event->log_level) PUT(&line, " level %d", event->log_level);
  if (event->instant_scope) PUT(&line, " scope %c", event->instant_scope);
  if (event->type == TB_EVENT_BLOB) PUT(&line, " type %d", event->blob_type);
  put(&line, event->blob.ptr, event->blob.len);
  for (uint32_t i = 0; i < event->clock_count; i++)
    PUT(&line, " clock %" PRIu32 "=%" PRId64, event->clocks[i].clock, event->clocks[i].ns);
  put_args(&line, event->args, event->arg_count);
  put_extra(&line, event);
  add_line(r->lines, &line);
  tb_buffer_free(&line);
}

static void take(struct reading *r, const struct tb_event *event) {
  switch (event->type) {
    case TB_EVENT_SLICE_BEGIN:
      begin(r, event);
      break;
    case TB_EVENT_SLICE_END:
      if (!end(r, event)) add_event(r, event);
      break;
    case TB_EVENT_SLICE_COMPLETE: {
      struct tb_buffer text;
      tb_buffer_init(&text, tb_default_allocator(), 0);
      put_slice(&text, event);
      add_slice(r, event->ts, event->ts + event->dur, &text);
      tb_buffer_free(&text);
      break;
    }
    case TB_EVENT_FLOW_BEGIN:
    case TB_EVENT_FLOW_STEP:
    case TB_EVENT_FLOW_END:
      add_flow(r, event);
      break;
    case TB_EVENT_PACKETS:
      put(&r->packets, event->blob.ptr, event->blob.len);
      break;
    case TB_EVENT_DATA_LOSS:
      r->lossy = true;
      break;
    case TB_EVENT_TRACK: /* names show in the conformance tests */
      break;
    default:
      add_event(r, event);
      break;
  }
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

static int by_flow(const void *a, const void *b) {
  const struct point *x = a, *y = b;
  if (x->id != y->id) return x->id < y->id ? -1 : 1;
  if (x->ts != y->ts) return x->ts < y->ts ? -1 : 1;
  return x->place < y->place ? -1 : x->place > y->place;
}

static void add_flows(struct reading *r) {
  if (r->point_count) qsort(r->points, r->point_count, sizeof(*r->points), by_flow);
  struct tb_buffer line;
  tb_buffer_init(&line, tb_default_allocator(), 0);
  for (size_t i = 0; i < r->point_count; i++) {
    if (i == 0 || r->points[i].id != r->points[i - 1].id) PUT(&line, "flow %" PRIu64, r->points[i].id);
    put(&line, r->points[i].text.data, r->points[i].text.len);
    tb_buffer_free(&r->points[i].text);
    if (i + 1 < r->point_count && r->points[i + 1].id == r->points[i].id) continue;
    add_line(r->lines, &line);
    line.len = 0;
  }
  tb_buffer_free(&line);
}

/* Every provider says what time its ticks are. */
static void drop_repeated_clocks(struct fxt_lines *lines) {
  size_t kept = 0;
  for (size_t i = 0; i < lines->count; i++)
    if (kept && strncmp(lines->lines[i], "clock", 5) == 0 && strcmp(lines->lines[i], lines->lines[kept - 1]) == 0)
      free(lines->lines[i]);
    else
      lines->lines[kept++] = lines->lines[i];
  lines->count = kept;
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void finish(struct reading *r) {
  static const char loss[] = "loss";
  for (size_t i = 0; i < r->open_count; i++) {
    add_slice(r, r->open[i].ts, -1, &r->open[i].text);
    tb_buffer_free(&r->open[i].text);
  }
  add_flows(r);
  if (r->packets.len) add_line(r->lines, &r->packets);
  if (r->lossy) {
    r->packets.len = 0;
    put(&r->packets, loss, sizeof(loss) - 1);
    add_line(r->lines, &r->packets);
  }
  tb_buffer_free(&r->packets);
  free(r->open);
  free(r->points);
  if (r->lines->count) qsort(r->lines->lines, r->lines->count, sizeof(*r->lines->lines), by_text);
  drop_repeated_clocks(r->lines);
}

void fxt_lines_read(const char *path, struct fxt_lines *lines) {
  *lines = (struct fxt_lines){0};
  struct reading r = {.lines = lines};
  tb_buffer_init(&r.packets, tb_default_allocator(), 0);
  struct tb_reader_options options = {.size = sizeof(options), .shape = TB_SHAPE_SOURCE, .format = TB_FORMAT_FXT};
  struct tb_reader *reader;
  if (tb_reader_open(path, &options, &reader, NULL) != TB_OK) die(path);
  const struct tb_event *event;
  enum tb_status status;
  while ((status = tb_reader_next(reader, &event)) == TB_OK) take(&r, event);
  if (status != TB_END) die(tb_reader_error(reader)->message);
  finish(&r);
  tb_reader_close(reader);
}

void fxt_lines_free(struct fxt_lines *lines) {
  for (size_t i = 0; i < lines->count; i++) free(lines->lines[i]);
  free(lines->lines);
  *lines = (struct fxt_lines){0};
}

static void show(size_t *shown, char sign, const char *line) {
  if (++*shown <= SHOWN) fprintf(stderr, "  %c %.400s\n", sign, line);
}

size_t fxt_lines_compare(const struct fxt_lines *expected, const struct fxt_lines *actual) {
  size_t i = 0, k = 0, differences = 0;
  while (i < expected->count || k < actual->count) {
    int order = i == expected->count ? 1 : k == actual->count ? -1 : strcmp(expected->lines[i], actual->lines[k]);
    if (order < 0) show(&differences, '-', expected->lines[i]);
    if (order > 0) show(&differences, '+', actual->lines[k]);
    i += order <= 0;
    k += order >= 0;
  }
  return differences;
}
