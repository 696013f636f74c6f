/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes as a sequence of calls of the library's interface, right and wrong ones, with memory that is valid: pointers
 * are NULL or point to as much as the counts say, everything else is any number. Sanitizers are the judges; and a call
 * that gave TB_INVALID has not made its object fail.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tracebridge/columns.h"
#include "tracebridge/diff.h"
#include "tracebridge/dump.h"
#include "tracebridge/filter.h"
#include "tracebridge/info.h"
#include "tracebridge/merge.h"
#include "tracebridge/packet.h"
#include "tracebridge/redact.h"
#include "tracebridge/repair.h"
#include "tracebridge/serve.h"
#include "tracebridge/trim.h"
#include "tracebridge/verify.h"
#include "tracebridge/writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ARGS = 6, TRACKS = 4, TEXT = 24, CALLS = 24, BATCHES = 3, PATH = 64 };

/* The bytes that are left, and the objects that calls are made on. */
struct calls {
  const uint8_t *data, *end;
  struct tb_reader *reader;
  struct tb_packet_reader *packets;
  struct tb_writer *writer;
  struct tb_packet_writer *packet_writer;
  struct tb_columns *columns; /* of a reader that is theirs alone */
  struct tb_reader *columns_reader;
  struct tb_column_batch *batches[BATCHES];
  unsigned held;
  size_t taken; /* bytes of outputs */
  struct tb_str kept;
  struct tb_arg args[ARGS];
  struct tb_arg extra[ARGS];
  struct tb_track tracks[TRACKS];
  struct tb_track_details details[TRACKS];
  struct tb_frame frames[2];
  struct tb_clock_reading clocks[2];
  uint64_t flows[2];
  char text[TEXT];
};

/* ---- memory ------------------------------------------------------------------------------------------------------
 *
 * Readers and writers take large blocks, which under AddressSanitizer are mapped and unmapped each time, and that took
 * most of the time. They are kept, poisoned, for the next one of the same size. */

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#endif
#endif
#ifndef ASAN_POISON_MEMORY_REGION
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#endif

/* Nothing that costs a call of the system, or memory that is not in the cache, in each sequence. */
const char *__asan_default_options(void);  /* NOLINT(bugprone-reserved-identifier): AddressSanitizer's name */
const char *__asan_default_options(void) { /* NOLINT(bugprone-reserved-identifier) */
  return "quarantine_size_mb=8:malloc_context_size=8:allocator_release_to_os_interval_ms=-1:"
         "clear_shadow_mmap_threshold=67108864";
}

enum { KEPT = 32, LARGE = 1 << 16 };
static struct {
  void *block;
  size_t size;
} kept_blocks[KEPT];
static size_t kept_next;
static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;

static void *take_kept(size_t size) {
  void *block = NULL;
  (void)pthread_mutex_lock(&kept_lock);
  for (size_t i = 0; i < KEPT && !block; i++)
    if (kept_blocks[i].block && kept_blocks[i].size == size) {
      block = kept_blocks[i].block;
      kept_blocks[i].block = NULL;
    }
  (void)pthread_mutex_unlock(&kept_lock);
  if (block) ASAN_UNPOISON_MEMORY_REGION(block, LARGE);
  return block;
}

/* In the place of the oldest one. */
static void keep(void *block, size_t size) {
  ASAN_POISON_MEMORY_REGION(block, LARGE); /* its first bytes: all of it would take longer */
  (void)pthread_mutex_lock(&kept_lock);
  size_t place = kept_next++ % KEPT;
  void *oldest = kept_blocks[place].block;
  kept_blocks[place].block = block;
  kept_blocks[place].size = size;
  (void)pthread_mutex_unlock(&kept_lock);
  if (oldest) ASAN_UNPOISON_MEMORY_REGION(oldest, LARGE);
  free(oldest);
}

static void *reallocate(void *ctx, void *ptr, size_t old_size, size_t new_size) {
  (void)ctx;
  if (!ptr && new_size >= LARGE) {
    void *block = take_kept(new_size);
    return block ? block : malloc(new_size);
  }
  if (new_size) return realloc(ptr, new_size);
  if (old_size >= LARGE)
    keep(ptr, old_size);
  else
    free(ptr);
  return NULL;
}
static const struct tb_allocator allocator = {reallocate, NULL};

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

static unsigned byte(struct calls *c) { return c->data < c->end ? *c->data++ : 0; }

