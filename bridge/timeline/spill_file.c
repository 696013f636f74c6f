/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline/spill_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"
#include "io/temp_file.h"
#include "timeline/entry_codec.h"

enum {
  WRITE_BYTES = 256 * 1024,
  READ_BYTES = 32 * 1024,
  PAGE = 4096,
  PAGED_BYTES = 64 * 1024, /* what is as large is written at once, to pages of its own, which can be given back */
  WINDOW_BYTES = 64 * 1024,
  NEAR_BYTES = 4096 /* a read that is no farther from the one before goes on in its direction */
};

struct tb_spill_file {
  const struct tb_allocator *allocator;
  int fd;
  uint64_t written; /* bytes in the file, without those in the buffer */
  char *buffer;
  size_t len;
  char *window; /* bytes [window_at, window_at + window_len) of the file, for many small reads; NULL: none yet */
  uint64_t window_at, last_from, last_to;
  size_t window_len;
};

enum tb_status tb_spill_file_create(const char *directory, const struct tb_allocator *allocator,
                                    struct tb_spill_file **out, struct tb_error *error) {
  *out = NULL;
  struct tb_spill_file *file = tb_calloc(allocator, sizeof(*file));
  if (!file) return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  file->allocator = allocator;
  file->fd = -1;
  file->buffer = tb_alloc(allocator, WRITE_BYTES);
  enum tb_status status = file->buffer ? TB_OK : tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  if (status == TB_OK) file->fd = tb_temp_file_create_nameless(directory, error);
  if (file->fd < 0) {
    tb_spill_file_close(file);
    return status == TB_OK ? TB_IO : status;
  }
  *out = file;
  return TB_OK;
}

/* Writes bytes behind what is in the file. */
static enum tb_status write_out(struct tb_spill_file *file, const char *data, size_t len, struct tb_error *error) {
  size_t done = 0;
  while (done < len) {
    ssize_t n = pwrite(file->fd, data + done, len - done, (off_t)(file->written + done));
    if (n < 0) {
      if (errno == EINTR) continue;
      return tb_fail_errno(error, TB_IO, errno, "cannot write to the temporary file");
    }
    done += (size_t)n;
  }
  file->written += len;
  return TB_OK;
}

static enum tb_status flush(struct tb_spill_file *file, struct tb_error *error) {
  enum tb_status status = write_out(file, file->buffer, file->len, error);
  if (status == TB_OK) file->len = 0;
  return status;
}

enum tb_status tb_spill_file_append(struct tb_spill_file *file, const void *data, size_t len, struct tb_error *error) {
  const char *from = data;
  while (len) {
    if (file->len == WRITE_BYTES) {
      enum tb_status status = flush(file, error);
      if (status != TB_OK) return status;
    }
    size_t n = WRITE_BYTES - file->len < len ? WRITE_BYTES - file->len : len;
    memcpy(file->buffer + file->len, from, n);
    file->len += n;
    from += n;
    len -= n;
  }
  return TB_OK;
}

static enum tb_status put_pages(struct tb_spill_file *file, const void *data, size_t len, uint64_t *offset,
                                struct tb_error *error) {
  enum tb_status status = flush(file, error);
  uint64_t before = file->written;
  if (status != TB_OK) return status;
  file->written = (before + PAGE - 1) / PAGE * PAGE;
  *offset = file->written;
  status = write_out(file, data, len, error);
  if (status != TB_OK) file->written = before;
  return status;
}

enum tb_status tb_spill_file_put(struct tb_spill_file *file, const void *data, size_t len, uint64_t *offset,
                                 struct tb_error *error) {
  if (len >= PAGED_BYTES) return put_pages(file, data, len, offset, error);
  if (len > WRITE_BYTES - file->len) {
    enum tb_status status = flush(file, error);
    if (status != TB_OK) return status;
  }
  *offset = tb_spill_file_size(file);
  if (len) memcpy(file->buffer + file->len, data, len);
  file->len += len;
  return TB_OK;
}

void tb_spill_file_forget(struct tb_spill_file *file, uint64_t offset, size_t len) {
  /* where the file system cannot, nothing is lost but room */
  if (len >= PAGED_BYTES)
    (void)fallocate(file->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)len);
}

