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
#include "io/archive.h"
#include "io/decompress.h"
#include "io/read_ahead.h"
#include "io/temp_file.h"

enum { RAW_BYTES = 256 * 1024, PEEK_BYTES = 4096 };

struct tb_input {
  const struct tb_allocator *allocator;
  char *name;
  int fd;                          /* -1: fed, or of a source */
  struct tb_input_source source;   /* its `read` is NULL where it is a file, or fed */
  struct tb_input *beneath;        /* owned with the source; NULL: none */
  const struct tb_input *fed_from; /* NULL: nobody said */
  bool own_part;                   /* the part's descriptor is closed with it */
  bool cut;                        /* it is as much of an input as could be read: TB_TRUNCATED at its end */
  struct tb_input_place place;     /* a part: of it what is left to be read is [part_at, its end) */
  uint64_t part_at;
  bool regular, fed_all, raw_end;
  bool detected; /* the first bytes were looked at */
  bool damaged;  /* the compressed data can be read no further, ... */
  bool bad;      /* ... since it makes no sense, and not for its end */
  enum tb_compression compression;
  struct tb_decompressor *decompressor;
  struct tb_archive_source packed;
  struct tb_archive *unpacker; /* in place of a decompressor */
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

/* Whether reading may wait for someone who writes. */
static bool may_wait(const struct tb_input *in) {
  while (in->beneath) in = in->beneath;
  return !in->regular;
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

bool tb_input_can_open_again(const struct tb_input *in) { return in->regular; }

enum tb_status tb_input_open_again(const struct tb_input *in, const struct tb_allocator *allocator,
                                   struct tb_input **again, struct tb_error *error) {
  struct tb_input_place whole = {.name = in->name, .part = true, .fd = in->fd, .len = INT64_MAX};
  enum tb_status status = tb_input_open_place(in->place.part ? &in->place : &whole, allocator, 1, again, error);
  if (status == TB_OK && *again) {
    (*again)->cut = in->cut;
    (*again)->size = in->size;
  }
  return status;
}

enum tb_status tb_input_open_inside(const char *name, const struct tb_input_source *source, struct tb_input *beneath,
                                    const struct tb_allocator *allocator, unsigned threads, struct tb_input **input,
                                    struct tb_error *error) {
  struct tb_input *in = create(name, allocator);
  *input = NULL;
  if (in && tb_buffer_reserve(&in->raw, RAW_BYTES) == TB_OK) {
    in->threads = !beneath || may_wait(beneath) ? 1 : threads;
    in->source = *source;
    in->beneath = beneath;
    *input = in;
    return TB_OK;
  }
  tb_input_close(in);
  return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
}

static bool is_fed(const struct tb_input *in) { return in->fd < 0 && !in->source.read; }

enum tb_status tb_input_feed(struct tb_input *in, const void *data, size_t len) {
  if (!is_fed(in) || in->fed_all) return TB_INVALID;
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
  if (in->source.read) return in->source.read(in->source.ctx, to, capacity, got, error);
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
      return in->cut ? TB_TRUNCATED : TB_END;
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
  if (is_fed(in)) return in->fed_all ? TB_END : TB_AGAIN;
  if (in->raw_end) return in->cut ? TB_TRUNCATED : TB_END;
  in->raw_at = in->raw.len = 0;
  return read_file(in, in->raw.data, in->raw.capacity, &in->raw.len, error);
}

/* Sees that `n` stored bytes are in `raw`, or all that there are. */
static enum tb_status look_ahead(struct tb_input *in, size_t n, struct tb_error *error) {
  enum tb_status status = fill_raw(in, error);
  while (status == TB_OK && in->raw.len - in->raw_at < n) {
    if (is_fed(in)) return in->fed_all ? TB_OK : TB_AGAIN;
    size_t got = 0;
    status = read_file(in, in->raw.data + in->raw.len, in->raw.capacity - in->raw.len, &got, error);
    in->raw.len += got;
  }
  return (status == TB_END || status == TB_TRUNCATED) && in->raw.len > in->raw_at ? TB_OK : status;
}

/* ---- what libarchive decompresses -------------------------------------------------------------------------------- */

static enum tb_status give_stored(void *ctx, char *to, size_t capacity, size_t *got, struct tb_error *error) {
  struct tb_input *in = ctx;
  enum tb_status status = fill_raw(in, error);
  if (status != TB_OK) return status;
  *got = in->raw.len - in->raw_at < capacity ? in->raw.len - in->raw_at : capacity;
  memcpy(to, in->raw.data + in->raw_at, *got);
  in->raw_at += *got;
  return TB_OK;
}

static enum tb_status unpack_some(struct tb_input *in, char *to, size_t capacity, size_t *got, struct tb_error *error) {
  if (!in->unpacker && !in->damaged) {
    in->packed = (struct tb_archive_source){.ctx = in, .read = give_stored};
    enum tb_status opened = tb_archive_open_compressed(&in->packed, in->allocator, &in->unpacker, error);
    if (opened != TB_OK && opened != TB_BAD_DATA) return opened;
    in->damaged = opened != TB_OK;
  }
  struct tb_error why = {0};
  enum tb_status status = in->damaged ? TB_BAD_DATA : tb_archive_read(in->unpacker, to, capacity, got, &why);
  if (status == TB_OK || status == TB_END) return status;
  in->damaged = true;
  if (status == TB_BAD_DATA) return TB_TRUNCATED;
  if (error && error->code == TB_OK) *error = why;
  return status;
}

bool tb_input_is_bad(const struct tb_input *in) { return in->bad; }

/* ---- decompression ----------------------------------------------------------------------------------------------- */

/* The decompressed bytes that follow. TB_TRUNCATED where the data ends inside a member or is damaged. */
static enum tb_status decompress_some(struct tb_input *in, char *to, size_t capacity, size_t *got,
                                      struct tb_error *error) {
  if (tb_compression_is_foreign(in->compression)) return unpack_some(in, to, capacity, got, error);
  while (!in->damaged) {
    const char *from = in->raw.data + in->raw_at;
    enum tb_status status = tb_decompress(in->decompressor, &from, in->raw.data + in->raw.len, to, capacity, got);
    in->raw_at = (size_t)(from - in->raw.data);
    in->damaged = in->bad = status != TB_OK;
    if (*got) return TB_OK;
    if (in->damaged) break;
    status = fill_raw(in, error);
    if (status == TB_TRUNCATED || (status == TB_END && !tb_decompressor_may_end(in->decompressor)))
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
  if (in->threads < 2 || is_fed(in)) return;
  if (!in->regular && !in->source.read && pipe(in->wake) != 0) {
    in->wake[0] = in->wake[1] = -1;
    return;
  }
  in->ahead = tb_read_ahead_start(in->allocator, produce, in);
}

/* How the stored bytes that follow are compressed; what is before them is passed over. */
static enum tb_status find_compression(struct tb_input *in, struct tb_error *error) {
  enum tb_status status = look_ahead(in, TB_COMPRESSION_MAGIC, error);
  if (status == TB_OK && tb_compression_may_be_text(in->raw.data + in->raw_at, in->raw.len - in->raw_at))
    status = look_ahead(in, TB_COMPRESSION_TEXT, error);
  if (status != TB_OK) return status;
  size_t before;
  in->compression = tb_compression_detect(in->raw.data + in->raw_at, in->raw.len - in->raw_at, &before);
  in->raw_at += before;
  if (is_fed(in) && tb_compression_is_foreign(in->compression)) in->compression = TB_COMPRESSION_NONE;
  in->detected = true;
  return TB_OK;
}

static enum tb_status detect_compression(struct tb_input *in, struct tb_error *error) {
  if (in->detected) return TB_OK;
  enum tb_status status = find_compression(in, error);
  if (status != TB_OK || in->compression == TB_COMPRESSION_NONE) return status;
  if (!tb_compression_is_foreign(in->compression)) {
    in->decompressor = tb_decompressor_create(in->compression, in->allocator);
    if (!in->decompressor) {
      in->detected = false;
      return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
    }
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
  if (!is_fed(in) && in->raw_at == in->raw.len && !in->raw_end) return read_file(in, to, capacity, got, error);
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

const struct tb_losses *tb_input_losses(const struct tb_input *in) {
  while (!in->source.losses && in->beneath) in = in->beneath;
  return in->source.losses;
}

void tb_input_feed_from(struct tb_input *fed, const struct tb_input *from) { fed->fed_from = from; }

const struct tb_input *tb_input_to_read_again(const struct tb_input *in) {
  if (tb_input_can_rewind(in)) return in;
  return in->fed_from && tb_input_can_open_again(in->fed_from) ? in->fed_from : NULL;
}

uint64_t tb_input_place_of(const struct tb_input *in, uint64_t offset) {
  for (; in && offset != TB_NO_OFFSET; in = in->beneath ? in->beneath : in->fed_from)
    if (in->source.place) offset = in->source.place(in->source.ctx, offset);
  return offset;
}

const char *tb_input_name(const struct tb_input *in) { return in->name; }
uint64_t tb_input_bytes_read(const struct tb_input *in) {
  while (in->beneath) in = in->beneath;
  return atomic_load_explicit(&in->bytes_read, memory_order_relaxed);
}
uint64_t tb_input_size(const struct tb_input *in) {
  while (in->beneath) in = in->beneath;
  return in->size;
}

/* ---- what can be read once only ---------------------------------------------------------------------------------- */

enum { KEEP_BYTES = 1 << 30, KEEP_TIMES = 256 };

static enum tb_status copy_to(struct tb_input *in, int fd, uint64_t most, uint64_t *len, struct tb_error *error) {
  enum { COPY_BYTES = 1 << 16 };
  char *bytes = tb_alloc(in->allocator, COPY_BYTES);
  if (!bytes) return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  enum tb_status status = TB_OK;
  for (*len = 0; status == TB_OK;) {
    size_t got;
    status = tb_input_read(in, bytes, COPY_BYTES, &got, error);
    if (status == TB_OK && *len + got > most && (*len + got) / KEEP_TIMES > tb_input_bytes_read(in))
      status = tb_fail(error, TB_LIMIT, TB_NO_OFFSET,
                       "unpacks to far more than its size (1 GiB and 256 times): unpack it, and read what is in it");
    if (status == TB_OK) status = tb_temp_file_write_all_at(fd, *len, bytes, got, error);
    if (status == TB_OK) *len += got;
  }
  tb_free(in->allocator, bytes, COPY_BYTES);
  return status;
}

enum tb_status tb_input_keep(struct tb_input **input, struct tb_error *error) {
  return tb_input_keep_within(input, KEEP_BYTES, error);
}

enum tb_status tb_input_keep_within(struct tb_input **input, uint64_t most, struct tb_error *error) {
  struct tb_input *in = *input, *kept = NULL;
  if (tb_input_can_open_again(in)) return TB_OK;
  struct tb_input_place place = {.name = in->name, .part = true, .fd = tb_temp_file_create_nameless(NULL, error)};
  if (place.fd < 0) return TB_IO;
  enum tb_status read = copy_to(in, place.fd, most, &place.len, error), status = read;
  if (read == TB_END || read == TB_TRUNCATED)
    status = tb_input_open_place(&place, in->allocator, in->threads, &kept, error);
  if (status != TB_OK || !kept) {
    (void)close(place.fd);
    return status;
  }
  kept->own_part = true;
  kept->cut = read == TB_TRUNCATED;
  tb_input_close(in);
  *input = kept;
  return TB_OK;
}

static void close_one(struct tb_input *in) {
  if (in->wake[1] >= 0) (void)close(in->wake[1]); /* the thread sees the pipe end */
  tb_read_ahead_stop(in->ahead);
  if (in->wake[0] >= 0) (void)close(in->wake[0]);
  if (in->fd >= 0 && (!in->place.part || in->own_part)) (void)close(in->fd);
  tb_decompressor_destroy(in->decompressor);
  tb_archive_close(in->unpacker);
  if (in->source.close) in->source.close(in->source.ctx);
  tb_buffer_free(&in->raw);
  tb_buffer_free(&in->peeked);
  tb_free(in->allocator, in->name, strlen(in->name) + 1);
  tb_free(in->allocator, in, sizeof(*in));
}

void tb_input_close(struct tb_input *in) {
  while (in) {
    struct tb_input *beneath = in->beneath;
    close_one(in);
    in = beneath;
  }
}