/* Mostly a small number, now and then any. */
static uint64_t number(struct calls *c) {
  unsigned first = byte(c);
  uint64_t value = 0;
  if (first < 0xf0) return first & 0xf;
  for (unsigned i = 0; i < 8; i++) value = value << 8 | byte(c);
  return first & 1 ? value : value >> 40;
}

/* Mostly below `count`, now and then any. */
static unsigned choice(struct calls *c, unsigned count) {
  unsigned first = byte(c);
  return first < 0xf8 ? first % count : (unsigned)byte(c) << 24 | byte(c);
}

static struct tb_str text(struct calls *c) {
  unsigned kind = byte(c);
  if (kind < 0x40) return (struct tb_str){NULL, 0};
  if (kind > 0xfc) return (struct tb_str){NULL, kind};
  size_t len = kind % TEXT;
  return (struct tb_str){c->text + kind % (TEXT - len), len};
}

static void make_args(struct calls *c, struct tb_arg *args) {
  for (unsigned i = 0; i < ARGS; i++) {
    args[i] = (struct tb_arg){.name = text(c), .type = (uint8_t)choice(c, TB_ARG_BLOB + 1)};
    args[i].span = byte(c) < 0xd0 ? 1 : (uint32_t)number(c);
    if (args[i].type == TB_ARG_STRING || args[i].type >= TB_ARG_JSON)
      args[i].text = text(c);
    else
      args[i].u = number(c);
  }
}

static void make_track(struct calls *c) {
  struct tb_track *track = &c->tracks[byte(c) % TRACKS];
  unsigned parent = byte(c);
  *track = (struct tb_track){.index = (uint32_t)number(c),
                             .type = (enum tb_track_type)choice(c, TB_TRACK_COUNTER + 1),
                             .pid = (int64_t)number(c),
                             .tid = (int64_t)number(c),
                             .name = text(c)};
  if (parent < 0xc0) track->parent = parent & 1 ? &c->tracks[parent / 2 % TRACKS] : NULL;
  unsigned flags = byte(c);
  track->has_pid = flags & 1;
  track->has_tid = flags & 2;
  track->has_sort_index = flags & 4;
  track->unit = (uint8_t)choice(c, TB_UNIT_SIZE_BYTES + 1);
  track->details = &c->details[track - c->tracks];
  c->details[track - c->tracks] = (struct tb_track_details){.pid_text = text(c)};
  track->uuid = number(c);
  c->details[track - c->tracks].labels = flags & 8 ? &c->kept : NULL;
  c->details[track - c->tracks].label_count = byte(c) & 1;
  track->machine = (uint32_t)number(c);
}

static struct tb_id make_id(struct calls *c) {
  return (struct tb_id){
      .kind = (uint8_t)choice(c, TB_ID_GLOBAL + 1), .is_number = byte(c) & 1, .value = number(c), .text = text(c)};
}

static void make_memory(struct calls *c, struct tb_event *event) {
  unsigned with = byte(c);
  make_args(c, c->args);
  event->args = with & 1 ? c->args : NULL;
  event->arg_count = byte(c) % (ARGS + 1);
  event->flow_ids = with & 2 ? c->flows : NULL;
  event->flow_count = byte(c) % 3;
  event->terminating_flow_ids = with & 4 ? c->flows : NULL;
  event->terminating_flow_count = byte(c) % 3;
  event->clocks = with & 8 ? c->clocks : NULL;
  event->clock_count = byte(c) % 3;
  event->stack.frames = with & 16 ? c->frames : NULL;
  event->stack.frame_count = byte(c) % 3;
  event->stack.ref = text(c);
  event->extra = with & 32 ? c->extra : NULL;
  event->extra_count = byte(c) % (ARGS + 1);
  if (with & 64) make_args(c, c->extra);
  event->blob = text(c);
}

static struct tb_event make_event(struct calls *c) {
  struct tb_event event = {.type = (enum tb_event_type)choice(c, TB_EVENT_TYPE_COUNT)};
  unsigned track = byte(c);
  event.has = TB_HAS_TS | TB_HAS_DUR | (uint32_t)(byte(c) << 4 | byte(c) << 11);
  if (byte(c) < 8) event.has = (uint32_t)number(c);
  event.track = track < 0xf0 ? &c->tracks[track % TRACKS] : NULL;
  event.thread = track & 1 ? &c->tracks[track / 2 % TRACKS] : NULL;
  event.ts = (int64_t)number(c);
  event.dur = (int64_t)number(c);
  event.name = text(c);
  event.phase = (char)byte(c);
  event.instant_scope = (char)byte(c);
  event.log_level = (uint8_t)choice(c, TB_LOG_FATAL + 1);
  event.task_state = (uint8_t)choice(c, TB_TASK_DESTROYED + 1);
  event.cpu = (uint32_t)number(c);
  unsigned more = byte(c);
  if (more & 1) event.categories = text(c);
  if (more & 2) event.id = make_id(c);
  if (more & 4) event.bind_id = make_id(c);
  if (more & 8) make_memory(c, &event);
  if (more & 16) event.scope = event.phase_text = event.parent_frame = text(c);
  if (more & 32) event.correlation_text = event.source_location.function = text(c);
  return event;
}

