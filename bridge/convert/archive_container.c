/* SPDX-License-Identifier: Apache-2.0
 *
 * tar and zip files as containers. Zip files keep their list of members at the end, so that they are read by seeking
 * where the input can.
 */
#include "base/error.h"
#include "base/memory.h"
#include "convert/containers.h"
#include "io/archive.h"

struct archive_state {
  const struct tb_allocator *allocator;
  struct tb_archive_source source;
  struct tb_archive *archive;
  enum tb_status ended; /* how the current member ended; TB_OK: it goes on */
  bool begun;           /* some of it was read */
};

static void close_archive(void *state) {
  struct archive_state *s = state;
  tb_archive_close(s->archive);
  tb_free(s->allocator, s, sizeof(*s));
}

static enum tb_status open_archive(struct tb_input *input, const struct tb_allocator *allocator, void **state,
                                   struct tb_error *error) {
  struct archive_state *s = tb_calloc(allocator, sizeof(*s));
  if (!s) return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  s->allocator = allocator;
  enum tb_status status = tb_archive_source_of(input, &s->source, error);
  if (status == TB_OK) status = tb_archive_open(&s->source, allocator, &s->archive, error);
  *state = s;
  if (status != TB_OK) close_archive(s);
  return status;
}

static enum tb_status next_member(void *state, const char **name, struct tb_error *error) {
  struct archive_state *s = state;
  s->ended = TB_OK;
  s->begun = false;
  return tb_archive_next(s->archive, name, error);
}

/* A member that is damaged inside is read as far as it goes; why, is said where that is nowhere. */
static enum tb_status read_member(void *state, char *to, size_t capacity, size_t *got, struct tb_error *error) {
  struct archive_state *s = state;
  if (s->ended != TB_OK) return s->ended;
  struct tb_error why = {0};
  s->ended = tb_archive_read(s->archive, to, capacity, got, &why);
  if (s->ended == TB_BAD_DATA) s->ended = TB_TRUNCATED;
  bool cut = s->ended == TB_TRUNCATED && s->begun;
  if (s->ended != TB_OK && s->ended != TB_END && !cut && error && error->code == TB_OK) *error = why;
  s->begun = true;
  return s->ended;
}

const struct tb_container_ops tb_archive_container = {.what = "archive",
                                                      .detect = tb_archive_detect,
                                                      .open = open_archive,
                                                      .next = next_member,
                                                      .read = read_member,
                                                      .close = close_archive};
