/* SPDX-License-Identifier: Apache-2.0 */
#include "io/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/decompress.h"
#include "io/read_ahead.h"

enum { RAW_BYTES = 256 * 1024, PEEK_BYTES = 4096 };

struct tb_input {
  const struct tb_allocator *allocator;
  char *name;
  int fd;                      /* -1: fed */
  struct tb_input_place place; /* a part: of it what is left to be read is [part_at, its end) */
  uint64_t part_at;
  bool regular, fed_all, raw_end;
  bool detected; /* the first bytes were looked at */
  bool damaged;  /* the compressed data can be read no further */
  enum tb_compression compression;
  struct tb_decompressor *decompressor;
  unsigned threads;
  struct tb_read_ahead *ahead; /* decompresses in a thread of its own; `raw` and `decompressor` are then the thread's */
  int wake[2];                 /* a pipe that ends the thread's waiting for input */
  uint64_t size;
  _Atomic uint64_t bytes_read;
  struct tb_buffer raw; /* stored bytes not yet used are [raw_at, raw.len) */
  size_t raw_at;
  struct tb_buffer peeked; /* decompressed bytes that were looked at but not read: [peeked_at, peeked.len) */
  size_t peeked_at;
};

static struct tb_input *create(const char *name, const struct tb_allocator *allocator) {
  if (!allocator) allocator = tb_default_allocator();
  struct tb_input *in = tb_calloc(allocator, sizeof(*in));
  if (!in) return NULL;
  in->allocator = allocator;
  in->fd = in->wake[0] = in->wake[1] = -1;
  tb_buffer_init(&in->raw, allocator, 0);
  tb_buffer_init(&in->peeked, allocator, PEEK_BYTES);
  size_t len = strlen(name) + 1;
  in->name = tb_alloc(allocator, len);
  if (!in->name) {
    tb_free(allocator, in, sizeof(*in));
    return NULL;
  }
  memcpy(in->name, name, len);
  return in;
}

enum tb_status tb_input_create_feed(const char *name, const struct tb_allocator *allocator, struct tb_input **input,
                                    struct tb_error *error) {
  *input = create(name, allocator);
  return *input ? TB_OK : tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
}

static enum tb_status open_part(struct tb_input *in, struct tb_error *error) {
  in->fd = in->place.fd;
  in->part_at = in->place.start;
  in->regular = true;
  in->size = in->place.len;
  return tb_buffer_reserve(&in->raw, RAW_BYTES) == TB_OK ? TB_OK
                                                         : tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
}

static enum tb_status open_file(struct tb_input *in, const char *path, struct tb_error *error) {
  in->fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
  if (in->fd < 0) return tb_fail_errno(error, TB_IO, errno, "cannot open");
  struct stat st;
  if (fstat(in->fd, &st) != 0) return tb_fail_errno(error, TB_IO, errno, "cannot look at the file");
  if (S_ISDIR(st.st_mode)) return tb_fail(error, TB_UNKNOWN_FORMAT, TB_NO_OFFSET, "is a directory, not a trace file");
  in->regular = S_ISREG(st.st_mode) && lseek(in->fd, 0, SEEK_CUR) == 0;
  if (in->regular) in->size = (uint64_t)st.st_size;
  if (tb_buffer_reserve(&in->raw, RAW_BYTES) != TB_OK)
    return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  return TB_OK;
}

enum tb_status tb_input_open_place(const struct tb_input_place *place, const struct tb_allocator *allocator,
                                   unsigned threads, struct tb_input **input, struct tb_error *error) {
  struct tb_input *in = create(place->name, allocator);
  *input = NULL;
  if (!in) return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  in->threads = threads;
  in->place = *place;
  in->place.name = in->name;
  enum tb_status status = place->part ? open_part(in, error) : open_file(in, in->name, error);
  if (status != TB_OK) {
    tb_error_set_file(error, place->name);
    tb_input_close(in);
    return status;
  }
  *input = in;
  return TB_OK;
}

enum tb_status tb_input_open(const char *path, const struct tb_allocator *allocator, unsigned threads,
                             struct tb_input **input, struct tb_error *error) {
  return tb_input_open_place(&(struct tb_input_place){.name = path}, allocator, threads, input, error);
}

enum tb_status tb_input_open_again(const struct tb_input *in, const struct tb_allocator *allocator,
                                   struct tb_input **again, struct tb_error *error) {
  struct tb_input_place whole = {.name = in->name, .part = true, .fd = in->fd, .len = INT64_MAX};
  return tb_input_open_place(in->place.part ? &in->place : &whole, allocator, 1, again, error);
}