/* Takes what a writer writes, up to a bound that the bytes choose. */
static bool take_bytes(void *ctx, const void *data, size_t len) {
  struct calls *c = ctx;
  const char *bytes = data;
  for (size_t i = 0; i < len; i++) c->taken += bytes[i] != 0; /* all of it can be read */
  return c->taken < (size_t)1 << 20;
}

/* The same of what is written for people and programs. */
static bool take_text(void *ctx, const char *text, size_t len) { return take_bytes(ctx, text, len); }

static void open_writer(struct calls *c) {
  struct tb_writer_options options = {.size = byte(c) < 0xf0 ? sizeof(options) : (size_t)number(c)};
  options.allocator = &allocator;
  options.format = (enum tb_format)choice(c, TB_FORMAT_TEXT + 1);
  options.source = (enum tb_format)choice(c, TB_FORMAT_TEXT + 1);
  options.clock = (enum tb_clock)choice(c, TB_CLOCK_TRACE_FILE + 1);
  options.first_new_flow_id = number(c);
  options.keep_packets = byte(c) & 1 && (options.format == TB_FORMAT_FXT || byte(c) == 0xff);
  tb_writer_close(c->writer);
  if (options.size > sizeof(options)) options.size = 0; /* no more memory than there is */
  const char *name = byte(c) < 0xf0 ? "/dev/null" : NULL;
  switch (choice(c, 4)) {
    case 0:
      (void)!tb_writer_open_memory(name, &options, &c->writer, NULL);
      return;
    case 1:
      (void)!tb_writer_open_callback(name, byte(c) < 0xf0 ? take_bytes : NULL, c, &options, &c->writer, NULL);
      return;
    case 2:
      (void)!tb_writer_open_descriptor(name, -1, &options, &c->writer, NULL);
      return;
    default:
      (void)!tb_writer_open(name, &options, &c->writer, NULL);
  }
}

static void open_packet_writer(struct calls *c) {
  struct tb_writer_options options = {.size = byte(c) < 0xf0 ? sizeof(options) : 0, .allocator = &allocator};
  tb_packet_writer_close(c->packet_writer);
  (void)!tb_packet_writer_open_callback(byte(c) < 0xf0 ? "packets" : NULL, byte(c) < 0xf0 ? take_bytes : NULL, c,
                                        &options, &c->packet_writer, NULL);
}

static void close_reader(struct calls *c) {
  tb_reader_close(c->reader);
  c->reader = NULL;
  c->kept = (struct tb_str){NULL, 0}; /* it was the reader's */
}

static const char json[] =
    "[{\"ph\":\"b\",\"pid\":1,\"ts\":3,\"id\":4,\"name\":\"a\",\"cat\":\"c\"},"
    "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":2,\"dur\":4,\"name\":\"a\"},"
    "{\"ph\":\"C\",\"pid\":1,\"ts\":1,\"name\":\"n\",\"args\":{\"v\":1}}]";

static void open_reader(struct calls *c) {
  struct tb_reader_options options = {.size = byte(c) < 0xf0 ? sizeof(options) : 0,
                                      .format = (enum tb_format)choice(c, TB_FORMAT_TEXT + 1),
                                      .allocator = &allocator,
                                      .max_record_bytes = (size_t)number(c),
                                      .max_interned_bytes = (size_t)number(c),
                                      .strict = byte(c) & 1};
  const char *name = byte(c) < 0xf0 ? "input" : NULL;
  options.shape = (enum tb_shape)choice(c, TB_SHAPE_SOURCE + 1);
  options.slices = (enum tb_slice_form)choice(c, TB_SLICES_COMPLETE + 1);
  unsigned order = byte(c);
  options.sorted = order & 1;
  options.sort_window_ns = order & 2 ? number(c) : 0;
  options.event_types = order & 4 ? number(c) : 0;
  options.memory_budget = order & 8 ? 1 : 0;
  options.keep_interned = order & 16;
  if (order & 32) { /* not larger than what is read, and another time it is a trace */
    bool is_null = byte(c) >= 0xf0;
    size_t left = (size_t)(c->end - c->data);
    close_reader(c);
    if (order & 64)
      (void)!tb_reader_open_memory(name, json, sizeof(json) - 1, &options, &c->reader, NULL);
    else
      (void)!tb_reader_open_memory(name, is_null ? NULL : c->data, left, &options, &c->reader, NULL);
    return;
  }
  if (byte(c) & 1) {
    close_reader(c);
    (void)!tb_reader_create_feed(name, &options, &c->reader, NULL);
  } else {
    tb_packet_reader_close(c->packets);
    (void)!tb_packet_reader_create_feed(name, &options, &c->packets, NULL);
  }
}

