/* SPDX-License-Identifier: Apache-2.0
 *
 * A batch: some events in a row with all the memory that they point to, but their tracks. Readers fill batches, so that
 * reading and writing may run in two threads; tb_reader_next walks over one.
 */
#ifndef TB_MODEL_BATCH_H
#define TB_MODEL_BATCH_H

#include <string.h>

#include "base/memory.h"
#include "json/tokenizer.h"
#include "tracebridge/event.h"

enum { TB_BATCH_TEXT_BYTES = 64 * 1024, TB_BATCH_EVENTS = 512, TB_BATCH_ARGS = 16384 };

/* Input bytes end with this many readable bytes of zero, so that scanners may look ahead. */
enum { TB_BATCH_PADDING = TB_TOKENIZER_PADDING };

struct tb_batch {
  const struct tb_allocator *allocator;
  struct tb_event *events;
  size_t event_count, event_capacity;
  struct tb_arg *args;
  size_t arg_count, arg_capacity;
  char *text;                     /* input bytes that events' slices point into */
  size_t text_len, text_capacity; /* TB_BATCH_PADDING more bytes are allocated */
  struct tb_arena arena;          /* unescaped strings, stacks, whatever else */
  bool has_clocks;                /* an event reads clocks */
  bool has_text;                  /* a TB_EVENT_SYSTEM_TRACE is in it that the source itself has as text */
  uint64_t fill;                  /* which fill of its reader it is of, counted from 1; 0: of none */
};

void tb_batch_init(struct tb_batch *batch, const struct tb_allocator *allocator);
/* Empties it; memory stays for reuse. */
void tb_batch_reset(struct tb_batch *batch);
void tb_batch_free(struct tb_batch *batch);

/* Of a batch that has none yet, the memory of its events. False when that is exhausted, or all of it is used. */
bool tb_batch_make_events(struct tb_batch *batch);

/* Sets an event to zero. Its size is one that the compiler does not know: what it would inline for it is several times
 * slower than the library's. */
static inline void tb_batch_clear_event(struct tb_event *event) {
  size_t size = sizeof(*event);
  __asm__("" : "+r"(size));
  memset(event, 0, size);
}

/* The next event, zeroed, or NULL when memory is exhausted or the batch holds TB_BATCH_EVENTS. Readers call it for each
 * event: inline. */
static inline struct tb_event *tb_batch_add_event(struct tb_batch *batch) {
  if (batch->event_count == batch->event_capacity && !tb_batch_make_events(batch)) return NULL;
  struct tb_event *event = &batch->events[batch->event_count++];
  tb_batch_clear_event(event);
  return event;
}

#endif
