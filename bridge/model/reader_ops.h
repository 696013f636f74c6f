/* SPDX-License-Identifier: Apache-2.0
 *
 * What a format gives to be read, and the part of a reader that all formats share.
 */
#ifndef TB_MODEL_READER_OPS_H
#define TB_MODEL_READER_OPS_H

#include "base/intern.h"
#include "base/losses.h"
#include "io/input.h"
#include "model/batch.h"
#include "model/capabilities.h"
#include "model/record_ops.h"
#include "tracebridge/reader.h"

struct tb_reader;
struct tb_shaper; /* shape/shaper.h */

struct tb_reader_ops {
  enum tb_format format;

  /* Allocates the format's own state in reader->state. Called once, when the format is known; reader->input is at
   * the first byte. */
  enum tb_status (*create)(struct tb_reader *reader);

  /* Fills an empty batch. TB_OK: at least one event is in it. TB_END, TB_AGAIN: none is, and why. Any other: the
   * reader failed for good (reader->error says why); events that were put into the batch before are valid and are
   * returned first. What can be passed over is counted with tb_reader_lose. */
  enum tb_status (*fill)(struct tb_reader *reader, struct tb_batch *batch);

  void (*destroy)(struct tb_reader *reader);

  /* Whether an input that starts with these (decompressed) bytes is of the format. */
  enum tb_detection (*detect)(const char *data, size_t len);

  /* Whether a batch may be filled in one thread while another uses the events of the batches before it. Tracks that
   * were given out change only behind tb_reader_wait; all else that events point to stays until their batch is
   * filled again. */
  bool runs_ahead;

  /* One more than the highest index of its tracks so far; NULL where nobody asks: see tb_source_traits.some_text. */
  uint32_t (*track_count)(const struct tb_reader *reader);

  /* What its events mean. */
  struct tb_source_traits source;

  /* Its records, which reader->watch sees; NULL: it shows none. */
  const struct tb_record_ops *records;

  /* It is a row of Perfetto's packets, which a tb_packet_reader reads too. */
  bool is_packets;
};

/* Where a reader's input comes from, so that it can be opened again. */
struct tb_reader_origin {
  enum { TB_ORIGIN_ONCE, TB_ORIGIN_FILE, TB_ORIGIN_MEMORY, TB_ORIGIN_DESCRIPTOR } kind;
  struct tb_str name; /* NUL-terminated, of the allocator of the options */
  struct tb_str bytes;
  int fd;
  int64_t start;         /* the descriptor's offset at first */
  enum tb_format format; /* that the user named */
};

struct tb_clock_graph; /* perfetto/clock/clock_graph.h */

struct tb_reader {
  const struct tb_reader_ops *ops; /* NULL while a fed reader has not seen enough */
  void *state;
  const struct tb_allocator *allocator; /* the guard's */
  struct tb_guard guard;
  struct tb_input *input;
  struct tb_reader_options options; /* with the defaults filled in */
  struct tb_target_traits target;   /* what the events are for */
  uint32_t first_track;             /* the index that its tracks begin with; one that honours it is fed by another */
  struct tb_record_watch watch;     /* of ops->records */
  void (*wait)(void *ctx); /* until the events of all batches filled before are used up; NULL: they always are */
  void *wait_ctx;
  uint64_t fills, used_up; /* batches filled, and the last of them whose events nobody needs any more, in their order */
  enum tb_format decoded;  /* of the input, where what is read was made of it (convert/registry.h); else UNKNOWN */
  bool took_input_losses;
  bool has_read; /* something of the format was there: an event, or what formats say of things that give none */
  struct tb_losses losses;
  struct tb_losses notes; /* what it assumed, of which nothing was lost */
  struct tb_error error;
  struct tb_batch batch; /* of tb_reader_next */
  size_t next_event;
  struct tb_shaper *shaper; /* makes the one shape of events; NULL: they come as the source has them */
  bool is_shaped;           /* its user takes events of TB_SHAPE_ONE: lines of text come as the events that they say */
  struct tb_intern kept;    /* texts of tb_reader_intern */
  struct tb_reader_origin origin;
  struct tb_clock_graph *clocks; /* of the snapshots that came so far; NULL: none */
  uint32_t trace_clock;          /* of these */
  enum tb_status held;           /* status of fill to give once the batch is used up */
};

/* Counts a loss; where options.strict is set it sets the error instead and returns TB_BAD_DATA, else TB_OK. */
TB_MUST_CHECK enum tb_status tb_reader_lose(struct tb_reader *reader, const char *reason, uint64_t offset);

/* Counts a loss, or `count` of them, and goes on also where options.strict is set. */
void tb_reader_count_loss(struct tb_reader *reader, const char *reason, uint64_t offset);
void tb_reader_count_losses(struct tb_reader *reader, const char *reason, uint64_t count, uint64_t offset);

/* What a reader notes of events that it took from text in which a quote or a comma is missing, say. */
#define TB_NOTE_MENDED "events read from text that is not quite JSON, taken for what it was meant to be"
/* What a reader notes where one trace ends in the input and another one begins. */
#define TB_NOTE_ANOTHER_TRACE "more trace(s) in the same file: all are read as one"

/* Counts what a reader assumed where the source does not say it. */
void tb_reader_note(struct tb_reader *reader, const char *text, uint64_t offset);

/* For formats: waits until nobody reads what was given out in earlier batches, so that tracks may change. */
static inline void tb_reader_wait(struct tb_reader *reader) {
  if (reader->wait) reader->wait(reader->wait_ctx);
}

/* Makes the options those of a reader whose events come as their source has them: for all but the user's own readers.
 */
static inline void tb_reader_options_take_source(struct tb_reader_options *options) {
  options->shape = TB_SHAPE_SOURCE;
  options->sorted = false;
  options->sort_window_ns = 0;
  options->event_types = 0;
}

/* tb_reader_open for any place. *tap (convert/tap.h; may be NULL): of what the input was decoded to, where it was. */
struct tb_tap;
TB_MUST_CHECK enum tb_status tb_reader_open_place(const struct tb_input_place *place,
                                                  const struct tb_reader_options *options, struct tb_tap **tap,
                                                  struct tb_reader **reader, struct tb_error *error);

/* Finds out the format of a reader that is fed and makes ready to read it; TB_OK where that was done before.
 * TB_AGAIN: it has to be fed more first. */
TB_MUST_CHECK enum tb_status tb_reader_find_format(struct tb_reader *reader);

/* Fills `batch` (reset first); as ops->fill, with the format found out first where needed. For converters that run
 * reader and writer in two threads: not to be mixed with tb_reader_next. */
TB_MUST_CHECK enum tb_status tb_reader_fill(struct tb_reader *reader, struct tb_batch *batch);

#endif