static void feed(struct calls *c) {
  bool is_null = byte(c) > 0xf0, is_end = byte(c) > 0xf0;
  size_t len = byte(c), left = (size_t)(c->end - c->data);
  if (len > left) len = left;
  (void)!tb_reader_feed(c->reader, is_null ? NULL : c->data, len);
  (void)!tb_packet_reader_feed(c->packets, is_null ? NULL : c->data, len);
  if (is_end) tb_reader_feed_end(c->reader);
}

/* Pieces of traces that have something to read. */
static void feed_trace(struct calls *c) {
  static const char piece[] =
      "[{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":3,\"dur\":4,\"name\":\"a\",\"args\":{\"b\":[1]}},";
  (void)!tb_reader_feed(c->reader, piece, sizeof(piece) - 1);
}

static void next(struct calls *c) {
  const struct tb_event *event = NULL;
  const struct tb_packet *packet;
  if (tb_reader_next(c->reader, byte(c) < 0xf0 ? &event : NULL) == TB_OK && event) {
    if (byte(c) & 1) (void)!tb_writer_put(c->writer, event);
    (void)!tb_reader_intern(c->reader, event->name, &c->kept);
  }
  (void)!tb_packet_next(c->packets, byte(c) < 0xf0 ? &packet : NULL);
}

static void next_batch(struct calls *c) {
  const struct tb_event *events[8];
  size_t count, most = number(c);
  if (most > 8) most = 8;
  enum tb_status status = tb_reader_next_batch(c->reader, events, most, byte(c) < 0xf0 ? &count : NULL);
  for (size_t i = 0; status == TB_OK && i < count; i++)
    if (byte(c) & 1) (void)!tb_writer_put(c->writer, events[i]);
}

static void go_back(struct calls *c) {
  if (byte(c) & 1)
    (void)!tb_reader_rewind(c->reader);
  else
    (void)!tb_reader_seek(c->reader, number(c));
}

static void look_up(struct calls *c) {
  int64_t ns;
  struct tb_str entry;
  const struct tb_track *track = NULL;
  enum tb_track_type type = (enum tb_track_type)choice(c, TB_TRACK_COUNTER + 1);
  while ((track = tb_reader_next_track(c->reader, track, type))) c->taken += track->name.len;
  (void)tb_reader_process(c->reader, (int64_t)number(c));
  (void)tb_reader_thread(c->reader, (int64_t)number(c));
  (void)!tb_reader_to_clock(c->reader, (int64_t)number(c), (uint32_t)number(c), byte(c) < 0xf0 ? &ns : NULL);
  (void)!tb_reader_from_clock(c->reader, (uint32_t)number(c), (int64_t)number(c), byte(c) < 0xf0 ? &ns : NULL);
  (void)tb_packet_interned(c->packets, (uint32_t)number(c), number(c), byte(c) < 0xf0 ? &entry : NULL);
  (void)tb_packet_defaults(c->packets);
  (void)tb_writer_bytes(c->writer);
}

static void put_packet(struct calls *c) {
  bool is_null = byte(c) >= 0xf8, is_end = byte(c) > 0xe0;
  size_t len = byte(c), left = (size_t)(c->end - c->data);
  if (len > left) len = left;
  const char *bytes = (const char *)c->data;
  (void)!tb_packet_writer_put(c->packet_writer, (struct tb_str){is_null ? NULL : bytes, len});
  if (is_end) (void)!tb_packet_writer_finish(c->packet_writer);
}

static void put(struct calls *c) {
  const struct tb_event event = make_event(c);
  bool failed = tb_writer_error(c->writer)->code != TB_OK && tb_writer_error(c->writer)->code != TB_INVALID;
  enum tb_status status = tb_writer_put(c->writer, byte(c) < 0xf8 ? &event : NULL);
  if (status == TB_INVALID && c->writer && !failed && tb_writer_error(c->writer)->code != TB_INVALID) abort();
}