enum tb_status tb_input_feed(struct tb_input *in, const void *data, size_t len) {
  if (in->fd >= 0 || in->fed_all) return TB_INVALID;
  if (in->raw_at) {
    memmove(in->raw.data, in->raw.data + in->raw_at, in->raw.len - in->raw_at);
    in->raw.len -= in->raw_at;
    in->raw_at = 0;
  }
  return tb_buffer_append(&in->raw, data, len);
}

void tb_input_feed_end(struct tb_input *in) { in->fed_all = true; }

/* Waits for input that may take its time; false when the thread that reads is to end. */
static bool wait_for_input(const struct tb_input *in) {
  struct pollfd fds[2] = {{in->fd, POLLIN, 0}, {in->wake[0], POLLIN, 0}};
  while (poll(fds, 2, -1) < 0 && errno == EINTR) continue;
  return fds[1].revents == 0;
}

static ssize_t read_part(struct tb_input *in, char *to, size_t capacity) {
  uint64_t left = in->place.start + in->place.len - in->part_at;
  ssize_t n = pread(in->fd, to, capacity < left ? capacity : (size_t)left, (off_t)in->part_at);
  if (n > 0) in->part_at += (uint64_t)n;
  return n;
}

static enum tb_status read_file(struct tb_input *in, char *to, size_t capacity, size_t *got, struct tb_error *error) {
  for (;;) {
    if (in->wake[0] >= 0 && !wait_for_input(in)) return TB_CANCELLED;
    ssize_t n = in->place.part ? read_part(in, to, capacity) : read(in->fd, to, capacity);
    if (n > 0) {
      atomic_fetch_add_explicit(&in->bytes_read, (uint64_t)n, memory_order_relaxed);
      *got = (size_t)n;
      return TB_OK;
    }
    if (n == 0) {
      in->raw_end = true;
      return TB_END;
    }
    if (errno != EINTR) {
      int code = errno;
      tb_error_set_file(error, in->name);
      return tb_fail_errno(error, TB_IO, code, "cannot read");
    }
  }
}

/* Sees that stored bytes are in `raw`. */
static enum tb_status fill_raw(struct tb_input *in, struct tb_error *error) {
  if (in->raw_at < in->raw.len) return TB_OK;
  if (in->fd < 0) return in->fed_all ? TB_END : TB_AGAIN;
  if (in->raw_end) return TB_END;
  in->raw_at = in->raw.len = 0;
  return read_file(in, in->raw.data, in->raw.capacity, &in->raw.len, error);
}

/* Sees that `n` stored bytes are in `raw`, or all that there are. */
static enum tb_status look_ahead(struct tb_input *in, size_t n, struct tb_error *error) {
  enum tb_status status = fill_raw(in, error);
  while (status == TB_OK && in->raw.len - in->raw_at < n) {
    if (in->fd < 0) return in->fed_all ? TB_OK : TB_AGAIN;
    size_t got = 0;
    status = read_file(in, in->raw.data + in->raw.len, in->raw.capacity - in->raw.len, &got, error);
    in->raw.len += got;
  }
  return status == TB_END && in->raw.len > in->raw_at ? TB_OK : status;
}

/* The decompressed bytes that follow. TB_TRUNCATED where the data ends inside a member or is damaged. */
static enum tb_status decompress_some(struct tb_input *in, char *to, size_t capacity, size_t *got,
                                      struct tb_error *error) {
  while (!in->damaged) {
    const char *from = in->raw.data + in->raw_at;
    enum tb_status status = tb_decompress(in->decompressor, &from, in->raw.data + in->raw.len, to, capacity, got);
    in->raw_at = (size_t)(from - in->raw.data);
    in->damaged = status != TB_OK;
    if (*got) return TB_OK;
    if (in->damaged) break;
    status = fill_raw(in, error);
    if (status == TB_END && !tb_decompressor_may_end(in->decompressor))
      in->damaged = true;
    else if (status != TB_OK)
      return status;
  }
  return TB_TRUNCATED;
}

static enum tb_status produce(void *ctx, char *to, size_t capacity, size_t *got, struct tb_error *error) {
  return decompress_some(ctx, to, capacity, got, error);
}

/* Without a thread to be had, reading goes on in the caller's. */
static void start_thread(struct tb_input *in) {
  if (in->threads < 2 || in->fd < 0) return;
  if (!in->regular && pipe(in->wake) != 0) {
    in->wake[0] = in->wake[1] = -1;
    return;
  }
  in->ahead = tb_read_ahead_start(in->allocator, produce, in);
}