static enum tb_status read_in(const struct tb_spill_file *file, uint64_t offset, char *to, size_t len,
                              struct tb_error *error) {
  for (size_t done = 0; done < len;) {
    ssize_t n = pread(file->fd, to + done, len - done, (off_t)(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return tb_fail_errno(error, TB_IO, errno, "cannot read the temporary file");
    if (n == 0) return tb_fail(error, TB_IO, TB_NO_OFFSET, "the temporary file was cut short");
    done += (size_t)n;
  }
  return TB_OK;
}

/* Where a window begins that has [from, to) and what the next reads will ask for; UINT64_MAX: reads go to and fro, or are large. */
static uint64_t window_start(const struct tb_spill_file *file, uint64_t from, uint64_t to) {
  if (to - from >= WINDOW_BYTES / 2) return UINT64_MAX;
  if (from >= file->last_to && from - file->last_to <= NEAR_BYTES) return from;
  if (to <= file->last_from && file->last_from - to <= NEAR_BYTES) return to > WINDOW_BYTES ? to - WINDOW_BYTES : 0;
  return UINT64_MAX;
}

/* Reads what is in the file and not in the buffer. Many small chunks were put one behind the other, and are read in that order, or backwards. */
static enum tb_status get_written(struct tb_spill_file *file, uint64_t from, char *data, size_t len,
                                  struct tb_error *error) {
  bool inside = from >= file->window_at && from + len <= file->window_at + file->window_len;
  uint64_t start = inside ? file->window_at : window_start(file, from, from + len);
  file->last_from = from;
  file->last_to = from + len;
  if (!inside && start != UINT64_MAX && !file->window) file->window = tb_alloc(file->allocator, WINDOW_BYTES);
  if (start == UINT64_MAX || !file->window) return read_in(file, from, data, len, error);
  if (!inside) {
    uint64_t rest = file->written - start;
    file->window_len = 0;
    enum tb_status status =
        read_in(file, start, file->window, rest < WINDOW_BYTES ? (size_t)rest : WINDOW_BYTES, error);
    if (status != TB_OK) return status;
    file->window_at = start;
    file->window_len = rest < WINDOW_BYTES ? (size_t)rest : WINDOW_BYTES;
  }
  memcpy(data, file->window + (from - file->window_at), len);
  return TB_OK;
}

enum tb_status tb_spill_file_get(struct tb_spill_file *file, uint64_t offset, void *data, size_t len,
                                 struct tb_error *error) {
  char *to = data;
  size_t in_file = offset >= file->written ? 0 : len;
  if (in_file > file->written - offset) in_file = (size_t)(file->written - offset);
  if (in_file) {
    enum tb_status status = get_written(file, offset, to, in_file, error);
    if (status != TB_OK) return status;
  }
  if (in_file < len) memcpy(to + in_file, file->buffer + (offset + in_file - file->written), len - in_file);
  return TB_OK;
}

uint64_t tb_spill_file_size(const struct tb_spill_file *file) { return file->written + file->len; }

void tb_spill_file_close(struct tb_spill_file *file) {
  if (!file) return;
  if (file->fd >= 0) (void)close(file->fd);
  tb_free(file->allocator, file->buffer, WRITE_BYTES);
  tb_free(file->allocator, file->window, WINDOW_BYTES);
  tb_free(file->allocator, file, sizeof(*file));
}

/* ---- merging runs ------------------------------------------------------------------------------------------------ */

struct run_reader {
  struct tb_buffer buffer; /* bytes [at, buffer.len) are not used yet */
  size_t at;
  uint64_t offset, end; /* what is still in the file */
  uint64_t left;        /* entries not read yet, without the current one */
  struct tb_record_base base;
  int64_t last_ts;
  struct tb_staged_event entry; /* the current one, where `has_entry` */
  bool has_entry;
};

struct tb_spill_merge {
  struct tb_spill_file *file;
  struct run_reader *readers;
  size_t count;
  size_t *heap; /* readers with an entry, the first one on top */
  size_t heap_count;
  bool in_order;
  size_t taken; /* the reader whose entry was given out last; SIZE_MAX: none */
};

static enum tb_status read_more(struct tb_spill_file *file, struct run_reader *r, struct tb_error *error) {
  if (r->offset == r->end) return tb_fail(error, TB_IO, TB_NO_OFFSET, "the temporary file was damaged");
  if (r->at && r->buffer.data) memmove(r->buffer.data, r->buffer.data + r->at, r->buffer.len - r->at);
  r->buffer.len -= r->at;
  r->at = 0;
  if (tb_buffer_reserve(&r->buffer, READ_BYTES + RECORD_SLACK) != TB_OK)
    return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  size_t want = r->buffer.capacity - r->buffer.len - RECORD_SLACK;
  if (want > r->end - r->offset) want = (size_t)(r->end - r->offset);
  ssize_t n = pread(file->fd, r->buffer.data + r->buffer.len, want, (off_t)r->offset);
  if (n <= 0) return tb_fail_errno(error, TB_IO, errno, "cannot read the temporary file");
  r->buffer.len += (size_t)n;
  r->offset += (uint64_t)n;
  return TB_OK;
}

/* Sees that the next record is whole in the buffer. */
static enum tb_status need_record(struct tb_spill_file *file, struct run_reader *r, struct tb_error *error) {
  for (;;) {
    size_t have = r->buffer.len - r->at;
    uint64_t body;
    if (have > 1) {
      const char *p = r->buffer.data + r->at + 1, *end = r->buffer.data + r->buffer.len;
      if (tb_wire_read_varint(p, end, &body) && (r->offset == r->end || have >= RECORD_HEAD_MAX + body)) return TB_OK;
    }
    enum tb_status status = read_more(file, r, error);
    if (status != TB_OK) return status;
  }
}

static enum tb_status read_entry(struct tb_spill_file *file, struct run_reader *r, struct tb_error *error) {
  r->has_entry = false;
  if (r->left == 0) return TB_OK;
  enum tb_status status = need_record(file, r, error);
  if (status != TB_OK) return status;
  const char *at = r->buffer.data + r->at;
  r->at = (size_t)(tb_record_read(at, &r->entry, r->last_ts, r->base) - r->buffer.data);
  r->last_ts = r->entry.ts;
  r->left--;
  r->has_entry = true;
  return TB_OK;
}

static unsigned entry_class(const struct tb_staged_event *e) {
  return e->sorts_first ? 0 : e->kind == TB_STAGED_COMPLETE ? 1 : 2;
}

static bool before(const struct tb_spill_merge *m, size_t a, size_t b) {
  const struct tb_staged_event *x = &m->readers[a].entry, *y = &m->readers[b].entry;
  int order = m->in_order ? 0 : tb_staged_event_compare(x->ts, entry_class(x), x->dur, y->ts, entry_class(y), y->dur);
  return order ? order < 0 : a < b;
}

static void sift_down(struct tb_spill_merge *m, size_t i) {
  for (;;) {
    size_t child = 2 * i + 1;
    if (child >= m->heap_count) return;
    if (child + 1 < m->heap_count && before(m, m->heap[child + 1], m->heap[child])) child++;
    if (!before(m, m->heap[child], m->heap[i])) return;
    size_t swap = m->heap[i];
    m->heap[i] = m->heap[child];
    m->heap[child] = swap;
    i = child;
  }
}

static enum tb_status open_readers(struct tb_spill_merge *m, const struct tb_spill_run *runs, struct tb_error *error) {
  for (size_t i = 0; i < m->count; i++) {
    struct run_reader *r = &m->readers[i];
    *r = (struct run_reader){.offset = runs[i].offset,
                             .end = runs[i].offset + runs[i].bytes,
                             .left = runs[i].count,
                             .base = {runs[i].base_ts, runs[i].base_thread_ts},
                             .last_ts = runs[i].base_ts};
    tb_buffer_init(&r->buffer, m->file->allocator, 0);
    if (m->in_order && i > 0) {
      m->heap[m->heap_count++] = i; /* read when its turn comes */
      continue;
    }
    enum tb_status status = read_entry(m->file, r, error);
    if (status != TB_OK) return status;
    if (r->has_entry) m->heap[m->heap_count++] = i;
  }
  for (size_t i = m->heap_count / 2; i-- > 0;) sift_down(m, i);
  return TB_OK;
}

enum tb_status tb_spill_merge_open(struct tb_spill_file *file, const struct tb_spill_run *runs, size_t count,
                                   bool in_order, struct tb_spill_merge **out, struct tb_error *error) {
  *out = NULL;
  enum tb_status status = flush(file, error);
  if (status != TB_OK) return status;
  struct tb_spill_merge *m = tb_calloc(file->allocator, sizeof(*m));
  if (!m) return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  m->file = file;
  m->count = count;
  m->in_order = in_order;
  m->taken = SIZE_MAX;
  m->readers = tb_calloc(file->allocator, count * sizeof(*m->readers));
  m->heap = tb_alloc(file->allocator, count * sizeof(*m->heap));
  status = m->readers && m->heap ? open_readers(m, runs, error)
                                 : tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  if (status != TB_OK) {
    tb_spill_merge_close(m);
    return status;
  }
  *out = m;
  return TB_OK;
}

/* Moves the reader on top of the heap to its next entry. */
static enum tb_status advance_top(struct tb_spill_merge *m, struct tb_error *error) {
  struct run_reader *r = &m->readers[m->heap[0]];
  enum tb_status status = read_entry(m->file, r, error);
  if (status != TB_OK) return status;
  if (!r->has_entry) {
    tb_buffer_free(&r->buffer);
    m->heap[0] = m->heap[--m->heap_count];
    sift_down(m, 0);
    if (m->in_order && m->heap_count) return advance_top(m, error); /* the next run has not been looked at yet */
    return TB_OK;
  }
  sift_down(m, 0);
  return TB_OK;
}

enum tb_status tb_spill_merge_next(struct tb_spill_merge *m, struct tb_staged_event *entry, struct tb_error *error) {
  if (m->taken != SIZE_MAX) {
    enum tb_status status = advance_top(m, error);
    if (status != TB_OK) return status;
  }
  if (m->heap_count == 0) {
    m->taken = SIZE_MAX;
    return TB_END;
  }
  m->taken = m->heap[0];
  *entry = m->readers[m->taken].entry;
  return TB_OK;
}

void tb_spill_merge_close(struct tb_spill_merge *m) {
  if (!m) return;
  if (m->readers)
    for (size_t i = 0; i < m->count; i++)
      if (m->readers[i].buffer.allocator) tb_buffer_free(&m->readers[i].buffer);
  tb_free(m->file->allocator, m->readers, m->count * sizeof(*m->readers));
  tb_free(m->file->allocator, m->heap, m->count * sizeof(*m->heap));
  tb_free(m->file->allocator, m, sizeof(*m));
}
