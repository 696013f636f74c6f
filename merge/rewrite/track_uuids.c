/* SPDX-License-Identifier: Apache-2.0
 *
 * The uuids that tracks of the merged trace are written with. Events have them by the million, so that hashes would be
 * much of a merged trace: what a track is known by stays its uuid where an input has it so, others get the smallest
 * numbers that are free, and their descriptors say what they are known by.
 */
#include "base/mix64.h"
#include "merge/rewrite/id_assignment.h"

/* What earlier merges gave is kept below this, so that the largest number says how many there are. */
enum { KEPT_BELOW = 1 << 20 };

/* Tracks by what they are known by, each with its uuid; uuids that have a track, and those of them that are numbers
 * from here, up to `last`. */
struct uuid_book {
  struct tb_map uuids, taken, numbered;
  uint64_t next, last;
};

static enum tb_status give(struct uuid_book *book, uint64_t identity, uint64_t uuid) {
  enum tb_status status = tb_map_put(&book->uuids, identity, 0, uuid);
  return status == TB_OK ? tb_map_put(&book->taken, uuid, 0, 1) : status;
}

/* What one of the source's tracks is known by in the merged trace. */
static uint64_t identity_of(const struct tb_source *s, const struct tb_prescanned_track *t) {
  const uint64_t *identity = tb_map_find(&s->uuid_map, t->uuid, 0);
  return identity ? *identity : t->identity;
}

/* The first input's stay, those too that it names as parents alone. */
static enum tb_status keep_first(struct uuid_book *book, const struct tb_source *s) {
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < s->prescan.track_count && status == TB_OK; i++) {
    const struct tb_prescanned_track *t = &s->prescan.tracks[i];
    status = give(book, t->identity, t->uuid);
    if (status == TB_OK) status = tb_map_put(&book->taken, t->parent, 0, 1);
  }
  return status;
}

/* What is known by its uuid stays, unless the first input has that for another track. */
static enum tb_status keep_own(struct uuid_book *book, const struct tb_source *s) {
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < s->prescan.track_count && status == TB_OK; i++) {
    const struct tb_prescanned_track *t = &s->prescan.tracks[i];
    bool own = identity_of(s, t) == t->uuid && !tb_map_find(&book->uuids, t->uuid, 0);
    if (own && !tb_map_find(&book->taken, t->uuid, 0)) status = give(book, t->uuid, t->uuid);
  }
  return status;
}

/* Others are numbered, those of threads and the like first: few events are on a process' own track. What an earlier
 * merge gave stays where it may. */
static enum tb_status number(struct uuid_book *book, const struct tb_source *s, bool processes) {
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < s->prescan.track_count && status == TB_OK; i++) {
    const struct tb_prescanned_track *t = &s->prescan.tracks[i];
    uint64_t identity = identity_of(s, t), uuid = t->uuid;
    if ((t->kind == TB_SURVEYED_PROCESS) != processes || tb_map_find(&book->uuids, identity, 0)) continue;
    if (t->identity == uuid || uuid >= KEPT_BELOW || tb_map_find(&book->taken, uuid, 0)) {
      while (tb_map_find(&book->taken, book->next, 0)) book->next++;
      uuid = book->next;
    }
    status = give(book, identity, uuid);
    if (status == TB_OK) status = tb_map_put(&book->numbered, uuid, 0, 1);
    if (uuid > book->last) book->last = uuid;
  }
  return status;
}

/* From here on the source's maps hold uuids. */
static enum tb_status write_down(struct tb_merger *m, const struct uuid_book *book, struct tb_source *s, bool first) {
  struct tb_merge_input_report *in = tb_source_report(m, s);
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < s->prescan.track_count && status == TB_OK; i++) {
    uint64_t from = s->prescan.tracks[i].uuid;
    uint64_t *to = tb_map_find(&s->uuid_map, from, 0), *described = tb_map_find(&s->described, from, 0);
    uint64_t identity = described ? *described : to ? *to : from;
    const uint64_t *uuid = to ? tb_map_find(&book->uuids, *to, 0) : NULL;
    const uint64_t *described_uuid = tb_map_find(&book->uuids, identity, 0);
    if (!uuid || !described_uuid) continue;
    *to = first ? from : *uuid;
    if (described) *described = *described_uuid;
    if (identity != *described_uuid && from && !first) status = tb_map_put(&s->identities, from, 0, identity);
    if (*to == from)
      in->uuids_kept++;
    else
      in->uuids_remapped++;
  }
  return status;
}

/* The first input's events may be on a track that nobody describes: where a number is that track's uuid, the track gets
 * another. */
static enum tb_status guard_first(struct tb_merger *m, const struct uuid_book *book, struct tb_source *s) {
  size_t words = (size_t)(book->last / 64 + 1);
  if (!book->numbered.count) return TB_OK;
  s->numbered = tb_arena_alloc(&m->arena, words * sizeof(*s->numbered));
  if (!s->numbered) return TB_NO_MEMORY;
  memset(s->numbered, 0, words * sizeof(*s->numbered));
  s->numbered_end = words * 64;
  enum tb_status status = TB_OK;
  for (uint64_t uuid = 1; uuid <= book->last && status == TB_OK; uuid++) {
    if (!tb_map_find(&book->numbered, uuid, 0)) continue;
    s->numbered[uuid / 64] |= UINT64_C(1) << uuid % 64;
    status = tb_map_put(&s->uuid_map, uuid, 0, tb_mix64(uuid + tb_mix64(s->prescan.content)) | 1);
  }
  s->remap.uuids = &s->uuid_map;
  return status;
}

static enum tb_status assign(struct tb_merger *m, struct uuid_book *book) {
  enum tb_status status = tb_map_put(&book->taken, 0, 0, 1);
  struct tb_source *first = NULL;
  for (size_t i = 0; i < m->source_count && status == TB_OK; i++) {
    struct tb_source *s = &m->sources[i];
    if (s->skipped) continue;
    status = first ? keep_own(book, s) : keep_first(book, s);
    if (!first) first = s;
  }
  for (int processes = 0; processes < 2; processes++)
    for (size_t i = 0; i < m->source_count && status == TB_OK; i++)
      if (!m->sources[i].skipped) status = number(book, &m->sources[i], processes);
  for (size_t i = 0; i < m->source_count && status == TB_OK; i++)
    if (!m->sources[i].skipped) status = write_down(m, book, &m->sources[i], &m->sources[i] == first);
  return status == TB_OK && first ? guard_first(m, book, first) : status;
}

enum tb_status tb_assign_track_uuids(struct tb_merger *m) {
  struct uuid_book book = {.next = 1};
  tb_map_init(&book.uuids, m->allocator);
  tb_map_init(&book.taken, m->allocator);
  tb_map_init(&book.numbered, m->allocator);
  enum tb_status status = assign(m, &book);
  tb_map_free(&book.uuids);
  tb_map_free(&book.taken);
  tb_map_free(&book.numbered);
  return status;
}