static void ask(struct calls *c) {
  size_t count;
  (void)tb_reader_losses(c->reader, byte(c) < 0xf0 ? &count : NULL);
  (void)tb_packet_reader_losses(c->packets, &count);
  (void)tb_writer_losses(c->writer, &count);
  (void)tb_writer_get_summary(c->writer);
  (void)tb_reader_error(c->reader);
  (void)tb_reader_format(c->reader);
  (void)tb_reader_bytes_read(c->reader);
  (void)tb_packet_reader_size(c->packets);
}

static void finish(struct calls *c) { (void)!tb_writer_finish(c->writer); }

/* ---- columns ----------------------------------------------------------------------------------------------------- */

static void close_columns(struct calls *c) {
  tb_columns_close(c->columns);
  tb_reader_close(c->columns_reader);
  c->columns = NULL;
  c->columns_reader = NULL;
}

static void open_columns(struct calls *c) {
  struct tb_columns_options options = {.size = byte(c) < 0xf0 ? sizeof(options) : 0, .rows = (size_t)number(c)};
  const struct tb_reader_options reader = {
      .size = sizeof(reader), .allocator = &allocator, .shape = byte(c) < 0xf0 ? TB_SHAPE_ONE : TB_SHAPE_SOURCE};
  if (options.rows > 1 << 10 || byte(c) < 0xfc) options.rows %= 1 << 4; /* quick, and no more than there is */
  if (!options.rows && byte(c) < 0xfc) options.rows = 1;
  options.columns = byte(c) & 1 ? TB_COLUMN_ALL : number(c);
  close_columns(c);
  (void)!tb_reader_open_memory("columns", json, sizeof(json) - 1, &reader, &c->columns_reader, NULL);
  (void)!tb_columns_open(byte(c) < 0xf0 ? c->columns_reader : NULL, &options, byte(c) < 0xf8 ? &c->columns : NULL,
                         NULL);
}

/* A batch is freed now, or later, when what made it may be closed. */
static void next_columns(struct calls *c) {
  struct tb_column_batch *batch = NULL;
  enum tb_status status = tb_columns_next(c->columns, byte(c) < 0xf0 ? &batch : NULL);
  for (size_t i = 0; status == TB_OK && batch && i < batch->count; i++) {
    if (batch->name) c->taken += tb_columns_text(c->columns, batch->name[i]).len;
    if (batch->arg_end) c->taken += batch->arg_end[i];
  }
  c->taken += tb_columns_text_count(c->columns) + tb_columns_text(c->columns, (uint32_t)number(c)).len;
  if (status != TB_OK) return;
  unsigned place = c->held++ % BATCHES;
  tb_column_batch_free(c->batches[place]);
  c->batches[place] = batch;
}

/* ---- what works on whole files ----------------------------------------------------------------------------------- */

/* Writes the bytes that are left, or a trace, to a file without a name; -1: it could not. */
static int make_file(struct calls *c, char path[PATH]) {
  bool is_trace = byte(c) & 1;
  const void *data = is_trace ? (const void *)json : c->data;
  size_t len = is_trace ? sizeof(json) - 1 : (size_t)(c->end - c->data);
  int fd = memfd_create("trace", 0);
  if (fd >= 0 && write(fd, data, len) != (ssize_t)len) {
    (void)close(fd);
    fd = -1;
  }
  (void)snprintf(path, PATH, "/proc/self/fd/%d", fd);
  return fd;
}

/* Options of a reader, or none. */
static const struct tb_reader_options *spoil(struct calls *c, struct tb_reader_options *options) {
  *options = (struct tb_reader_options){.size = byte(c) < 0xf0 ? sizeof(*options) : 0, .allocator = &allocator};
  options->format = (enum tb_format)choice(c, TB_FORMAT_TEXT + 1);
  options->shape = (enum tb_shape)choice(c, TB_SHAPE_SOURCE + 1);
  options->slices = (enum tb_slice_form)choice(c, TB_SLICES_COMPLETE + 1);
  options->max_record_bytes = (size_t)number(c);
  options->sorted = byte(c) & 1;
  options->strict = byte(c) & 1;
  return byte(c) < 0xc0 ? options : NULL;
}

/* The size of a report, or of an older one, or none that a report has. */
static size_t report_size(struct calls *c, size_t size) {
  unsigned kind = byte(c);
  if (kind < 0xc0) return size;
  return kind < 0xe0 ? (size_t)number(c) % size : kind < 0xf0 ? 0 : SIZE_MAX;
}

