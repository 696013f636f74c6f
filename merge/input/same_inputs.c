/* SPDX-License-Identifier: Apache-2.0
 *
 * Inputs that are one trace, given twice by accident: as one file, as a link to it or as a copy. All of it would be in
 * the merged trace twice, so a warning says it.
 */
#include "base/error.h"
#include "merge/merger.h"

enum { CHUNK = 1 << 16, LOOKALIKES = 16 };

/* Fills a chunk unless the input ends. */
static bool read_chunk(struct tb_input *input, char *chunk, size_t *len) {
  struct tb_error ignored = {0};
  enum tb_status status = TB_OK;
  for (*len = 0; *len < CHUNK && status == TB_OK;) {
    size_t got = 0;
    status = tb_input_read(input, chunk + *len, CHUNK - *len, &got, &ignored);
    *len += got;
  }
  return status == TB_OK || status == TB_END;
}

static bool hold_the_same(struct tb_input *a, struct tb_input *b, char *chunks) {
  size_t a_len, b_len;
  do {
    if (!read_chunk(a, chunks, &a_len) || !read_chunk(b, chunks + CHUNK, &b_len)) return false;
    if (a_len != b_len || memcmp(chunks, chunks + CHUNK, a_len) != 0) return false;
  } while (a_len);
  return true;
}

/* What cannot be read is not the same; who needs it says so. */
bool tb_source_is_same(struct tb_merger *m, const struct tb_source *a, const struct tb_source *b) {
  if (a->prescan.content != b->prescan.content || a->prescan.bytes != b->prescan.bytes) return false;
  struct tb_input *inputs[2] = {NULL, NULL};
  struct tb_error ignored = {0};
  char *chunks = tb_alloc(m->allocator, (size_t)2 * CHUNK);
  bool same = chunks && tb_input_open_place(&a->place, m->allocator, 1, &inputs[0], &ignored) == TB_OK &&
              tb_input_open_place(&b->place, m->allocator, 1, &inputs[1], &ignored) == TB_OK &&
              hold_the_same(inputs[0], inputs[1], chunks);
  tb_input_close(inputs[0]);
  tb_input_close(inputs[1]);
  tb_free(m->allocator, chunks, (size_t)2 * CHUNK);
  return same;
}

/* An input before this one that is the same; NULL where there is none. `first`: the first of each content, by what the
 * prescan knows of it, under the next number where that is the same of others. */
static enum tb_status find_same(struct tb_merger *m, struct tb_map *first, const struct tb_source *s,
                                const struct tb_source **same) {
  *same = NULL;
  for (uint64_t i = 0; i < LOOKALIKES; i++) {
    const uint64_t *known = tb_map_find(first, s->prescan.content + i, s->prescan.bytes);
    if (!known) return tb_map_put(first, s->prescan.content + i, s->prescan.bytes, s->index);
    if (!tb_source_is_same(m, &m->sources[*known], s)) continue;
    *same = &m->sources[*known];
    break;
  }
  return TB_OK;
}

enum tb_status tb_merger_note_same_inputs(struct tb_merger *m) {
  struct tb_map first;
  enum tb_status status = TB_OK;
  tb_map_init(&first, m->allocator);
  for (size_t i = 0; i < m->source_count && status == TB_OK; i++) {
    const struct tb_source *s = &m->sources[i], *same;
    if (s->skipped || !s->prescan.has_time) continue;
    status = find_same(m, &first, s, &same);
    if (status != TB_OK || !same) continue;
    tb_merge_report_add_note(m->report, TB_MERGE_NOTE_SAME_INPUT, s->index, "is the same trace as %s, byte for byte",
                             same->name);
  }
  tb_map_free(&first);
  return status == TB_OK ? TB_OK : tb_fail(&m->error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
}