static enum tb_status detect_compression(struct tb_input *in, struct tb_error *error) {
  if (in->detected) return TB_OK;
  enum tb_status status = look_ahead(in, TB_COMPRESSION_MAGIC, error);
  if (status != TB_OK) return status;
  in->compression = tb_compression_detect(in->raw.data + in->raw_at, in->raw.len - in->raw_at);
  in->detected = true;
  if (in->compression == TB_COMPRESSION_NONE) return TB_OK;
  in->decompressor = tb_decompressor_create(in->compression, in->allocator);
  if (!in->decompressor) {
    in->detected = false;
    return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  }
  start_thread(in);
  return TB_OK;
}

static enum tb_status read_decompressed(struct tb_input *in, char *to, size_t capacity, size_t *got,
                                        struct tb_error *error) {
  enum tb_status status = detect_compression(in, error);
  if (status != TB_OK) return status;
  if (in->ahead) return tb_read_ahead_read(in->ahead, to, capacity, got, error);
  if (in->compression != TB_COMPRESSION_NONE) return decompress_some(in, to, capacity, got, error);
  if (in->fd >= 0 && in->raw_at == in->raw.len && !in->raw_end) return read_file(in, to, capacity, got, error);
  status = fill_raw(in, error);
  if (status != TB_OK) return status;
  size_t n = in->raw.len - in->raw_at < capacity ? in->raw.len - in->raw_at : capacity;
  memcpy(to, in->raw.data + in->raw_at, n);
  in->raw_at += n;
  *got = n;
  return TB_OK;
}

enum tb_status tb_input_read(struct tb_input *in, char *to, size_t capacity, size_t *got, struct tb_error *error) {
  *got = 0;
  size_t held = in->peeked.len - in->peeked_at;
  if (held) {
    *got = held < capacity ? held : capacity;
    memcpy(to, in->peeked.data + in->peeked_at, *got);
    in->peeked_at += *got;
    return TB_OK;
  }
  return read_decompressed(in, to, capacity, got, error);
}

enum tb_status tb_input_peek(struct tb_input *in, const char **data, size_t capacity, size_t *got,
                             struct tb_error *error) {
  *got = 0;
  if (tb_buffer_reserve(&in->peeked, PEEK_BYTES - in->peeked.len) != TB_OK)
    return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  enum tb_status status = TB_OK;
  while (in->peeked.len - in->peeked_at < capacity && in->peeked.len < PEEK_BYTES) {
    size_t n = 0;
    status = read_decompressed(in, in->peeked.data + in->peeked.len, PEEK_BYTES - in->peeked.len, &n, error);
    if (status != TB_OK) break;
    in->peeked.len += n;
  }
  *data = in->peeked.data + in->peeked_at;
  *got = in->peeked.len - in->peeked_at;
  if (*got && (status == TB_END || status == TB_TRUNCATED)) return TB_OK;
  return status;
}

bool tb_input_can_rewind(const struct tb_input *in) {
  return in->regular && in->detected && in->compression == TB_COMPRESSION_NONE;
}

enum tb_status tb_input_seek(struct tb_input *in, uint64_t offset, struct tb_error *error) {
  if (!tb_input_can_rewind(in) || offset > INT64_MAX) return TB_INVALID;
  if (in->place.part)
    in->part_at = in->place.start + (offset < in->place.len ? offset : in->place.len);
  else if (lseek(in->fd, (off_t)offset, SEEK_SET) < 0)
    return tb_fail_errno(error, TB_IO, errno, "cannot go to a place in the file");
  in->raw_at = in->raw.len = in->peeked_at = in->peeked.len = 0;
  in->raw_end = false;
  in->bytes_read = offset;
  return TB_OK;
}

enum tb_status tb_input_rewind(struct tb_input *in, struct tb_error *error) { return tb_input_seek(in, 0, error); }

const char *tb_input_name(const struct tb_input *in) { return in->name; }
uint64_t tb_input_bytes_read(const struct tb_input *in) {
  return atomic_load_explicit(&in->bytes_read, memory_order_relaxed);
}
uint64_t tb_input_size(const struct tb_input *in) { return in->size; }

void tb_input_close(struct tb_input *in) {
  if (!in) return;
  if (in->wake[1] >= 0) (void)close(in->wake[1]); /* the thread sees the pipe end */
  tb_read_ahead_stop(in->ahead);
  if (in->wake[0] >= 0) (void)close(in->wake[0]);
  if (in->fd >= 0 && !in->place.part) (void)close(in->fd);
  tb_decompressor_destroy(in->decompressor);
  tb_buffer_free(&in->raw);
  tb_buffer_free(&in->peeked);
  tb_free(in->allocator, in->name, strlen(in->name) + 1);
  tb_free(in->allocator, in, sizeof(*in));
}