static void verify(struct calls *c, const char *path) {
  struct tb_reader_options reader;
  struct tb_verify_options options = {.size = byte(c) < 0xf0 ? sizeof(options) : 0};
  struct tb_verification *made = NULL;
  options.reader = spoil(c, &reader);
  (void)!tb_verify(path, byte(c) < 0xc0 ? &options : NULL, byte(c) < 0xf0 ? &made : NULL, NULL);
  (void)!tb_verification_text(made, byte(c) < 0xf0 ? take_text : NULL, c);
  (void)!tb_verification_json(made, byte(c) < 0xf0 ? take_text : NULL, c);
  (void)tb_finding_kind_of((enum tb_finding_code)choice(c, TB_FINDS_COUNT));
  (void)tb_finding_kind_named(byte(c) < 0xf0 ? "cut" : NULL);
  tb_verification_free(made);
}

static void compare(struct calls *c, const char *path) {
  struct tb_reader_options reader;
  struct tb_diff_options options = {.size = byte(c) < 0xf0 ? sizeof(options) : 0};
  struct tb_difference *made = NULL;
  options.reader = spoil(c, &reader);
  (void)!tb_diff(path, byte(c) < 0xf0 ? path : NULL, byte(c) < 0xc0 ? &options : NULL, byte(c) < 0xf0 ? &made : NULL,
                 NULL);
  (void)!tb_difference_text(made, byte(c) < 0xf0 ? take_text : NULL, c);
  (void)!tb_difference_json(made, byte(c) < 0xf0 ? take_text : NULL, c);
  (void)tb_diff_table_name((enum tb_diff_table)choice(c, TB_DIFF_TABLE_COUNT));
  tb_difference_free(made);
}

static struct tb_trim_point make_point(struct calls *c) {
  return (struct tb_trim_point){.kind = (enum tb_trim_point_kind)choice(c, TB_TRIM_POINT_CLOCK + 1),
                                .clock = (enum tb_clock)choice(c, TB_CLOCK_TRACE_FILE + 1),
                                .ns = (int64_t)number(c)};
}

/* One but for a few, so that most sequences start no thread. */
static unsigned threads(struct calls *c) { return byte(c) < 0xfc ? 1 : 2; }

static void trim(struct calls *c, const char *path) {
  struct tb_trim_options options = {.size = byte(c) < 0xf0 ? sizeof(options) : 0};
  struct tb_trim_report report;
  struct tb_trim_point point;
  bool with_report = byte(c) < 0xc0;
  report.size = report_size(c, sizeof(report));
  options.start = make_point(c);
  options.end = make_point(c);
  options.last_ns = byte(c) & 1 ? (int64_t)number(c) : 0;
  options.threads = threads(c);
  options.allocator = &allocator;
  (void)!tb_trim(path, byte(c) < 0xf0 ? "/dev/null" : NULL, byte(c) < 0xe0 ? &options : NULL,
                 with_report ? &report : NULL, NULL);
  if (with_report) tb_trim_report_free(&report);
  (void)tb_trim_point_parse(byte(c) < 0xf0 ? c->text : NULL, byte(c) < 0xf0 ? &point : NULL);
}

static void redact(struct calls *c, const char *path) {
  const char *globs[] = {"a*", "!ab", NULL};
  struct tb_reader_options reader;
  struct tb_writer_options writer = {.size = sizeof(writer)};
  struct tb_redact_options options = {.size = byte(c) < 0xf0 ? sizeof(options) : 0, .keep = globs};
  struct tb_redact_report report;
  options.reader = spoil(c, &reader);
  options.writer = byte(c) & 1 ? &writer : NULL;
  writer.format = (enum tb_format)choice(c, TB_FORMAT_TEXT + 1);
  report.size = report_size(c, sizeof(report));
  options.keep_count = byte(c) % 4; /* the third is NULL */
  if (byte(c) >= 0xf0) options.keep = NULL;
  options.no_args = byte(c) & 1;
  (void)!tb_redact(path, byte(c) < 0xf0 ? "/dev/null" : NULL, byte(c) < 0xe0 ? &options : NULL,
                   byte(c) < 0xc0 ? &report : NULL, NULL);
}

static bool is_ready(void *ctx, const char *link) {
  struct calls *c = ctx;
  c->taken += strlen(link);
  return byte(c) & 1;
}
static bool is_waiting(void *ctx) {
  (void)ctx;
  return false;
}

