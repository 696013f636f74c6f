/* SPDX-License-Identifier: Apache-2.0 */
#include "base/input.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/error.h"
#include "base/memory.h"

enum { RAW_BYTES = 256 * 1024, PEEK_BYTES = 4096 };

struct tb_input {
  const struct tb_allocator *allocator;
  char *name;
  int fd; /* -1: fed */
  bool regular, fed_all, raw_end;
  bool told, gzip; /* told: the first bytes were looked at */
  bool inflating;  /* inside a gzip member */
  z_stream z;
  uint64_t size, bytes_read;
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
  in->fd = -1;
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

static enum tb_status open_file(struct tb_input *in, const char *path, struct tb_error *error) {
  in->fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
  if (in->fd < 0) return tb_fail_errno(error, TB_IO, errno, "cannot open");
  struct stat st;
  if (fstat(in->fd, &st) != 0) return tb_fail_errno(error, TB_IO, errno, "cannot look at the file");
  if (S_ISDIR(st.st_mode)) return tb_fail(error, TB_UNKNOWN_FORMAT, TB_NO_OFFSET, "is a directory, not a trace file");
  in->regular = S_ISREG(st.st_mode) && lseek(in->fd, 0, SEEK_CUR) == 0;
  if (in->regular) in->size = (uint64_t)st.st_size;
  if (tb_buffer_reserve(&in->raw, RAW_BYTES) != TB_OK) return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  return TB_OK;
}

enum tb_status tb_input_open(const char *path, const struct tb_allocator *allocator, unsigned threads,
                             struct tb_input **input, struct tb_error *error) {
  (void)threads;
  struct tb_input *in = create(path, allocator);
  *input = NULL;
  if (!in) return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  enum tb_status status = open_file(in, path, error);
  if (status != TB_OK) {
    tb_error_set_file(error, path);
    tb_input_close(in);
    return status;
  }
  *input = in;
  return TB_OK;
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

static enum tb_status read_file(struct tb_input *in, char *to, size_t capacity, size_t *got, struct tb_error *error) {
  for (;;) {
    ssize_t n = read(in->fd, to, capacity);
    if (n > 0) {
      in->bytes_read += (uint64_t)n;
      *got = (size_t)n;
      return TB_OK;
    }
    if (n == 0) {
      in->raw_end = true;
      return TB_END;
    }
    if (errno != EINTR) {
      tb_error_set_file(error, in->name);
      return tb_fail_errno(error, TB_IO, errno, "cannot read");
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

static enum tb_status tell_compression(struct tb_input *in, struct tb_error *error) {
  if (in->told) return TB_OK;
  enum tb_status status = fill_raw(in, error);
  if (status != TB_OK) return status;
  if (in->raw.len - in->raw_at == 1 && in->fd < 0 && !in->fed_all) return TB_AGAIN;
  const unsigned char *p = (const unsigned char *)in->raw.data + in->raw_at;
  in->gzip = in->raw.len - in->raw_at >= 2 && p[0] == 0x1f && p[1] == 0x8b;
  in->told = true;
  return TB_OK;
}

static enum tb_status inflate_some(struct tb_input *in, char *to, size_t capacity, size_t *got, struct tb_error *error) {
  in->z.next_out = (Bytef *)to;
  in->z.avail_out = capacity > UINT32_MAX ? UINT32_MAX : (uInt)capacity;
  size_t room = in->z.avail_out;
  while (in->z.avail_out == room) {
    enum tb_status status = fill_raw(in, error);
    if (status == TB_END && in->inflating) return TB_TRUNCATED;
    if (status != TB_OK) return status;
    if (!in->inflating) {
      if (inflateInit2(&in->z, 15 + 32) != Z_OK) return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
      in->inflating = true;
    }
    in->z.next_in = (Bytef *)in->raw.data + in->raw_at;
    size_t have = in->raw.len - in->raw_at;
    in->z.avail_in = have > UINT32_MAX ? UINT32_MAX : (uInt)have;
    size_t offered = in->z.avail_in;
    int rc = inflate(&in->z, Z_NO_FLUSH);
    in->raw_at += offered - in->z.avail_in;
    if (rc == Z_STREAM_END) {
      (void)inflateEnd(&in->z);
      in->inflating = false;
    } else if (rc != Z_OK && rc != Z_BUF_ERROR) {
      if (in->z.avail_out == room) return TB_TRUNCATED;
      in->raw_at = in->raw.len; /* give what there is; the next call ends in TB_TRUNCATED */
      in->raw_end = in->fed_all = true;
      break;
    }
  }
  *got = room - in->z.avail_out;
  return TB_OK;
}

static enum tb_status read_decompressed(struct tb_input *in, char *to, size_t capacity, size_t *got,
                                        struct tb_error *error) {
  enum tb_status status = tell_compression(in, error);
  if (status != TB_OK) return status;
  if (in->gzip) return inflate_some(in, to, capacity, got, error);
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

enum tb_status tb_input_peek(struct tb_input *in, const char **data, size_t capacity, size_t *got, struct tb_error *error) {
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

bool tb_input_can_rewind(const struct tb_input *in) { return in->regular && in->told && !in->gzip; }

enum tb_status tb_input_rewind(struct tb_input *in, struct tb_error *error) {
  if (!tb_input_can_rewind(in)) return TB_INVALID;
  if (lseek(in->fd, 0, SEEK_SET) != 0) return tb_fail_errno(error, TB_IO, errno, "cannot go back to the start");
  in->raw_at = in->raw.len = in->peeked_at = in->peeked.len = 0;
  in->raw_end = false;
  in->bytes_read = 0;
  return TB_OK;
}

const char *tb_input_name(const struct tb_input *in) { return in->name; }
uint64_t tb_input_bytes_read(const struct tb_input *in) { return in->bytes_read; }
uint64_t tb_input_size(const struct tb_input *in) { return in->size; }

void tb_input_close(struct tb_input *in) {
  if (!in) return;
  if (in->fd >= 0) (void)close(in->fd);
  if (in->inflating) (void)inflateEnd(&in->z);
  tb_buffer_free(&in->raw);
  tb_buffer_free(&in->peeked);
  tb_free(in->allocator, in->name, strlen(in->name) + 1);
  tb_free(in->allocator, in, sizeof(*in));
}
