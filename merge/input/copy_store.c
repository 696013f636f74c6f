/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/input/copy_store.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "io/temp_file.h"

enum { PAGE = 4096 }; /* copies share none, so that the room of each can be released */

/* What bytes are written to a file may not be past this. */
static const uint64_t OFFSET_MAX = INT64_MAX - (INT64_C(1) << 32);

static uint64_t next_start(uint64_t end) { return (end + PAGE - 1) & ~(uint64_t)(PAGE - 1); }

static enum tb_status fail(const struct tb_copy_store *store, int code, struct tb_error *error) {
  return tb_temp_file_fail(store->fd, "write to", code, error);
}

enum tb_status tb_copy_store_begin(struct tb_copy_store *store, const char *name, struct tb_input_place *copy,
                                   char to[TB_COPY_STORE_NAME], struct tb_error *error) {
  if (!store->made) {
    store->fd = tb_temp_file_create_nameless(store->directory, error);
    if (store->fd < 0) return TB_IO;
    store->made = true;
  }
  uint64_t start = next_start(store->end);
  *copy = (struct tb_input_place){.name = name, .part = true, .fd = store->fd, .start = start};
  snprintf(to, TB_COPY_STORE_NAME, "/dev/fd/%d", store->fd);
  if (ftruncate(store->fd, (off_t)start) != 0 || lseek(store->fd, (off_t)start, SEEK_SET) < 0)
    return fail(store, errno, error);
  return TB_OK;
}

enum tb_status tb_copy_store_put(struct tb_copy_store *store, uint64_t offset, const void *data, size_t len,
                                 struct tb_error *error) {
  uint64_t at = next_start(store->end) + offset;
  if (offset > OFFSET_MAX || len > OFFSET_MAX || at + len > OFFSET_MAX) return fail(store, EFBIG, error);
  return tb_temp_file_write_all_at(store->fd, at, data, len, error);
}

enum tb_status tb_copy_store_end(struct tb_copy_store *store, uint64_t len, struct tb_input_place *copy,
                                 struct tb_error *error) {
  uint64_t end = copy->start + len;
  if (len > OFFSET_MAX || end > OFFSET_MAX) return fail(store, EFBIG, error);
  if (ftruncate(store->fd, (off_t)end) != 0) return fail(store, errno, error);
  copy->len = len;
  store->end = end;
  return TB_OK;
}

void tb_copy_store_forget(struct tb_copy_store *store, const struct tb_input_place *copy) {
  if (!copy->part || !copy->len) return;
  if (copy->start + copy->len == store->end) store->end = copy->start; /* its room is the next one's */
  tb_temp_file_free_pages(store->fd, copy->start, next_start(copy->start + copy->len) - copy->start);
}

void tb_copy_store_free(struct tb_copy_store *store) {
  if (store->made) (void)close(store->fd);
  store->made = false;
}

enum tb_status tb_copy_store_failed(const struct tb_copy_store *store, const char *to, enum tb_status status,
                                    struct tb_error *error) {
  if (strcmp(error->file, to) != 0) return status;
  error->file[0] = 0;
  if (status != TB_IO) return status;
  int code = error->system_errno;
  *error = (struct tb_error){0};
  return fail(store, code, error);
}
