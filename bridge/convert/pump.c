/* SPDX-License-Identifier: Apache-2.0 */
#include "convert/pump.h"

#include <pthread.h>

#include "base/error.h"

/* A side that has to wait is woken when it has work for a while: waking costs as much as some events. */
enum { SLOTS = 8, SOME = 4 };

/* A batch on its way from the reader to the writer. */
struct pump_slot {
  struct tb_batch batch;
  enum tb_status status; /* of the reader after it filled the batch */
  uint64_t bytes_read;
};

struct relay {
  struct tb_reader *reader;
  struct pump_slot slots[SLOTS];
  pthread_mutex_t mutex;
  pthread_cond_t for_reader, for_writer;
  /* guarded by the mutex */
  size_t filled, taken;     /* counts of slots filled and emptied so far */
  bool ended;               /* the reader has no more */
  bool stop;                /* the writer wants no more */
  bool draining;            /* the reader waits until all is taken */
  bool reader_full, hungry; /* the reader waits for free slots, the writer for filled ones */
};

static enum tb_status put_batch(struct tb_writer *writer, const struct tb_batch *batch) {
  for (size_t i = 0; i < batch->event_count; i++) {
    enum tb_status status = tb_writer_put(writer, &batch->events[i]);
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

/* ---- the reader's thread ----------------------------------------------------------------------------------------- */

/* Waits until a slot is free; NULL when the writer wants no more. */
static struct pump_slot *free_slot(struct relay *relay) {
  (void)pthread_mutex_lock(&relay->mutex);
  relay->reader_full = relay->filled - relay->taken == SLOTS;
  while (!relay->stop && relay->reader_full) (void)pthread_cond_wait(&relay->for_reader, &relay->mutex);
  struct pump_slot *slot = relay->stop ? NULL : &relay->slots[relay->filled % SLOTS];
  (void)pthread_mutex_unlock(&relay->mutex);
  return slot;
}

/* Waits until the writer has used up all that it was given. */
static void wait_for_writer(void *ctx) {
  struct relay *relay = ctx;
  (void)pthread_mutex_lock(&relay->mutex);
  relay->draining = relay->filled != relay->taken;
  if (relay->draining) (void)pthread_cond_signal(&relay->for_writer);
  while (!relay->stop && relay->draining) (void)pthread_cond_wait(&relay->for_reader, &relay->mutex);
  (void)pthread_mutex_unlock(&relay->mutex);
}

static void *read_all(void *arg) {
  struct relay *relay = arg;
  struct pump_slot *slot;
  enum tb_status status = TB_OK;
  while (status == TB_OK && (slot = free_slot(relay)) != NULL) {
    status = slot->status = tb_reader_fill(relay->reader, &slot->batch);
    slot->bytes_read = tb_reader_bytes_read(relay->reader);
    (void)pthread_mutex_lock(&relay->mutex);
    relay->filled++;
    relay->ended = status != TB_OK;
    if (relay->hungry && (relay->ended || relay->filled - relay->taken >= SOME))
      (void)pthread_cond_signal(&relay->for_writer);
    (void)pthread_mutex_unlock(&relay->mutex);
  }
  return NULL;
}

/* ---- the writer's side ------------------------------------------------------------------------------------------- */

static struct pump_slot *filled_slot(struct relay *relay) {
  (void)pthread_mutex_lock(&relay->mutex);
  relay->hungry = relay->filled == relay->taken;
  while (relay->hungry) {
    (void)pthread_cond_wait(&relay->for_writer, &relay->mutex);
    size_t waiting = relay->filled - relay->taken;
    relay->hungry = waiting == 0 || (waiting < SOME && !relay->ended && !relay->draining);
  }
  (void)pthread_mutex_unlock(&relay->mutex);
  return &relay->slots[relay->taken % SLOTS];
}

static void release_slot(struct relay *relay, bool stop) {
  (void)pthread_mutex_lock(&relay->mutex);
  relay->taken++;
  relay->stop = stop;
  size_t waiting = relay->filled - relay->taken;
  bool wake = stop || (relay->reader_full && waiting <= SLOTS - SOME) || (relay->draining && !waiting);
  if (waiting <= SLOTS - SOME) relay->reader_full = false;
  if (!waiting) relay->draining = false;
  if (wake) (void)pthread_cond_signal(&relay->for_reader);
  (void)pthread_mutex_unlock(&relay->mutex);
}

static enum tb_status write_all(struct relay *relay, struct tb_writer *writer, tb_progress progress, void *ctx) {
  uint64_t size = tb_reader_size(relay->reader);
  for (;;) {
    const struct pump_slot *slot = filled_slot(relay);
    enum tb_status read = slot->status, put = put_batch(writer, &slot->batch);
    bool go_on = put == TB_OK && read == TB_OK;
    if (go_on && progress && !progress(ctx, slot->bytes_read, size)) {
      put = TB_CANCELLED;
      go_on = false;
    }
    release_slot(relay, !go_on);
    if (put != TB_OK) return put;
    if (read != TB_OK) return read == TB_END ? TB_OK : read;
  }
}

static enum tb_status pump_with_thread(struct relay *relay, struct tb_writer *writer, tb_progress progress, void *ctx) {
  pthread_t thread;
  relay->reader->wait = wait_for_writer;
  relay->reader->wait_ctx = relay;
  bool started = pthread_create(&thread, NULL, read_all, relay) == 0;
  enum tb_status status = started ? write_all(relay, writer, progress, ctx) : TB_OK;
  if (started) (void)pthread_join(thread, NULL);
  relay->reader->wait = NULL;
  return started ? status : pump_alone(relay->reader, writer, progress, ctx);
}

enum tb_status tb_pump(struct tb_reader *reader, struct tb_writer *writer, unsigned threads, tb_progress progress,
                       void *ctx) {
  if (threads < 2 || !reader->ops || !reader->ops->runs_ahead) return pump_alone(reader, writer, progress, ctx);
  struct relay *relay = tb_calloc(reader->allocator, sizeof(*relay));
  if (!relay) return tb_fail(&writer->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  relay->reader = reader;
  (void)pthread_mutex_init(&relay->mutex, NULL);
  (void)pthread_cond_init(&relay->for_reader, NULL);
  (void)pthread_cond_init(&relay->for_writer, NULL);
  for (size_t i = 0; i < SLOTS; i++) tb_batch_init(&relay->slots[i].batch, reader->allocator);
  enum tb_status status = pump_with_thread(relay, writer, progress, ctx);
  for (size_t i = 0; i < SLOTS; i++) tb_batch_free(&relay->slots[i].batch);
  (void)pthread_cond_destroy(&relay->for_writer);
  (void)pthread_cond_destroy(&relay->for_reader);
  (void)pthread_mutex_destroy(&relay->mutex);
  tb_free(reader->allocator, relay, sizeof(*relay));
  return status;
}