/* Nobody fetches it, and nobody waits: who is asked says no before there is a pause. */
static void serve(struct calls *c, const char *path) {
  struct tb_serve_options options = {.size = byte(c) < 0xf0 ? sizeof(options) : 0, .port = TB_SERVE_ANY_PORT, .ctx = c};
  options.ready = is_ready;
  options.waiting = byte(c) < 0xf0 ? is_waiting : NULL;
  options.viewer = byte(c) < 0x80 ? NULL : byte(c) & 1 ? "https://a.b" : c->text;
  options.name = byte(c) & 1 ? c->text : NULL;
  if (byte(c) >= 0xf0) options.port += 1 + (unsigned)number(c);
  if (!options.waiting) options.size = 0; /* it would wait for ever */
  (void)!tb_serve(path, &options, NULL);
}

/* Globs, of which the third is NULL: their count. */
static size_t glob_count(struct calls *c) {
  unsigned kind = byte(c);
  return kind < 0xf0 ? kind % 3 : 3;
}

static void filter(struct calls *c, const char *path) {
  const char *const globs[] = {"a*", "!ab", NULL};
  struct tb_filter_options options = {.size = byte(c) < 0xf0 ? sizeof(options) : 0};
  struct tb_filter_report report;
  bool with_report = byte(c) < 0xc0;
  report.size = report_size(c, sizeof(report));
  options.processes = options.threads = options.names = options.categories = options.counters =
      byte(c) < 0xf0 ? globs : NULL;
  options.process_count = glob_count(c);
  options.name_count = glob_count(c);
  options.counter_count = glob_count(c);
  options.min_dur_ns = (int64_t)number(c);
  options.max_bytes = number(c);
  options.no_args = byte(c) & 1;
  options.no_flows = byte(c) & 1;
  options.worker_threads = threads(c);
  options.allocator = &allocator;
  (void)!tb_filter(path, byte(c) < 0xf0 ? "/dev/null" : NULL, byte(c) < 0xe0 ? &options : NULL,
                   with_report ? &report : NULL, NULL);
  if (with_report) tb_filter_report_free(&report);
}

static void repair(struct calls *c, const char *path) {
  struct tb_repair_options options = {.size = byte(c) < 0xf0 ? sizeof(options) : 0, .threads = threads(c)};
  options.allocator = &allocator;
  struct tb_repair_report report;
  bool with_report = byte(c) < 0xc0;
  report.size = report_size(c, sizeof(report));
  (void)!tb_repair(path, byte(c) < 0xf0 ? "/dev/null" : NULL, byte(c) < 0xe0 ? &options : NULL,
                   with_report ? &report : NULL, NULL);
  if (with_report) tb_repair_report_free(&report);
}

static void convert(struct calls *c, const char *path) {
  struct tb_reader_options reader;
  struct tb_writer_options writer = {.size = sizeof(writer)};
  struct tb_convert_options options = {.size = byte(c) < 0xf0 ? sizeof(options) : 0, .threads = threads(c)};
  struct tb_convert_report report;
  report.size = report_size(c, sizeof(report));
  options.reader = spoil(c, &reader);
  options.writer = byte(c) < 0xf0 ? &writer : NULL;
  writer.format = (enum tb_format)choice(c, TB_FORMAT_TEXT + 1);
  writer.compress = byte(c) & 1;
  writer.memory_budget = (size_t)number(c);
  (void)!tb_convert(path, byte(c) < 0xf0 ? "/dev/null" : NULL, byte(c) < 0xe0 ? &options : NULL,
                    byte(c) < 0xc0 ? &report : NULL, NULL);
}

static void inform(struct calls *c, const char *path) {
  struct tb_reader_options reader;
  struct tb_info_options options = {.size = byte(c) < 0xf0 ? sizeof(options) : 0};
  struct tb_info *info = NULL;
  options.reader = spoil(c, &reader);
  (void)!tb_info_open(path, byte(c) < 0xe0 ? &options : NULL, byte(c) < 0xf0 ? &info : NULL, NULL);
  if (info) {
    (void)!tb_info_line(info, take_text, c);
    (void)!tb_info_text(info, take_text, c);
    (void)!tb_info_json(info, take_text, c);
  }
  tb_info_close(info);
  (void)tb_loss_kind_name((enum tb_loss_kind)number(c));
}

static void dump(struct calls *c, const char *path) {
  struct tb_reader_options reader;
  struct tb_loss losses[TB_DUMP_LOSSES];
  struct tb_dump_options options = {.size = byte(c) < 0xf0 ? sizeof(options) : 0};
  size_t count;
  options.reader = spoil(c, &reader);
  options.resolve = byte(c) & 1;
  options.events = byte(c) & 1;
  options.kinds = byte(c) & 1 ? "track_event,,slice begin" : NULL;
  options.after = (int64_t)number(c);
  options.before = (int64_t)number(c);
  (void)!tb_dump(path, byte(c) < 0xe0 ? &options : NULL, byte(c) < 0xf0 ? take_text : NULL, c,
                 byte(c) & 1 ? losses : NULL, byte(c) & 1 ? &count : NULL, NULL);
}

