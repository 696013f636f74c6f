/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls on readers and writers of events, packets and columns.
 */
#include <stdlib.h>

#include "calls.h"

static void open_writer(struct calls *c) {
  struct tb_writer_options options = {.size = byte(c) < 0xf0 ? sizeof(options) : (size_t)number(c)};
  options.allocator = &calls_allocator;
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
      (void)!tb_writer_open_callback(name, byte(c) < 0xf0 ? calls_take_bytes : NULL, c, &options, &c->writer, NULL);
      return;
    case 2:
      (void)!tb_writer_open_descriptor(name, -1, &options, &c->writer, NULL);
      return;
    default:
      (void)!tb_writer_open(name, &options, &c->writer, NULL);
  }
}

static void open_packet_writer(struct calls *c) {
  struct tb_writer_options options = {.size = byte(c) < 0xf0 ? sizeof(options) : 0, .allocator = &calls_allocator};
  tb_packet_writer_close(c->packet_writer);
  (void)!tb_packet_writer_open_callback(byte(c) < 0xf0 ? "packets" : NULL, byte(c) < 0xf0 ? calls_take_bytes : NULL, c,
                                        &options, &c->packet_writer, NULL);
}

static void close_reader(struct calls *c) {
  tb_reader_close(c->reader);
  c->reader = NULL;
  c->kept = (struct tb_str){NULL, 0}; /* it was the reader's */
}
static void open_reader(struct calls *c) {
  struct tb_reader_options options = {.size = byte(c) < 0xf0 ? sizeof(options) : 0,
                                      .format = (enum tb_format)choice(c, TB_FORMAT_TEXT + 1),
                                      .allocator = &calls_allocator,
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
      (void)!tb_reader_open_memory(name, calls_json, calls_json_len, &options, &c->reader, NULL);
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
  const struct tb_event event = calls_make_event(c);
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
      .size = sizeof(reader), .allocator = &calls_allocator, .shape = byte(c) < 0xf0 ? TB_SHAPE_ONE : TB_SHAPE_SOURCE};
  if (options.rows > 1 << 10 || byte(c) < 0xfc) options.rows %= 1 << 4; /* quick, and no more than there is */
  if (!options.rows && byte(c) < 0xfc) options.rows = 1;
  options.columns = byte(c) & 1 ? TB_COLUMN_ALL : number(c);
  close_columns(c);
  (void)!tb_reader_open_memory("columns", calls_json, calls_json_len, &reader, &c->columns_reader, NULL);
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

void calls_use_columns(struct calls *c, unsigned which) { (which % 3 ? next_columns : open_columns)(c); }

void calls_use_stream(struct calls *c, unsigned which) {
  typedef void call(struct calls * c);
  static call *const all[] = {open_writer,
                              open_reader,
                              feed,
                              feed_trace,
                              next,
                              put,
                              put,
                              put,
                              put,
                              calls_make_track,
                              calls_make_track,
                              ask,
                              finish,
                              open_packet_writer,
                              put_packet,
                              next_batch,
                              go_back,
                              look_up,
                              next,
                              next};
  all[which % (sizeof(all) / sizeof(all[0]))](c);
}

void calls_close(struct calls *c) {
  tb_writer_close(c->writer);
  close_reader(c);
  tb_packet_reader_close(c->packets);
  tb_packet_writer_close(c->packet_writer);
  close_columns(c);
  for (unsigned i = 0; i < BATCHES; i++) tb_column_batch_free(c->batches[i]);
}
