/* SPDX-License-Identifier: Apache-2.0
 *
 * What fuzz_calls.c is made of: the bytes as numbers and choices, the values that calls take, and the objects that they
 * are made on.
 */
#ifndef TB_FUZZ_CALLS_H
#define TB_FUZZ_CALLS_H

#include "tracebridge/columns.h"
#include "tracebridge/packet.h"
#include "tracebridge/writer.h"

enum { ARGS = 6, TRACKS = 4, TEXT = 24, BATCHES = 3 };

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

static inline unsigned byte(struct calls *c) { return c->data < c->end ? *c->data++ : 0; }

/* Mostly a small number, now and then any. */
static inline uint64_t number(struct calls *c) {
  unsigned first = byte(c);
  uint64_t value = 0;
  if (first < 0xf0) return first & 0xf;
  for (unsigned i = 0; i < 8; i++) value = value << 8 | byte(c);
  return first & 1 ? value : value >> 40;
}

/* Mostly below `count`, now and then any. */
static inline unsigned choice(struct calls *c, unsigned count) {
  unsigned first = byte(c);
  return first < 0xf8 ? first % count : (unsigned)byte(c) << 24 | byte(c);
}

/* ---- calls_memory.c ---------------------------------------------------------------------------------------------- */

extern const struct tb_allocator calls_allocator;

/* ---- calls_values.c ---------------------------------------------------------------------------------------------- */

/* A small trace of JSON, `calls_json_len` bytes. */
extern const char calls_json[];
extern const size_t calls_json_len;

void calls_make_track(struct calls *c);
struct tb_event calls_make_event(struct calls *c);

/* Takes what a writer writes, up to a bound that the bytes choose; `ctx` is the struct calls. */
bool calls_take_bytes(void *ctx, const void *data, size_t len);

/* ---- calls_streams.c --------------------------------------------------------------------------------------------- */

/* One call on readers and writers of events and packets, by `which`; and on columns. */
void calls_use_stream(struct calls *c, unsigned which);
void calls_use_columns(struct calls *c, unsigned which);
void calls_close(struct calls *c);

/* ---- calls_files.c ----------------------------------------------------------------------------------------------- */

/* A call of what works on whole files, on a file of its own. */
void calls_use_tool(struct calls *c);

#endif