static void merge(struct calls *c, const char *path) {
  struct tb_merge_input inputs[2] = {{.path = path}, {.path = path}};
  struct tb_merge_options options = {.size = byte(c) < 0xf0 ? sizeof(options) : 0, .threads = threads(c)};
  options.allocator = &allocator;
  struct tb_merge_report *report = NULL;
  size_t count = byte(c) % 3;
  inputs[1].has_offset = byte(c) & 1;
  inputs[1].offset_ns = (int64_t)number(c);
  inputs[1].clock = (enum tb_clock)choice(c, TB_CLOCK_TRACE_FILE + 1);
  inputs[1].machine = byte(c) & 1 ? c->text : NULL;
  options.unplaced = (enum tb_unplaced)choice(c, TB_UNPLACED_DROP + 1);
  options.align_on = byte(c) & 1 ? "a:begin" : NULL;
  options.share_flows = byte(c) & 1;
  options.flatten_machines = byte(c) & 1;
  options.trace_clock = (enum tb_clock)choice(c, TB_CLOCK_TRACE_FILE + 1);
  options.max_drift_ppm = (unsigned)number(c);
  (void)!tb_merge(byte(c) < 0xf8 ? inputs : NULL, count, byte(c) < 0xf0 ? "/dev/null" : NULL,
                  byte(c) < 0xe0 ? &options : NULL, byte(c) < 0xf0 ? &report : NULL, NULL);
  if (!report) return;
  (void)tb_merge_report_render(report, (enum tb_merge_report_format)choice(c, TB_MERGE_REPORT_FORMAT_COUNT));
  (void)tb_merge_report_input(report, (size_t)number(c));
  (void)tb_merge_report_note(report, (size_t)number(c));
  (void)tb_merge_report_advice(report, (size_t)number(c));
  c->taken += tb_merge_report_summary(report)->packets_out != 0;
  tb_merge_report_free(report);
}

static void use_tool(struct calls *c) {
  typedef void tool(struct calls * c, const char *path);
  static tool *const all[] = {verify, compare, trim, redact, filter, repair, convert, inform, dump, merge};
  char path[PATH];
  unsigned which = byte(c);
  bool is_null = byte(c) >= 0xf8;
  int fd = make_file(c, path);
  if (fd < 0) return;
  if (which == 0xff)
    serve(c, is_null ? NULL : path);
  else
    all[which % (sizeof(all) / sizeof(all[0]))](c, is_null ? NULL : path);
  (void)close(fd);
}

/* ---- a sequence -------------------------------------------------------------------------------------------------- */

enum { FIRST_OF_COLUMNS = 0xf0, FIRST_OF_TOOLS = 0xfd };

static void call_one(struct calls *c) {
  typedef void call(struct calls * c);
  static call *const all[] = {open_writer, open_reader, feed,       feed_trace, next, put,    put,
                              put,         put,         make_track, make_track, ask,  finish, open_packet_writer,
                              put_packet,  next_batch,  go_back,    look_up,    next, next};
  unsigned which = byte(c);
  if (which >= FIRST_OF_TOOLS)
    use_tool(c);
  else if (which >= FIRST_OF_COLUMNS)
    (which % 3 ? next_columns : open_columns)(c);
  else
    all[which % (sizeof(all) / sizeof(all[0]))](c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct calls *c = calloc(1, sizeof(*c));
  if (!c) return 0;
  c->data = data;
  c->end = data + size;
  memcpy(c->text, "a text\0of \xff\xc3\xa9 bytes.[:]", TEXT);
  for (unsigned i = 0; i < TRACKS; i++)
    c->tracks[i] = (struct tb_track){.index = i, .type = TB_TRACK_THREAD, .pid = 1, .tid = i, .has_tid = true};
  for (unsigned i = 0; i < CALLS && c->data < c->end; i++) call_one(c);
  tb_writer_close(c->writer);
  close_reader(c);
  tb_packet_reader_close(c->packets);
  tb_packet_writer_close(c->packet_writer);
  close_columns(c);
  for (unsigned i = 0; i < BATCHES; i++) tb_column_batch_free(c->batches[i]);
  free(c);
  return 0;
}
