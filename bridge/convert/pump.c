/* SPDX-License-Identifier: Apache-2.0 */
#include "convert/pump.h"

#include "base/error.h"
#include "io/ring.h"

/* A side that has to wait goes on when it has work for some slots: waking costs as much as some events. */
enum { SLOTS = 8, SOME = 4 };

/* A batch on its way from the reader to the writer. */
struct pump_slot {
  struct tb_batch batch;
  enum tb_status status; /* of the reader after it filled the batch */
  uint64_t bytes_read;
};

struct relay {
  struct tb_reader *reader;
  struct tb_ring ring;
  struct pump_slot slots[SLOTS];
};

/* Where there are many tracks and events change from one to another, each would wait for memory several times: so that
 * of later events is fetched while this one is written, by `STEP` events earlier for each stage. */
static void prefetch(const struct tb_writer *writer, const struct tb_batch *batch, size_t at) {
  enum { STEP = 4 };
  for (unsigned stage = TB_WRITER_PREFETCH_STAGES; stage-- > 0;) {
    at += STEP;
    if (at >= batch->event_count) return;
    writer->ops->prefetch(writer, &batch->events[at], stage);
  }
}

static enum tb_status put_batch(struct tb_writer *writer, const struct tb_batch *batch) {
  for (size_t i = 0; i < batch->event_count; i++) {
    if (writer->prefetches) prefetch(writer, batch, i);
    enum tb_status status = tb_writer_take(writer, &batch->events[i]);
    if (status != TB_OK) return status;
  }
  return TB_OK;
}

static enum tb_status pump_alone(struct tb_reader *reader, struct tb_writer *writer, tb_progress progress, void *ctx) {
  struct tb_batch *batch = &reader->batch;
  for (;;) {
    enum tb_status read = tb_reader_fill(reader, batch);
    enum tb_status put = put_batch(writer, batch);
    if (put != TB_OK) return put;
    if (read != TB_OK) return read == TB_END ? TB_OK : read;
    if (progress && !progress(ctx, tb_reader_bytes_read(reader), tb_reader_size(reader))) return TB_CANCELLED;
  }
}

/* Waits until the writer has used up all that it was given. */
static void wait_for_writer(void *ctx) { tb_ring_drain(&((struct relay *)ctx)->ring); }

/* The reader's thread. */
static void *read_all(void *arg) {
  struct relay *relay = arg;
  enum tb_status status = TB_OK;
  size_t i;
  while (status == TB_OK && (i = tb_ring_free_slot(&relay->ring)) != TB_RING_CLOSED) {
    struct pump_slot *slot = &relay->slots[i];
    status = slot->status = tb_reader_fill(relay->reader, &slot->batch);
    slot->bytes_read = tb_reader_bytes_read(relay->reader);
    tb_ring_publish(&relay->ring, status != TB_OK);
  }
  return NULL;
}

static enum tb_status write_all(struct relay *relay, struct tb_writer *writer, tb_progress progress, void *ctx) {
  uint64_t size = tb_reader_size(relay->reader);
  for (;;) {
    /* there is one: the reader says in its last one that nothing follows */
    const struct pump_slot *slot = &relay->slots[tb_ring_filled_slot(&relay->ring)];
    enum tb_status read = slot->status, put = put_batch(writer, &slot->batch);
    if (put == TB_OK && read == TB_OK && progress && !progress(ctx, slot->bytes_read, size)) put = TB_CANCELLED;
    if (put != TB_OK) return put;
    if (read != TB_OK) return read == TB_END ? TB_OK : read;
    tb_ring_release(&relay->ring);
  }
}

static enum tb_status pump_with_thread(struct relay *relay, struct tb_writer *writer, tb_progress progress, void *ctx) {
  relay->reader->wait = wait_for_writer;
  relay->reader->wait_ctx = relay;
  bool started = tb_ring_start(&relay->ring, SLOTS, SOME, read_all, relay);
  enum tb_status status = started ? write_all(relay, writer, progress, ctx) : TB_OK;
  if (started) tb_ring_stop(&relay->ring);
  relay->reader->wait = NULL;
  return started ? status : pump_alone(relay->reader, writer, progress, ctx);
}

enum tb_status tb_pump(struct tb_reader *reader, struct tb_writer *writer, unsigned threads, tb_progress progress,
                       void *ctx) {
  if (threads < 2 || !reader->ops || !reader->ops->runs_ahead) return pump_alone(reader, writer, progress, ctx);
  struct relay *relay = tb_calloc(reader->allocator, sizeof(*relay));
  if (!relay) return tb_fail(&writer->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  relay->reader = reader;
  for (size_t i = 0; i < SLOTS; i++) tb_batch_init(&relay->slots[i].batch, reader->allocator);
  enum tb_status status = pump_with_thread(relay, writer, progress, ctx);
  for (size_t i = 0; i < SLOTS; i++) tb_batch_free(&relay->slots[i].batch);
  tb_free(reader->allocator, relay, sizeof(*relay));
  return status;
}
