/* SPDX-License-Identifier: Apache-2.0
 *
 * What becomes of track uuids and flow ids: the first input keeps its own; of others those stay that mean the same
 * or that no other input has.
 *
 * What a track is known by is decided first: its own uuid, or a hash, which no two merges make alike. Then
 * track_uuids.c gives it the uuid that is written; until then maps of sources hold what tracks are known by.
 */
#include "base/mix64.h"
#include "merge/rewrite/id_assignment.h"

/* Tracks that inputs described so far: what they are known by, each with the first input that has it, from when
 * to when there are events of inputs that have it, and the process' name; processes and threads, each with its uuid. */
struct track_book {
  struct tb_map uuids, from, until, names;
  struct tb_map processes, threads;
};

/* Whether inputs that have the track have events while `s` has: slices of both would close each other. */
static bool in_use(struct tb_merger *m, const struct track_book *book, const struct tb_source *s, uint64_t uuid) {
  const uint64_t *from = tb_map_find(&book->from, uuid, 0), *until = tb_map_find(&book->until, uuid, 0);
  const struct tb_merge_input_report *in = tb_source_report(m, s);
  return from && until && s->prescan.has_time && in->first_ns <= (int64_t)*until && (int64_t)*from <= in->last_ns;
}

/* The track is one of `s`, too. */
static enum tb_status put_to_use(struct tb_merger *m, struct track_book *book, const struct tb_source *s,
                                 uint64_t uuid) {
  const struct tb_merge_input_report *in = tb_source_report(m, s);
  if (!s->prescan.has_time) return TB_OK;
  uint64_t *from = tb_map_find(&book->from, uuid, 0), *until = tb_map_find(&book->until, uuid, 0);
  if (from && in->first_ns < (int64_t)*from) *from = (uint64_t)in->first_ns;
  if (until && in->last_ns > (int64_t)*until) *until = (uint64_t)in->last_ns;
  enum tb_status status = from ? TB_OK : tb_map_put(&book->from, uuid, 0, (uint64_t)in->first_ns);
  return status == TB_OK && !until ? tb_map_put(&book->until, uuid, 0, (uint64_t)in->last_ns) : status;
}

static uint64_t process_key(const struct tb_source *s, const struct tb_prescanned_track *t) {
  return tb_mix64((uint64_t)tb_source_machine_out(s, t->machine) << 32 | (uint32_t)t->pid);
}

/* A thread is one of its process, as the merged trace knows it; where no descriptor has the process, of its pid. */
static uint64_t thread_key(const struct tb_source *s, const struct tb_prescanned_track *t) {
  const uint64_t *parent = t->parent ? tb_map_find(&s->prescan.track_index, t->parent, 0) : NULL;
  const uint64_t *out = parent ? tb_map_find(&s->described, t->parent, 0) : NULL;
  if (parent && !out) out = tb_map_find(&s->uuid_map, t->parent, 0);
  bool process = out && s->prescan.tracks[*parent].kind == TB_SURVEYED_PROCESS;
  return tb_mix64(process ? *out : process_key(s, t)) ^ tb_mix64((uint64_t)t->tid);
}

/* What the process or thread that a track is below is known by in the merged trace, maybe by several tracks in between;
 * 0: it is below none. */
static uint64_t find_owner(const struct tb_source *s, const struct tb_prescanned_track *t) {
  for (int depth = 0; depth < TB_PRESCAN_PARENTS && t->parent; depth++) {
    const uint64_t *parent = tb_map_find(&s->prescan.track_index, t->parent, 0);
    if (!parent) return 0;
    t = &s->prescan.tracks[*parent];
    if (t->kind != TB_SURVEYED_PROCESS && t->kind != TB_SURVEYED_THREAD) continue;
    const uint64_t *out = tb_map_find(&s->described, t->uuid, 0);
    if (!out) out = tb_map_find(&s->uuid_map, t->uuid, 0);
    return out ? *out : t->identity;
  }
  return 0;
}

/* Whether a track that is no process or thread is the one that an earlier input means by the same uuid. Both may be
 * below a process of the same id and yet below two: their names differ. */
static bool same_track(const struct tb_merger *m, const struct track_book *book, const struct tb_source *s,
                       const struct tb_prescanned_track *t) {
  const uint64_t *first = tb_map_find(&book->uuids, t->identity, 0);
  const struct tb_source *other = first ? &m->sources[*first] : NULL;
  const struct tb_prescanned_track *o = first ? tb_prescan_track(&other->prescan, t->identity) : NULL;
  if (!o) return false; /* the other input's got it by the salt */
  return tb_source_machine_out(other, o->machine) == tb_source_machine_out(s, t->machine) &&
         tb_prescan_identity(&other->prescan, o->uuid) == tb_prescan_identity(&s->prescan, t->uuid) &&
         find_owner(other, o) == find_owner(s, t);
}

/* What a track is known by that no earlier input has: as before where that is free. */
static uint64_t fresh_identity(const struct track_book *book, const struct tb_source *s,
                               const struct tb_prescanned_track *t, bool own_is_free) {
  if (own_is_free) return t->identity;
  uint64_t out = tb_remap_uuid(&s->remap, t->uuid);
  while (tb_map_find(&book->uuids, out, 0)) out = tb_mix64(out + s->remap.uuid_salt);
  return out;
}

static enum tb_status identify(struct tb_merger *m, struct track_book *book, struct tb_source *s,
                               const struct tb_prescanned_track *t, uint64_t as) {
  enum tb_status status = tb_map_find(&book->uuids, as, 0) ? TB_OK : tb_map_put(&book->uuids, as, 0, s->index);
  if (status == TB_OK) status = put_to_use(m, book, s, as);
  return status == TB_OK ? tb_map_put(&s->uuid_map, t->uuid, 0, as) : status;
}

static enum tb_status identify_anew(struct tb_merger *m, struct track_book *book, struct tb_source *s,
                                    const struct tb_prescanned_track *t) {
  return identify(m, book, s, t, fresh_identity(book, s, t, !tb_map_find(&book->uuids, t->identity, 0)));
}

/* A process or thread that has the track `of` in the merged trace. Where other inputs have events on that at the
 * same time, those of this one go to a track of their own below it. */
static enum tb_status identify_as(struct tb_merger *m, struct track_book *book, struct tb_source *s,
                                  const struct tb_prescanned_track *t, uint64_t of) {
  const uint64_t *owner = tb_map_find(&book->uuids, of, 0);
  if (owner && *owner == s->index) return identify_anew(m, book, s, t); /* this input has it by two uuids */
  if (!in_use(m, book, s, of)) return identify(m, book, s, t, of);
  enum tb_status status = tb_map_put(&s->described, t->uuid, 0, of);
  if (status == TB_OK) status = identify_anew(m, book, s, t);
  const uint64_t *own = tb_map_find(&s->uuid_map, t->uuid, 0);
  return status == TB_OK && own ? tb_map_put(&s->separate, t->uuid, 0, *own) : status;
}

static enum tb_status map_process(struct tb_merger *m, struct track_book *book, struct tb_source *s,
                                  const struct tb_prescanned_track *t) {
  const uint64_t *known = tb_map_find(&book->processes, process_key(s, t), 0);
  const uint64_t *name = known ? tb_map_find(&book->names, *known, 0) : NULL;
  if (known && (!name || !*name || !t->name || *name == t->name)) return identify_as(m, book, s, t, *known);
  enum tb_status status = identify_anew(m, book, s, t);
  const uint64_t *to = tb_map_find(&s->uuid_map, t->uuid, 0);
  if (status == TB_OK && to && !known) status = tb_map_put(&book->processes, process_key(s, t), 0, *to);
  return status == TB_OK && to ? tb_map_put(&book->names, *to, 0, t->name) : status;
}

static enum tb_status map_thread(struct tb_merger *m, struct track_book *book, struct tb_source *s,
                                 const struct tb_prescanned_track *t) {
  const uint64_t *known = tb_map_find(&book->threads, thread_key(s, t), 0);
  if (known) return identify_as(m, book, s, t, *known);
  enum tb_status status = identify_anew(m, book, s, t);
  const uint64_t *to = tb_map_find(&s->uuid_map, t->uuid, 0);
  return status == TB_OK && to ? tb_map_put(&book->threads, thread_key(s, t), 0, *to) : status;
}

/* Counters are not slices: those of two inputs that mean the same are one, whenever they were read. */
static enum tb_status map_other(struct tb_merger *m, struct track_book *book, struct tb_source *s,
                                const struct tb_prescanned_track *t) {
  bool shared = t->uuid && tb_map_find(&book->uuids, t->identity, 0) && same_track(m, book, s, t);
  if (shared && (t->kind == TB_SURVEYED_COUNTER || !in_use(m, book, s, t->identity)))
    return identify(m, book, s, t, t->identity);
  return identify_anew(m, book, s, t);
}

/* Processes first, for threads are theirs. */
static enum tb_status map_tracks(struct tb_merger *m, struct track_book *book, struct tb_source *s) {
  enum tb_status status = TB_OK;
  for (int pass = 0; pass < 3; pass++) {
    for (size_t i = 0; i < s->prescan.track_count && status == TB_OK; i++) {
      const struct tb_prescanned_track *t = &s->prescan.tracks[i];
      bool process = t->kind == TB_SURVEYED_PROCESS, thread = t->kind == TB_SURVEYED_THREAD;
      if (pass == 0 && process) status = map_process(m, book, s, t);
      if (pass == 1 && thread) status = map_thread(m, book, s, t);
      if (pass == 2 && !process && !thread) status = map_other(m, book, s, t);
    }
  }
  return status;
}

/* The first input's tracks stay as they are. */
static enum tb_status enter_tracks(struct tb_merger *m, struct track_book *book, struct tb_source *s) {
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < s->prescan.track_count && status == TB_OK; i++)
    status = identify(m, book, s, &s->prescan.tracks[i], s->prescan.tracks[i].identity);
  for (size_t i = 0; i < s->prescan.track_count && status == TB_OK; i++) {
    const struct tb_prescanned_track *t = &s->prescan.tracks[i];
    if (t->kind == TB_SURVEYED_PROCESS && !tb_map_find(&book->processes, process_key(s, t), 0)) {
      status = tb_map_put(&book->processes, process_key(s, t), 0, t->identity);
      if (status == TB_OK) status = tb_map_put(&book->names, t->identity, 0, t->name);
    } else if (t->kind == TB_SURVEYED_THREAD && !tb_map_find(&book->threads, thread_key(s, t), 0)) {
      status = tb_map_put(&book->threads, thread_key(s, t), 0, t->identity);
    }
  }
  return status;
}

static enum tb_status assign(struct tb_merger *m, struct track_book *book) {
  enum tb_status status = TB_OK;
  uint64_t salt = 0;
  bool first = true;
  for (size_t i = 0; i < m->source_count && status == TB_OK; i++) {
    struct tb_source *s = &m->sources[i];
    if (s->skipped) continue;
    salt =
        tb_mix64(salt ^ s->prescan.content); /* of this and all inputs before: no two merges give two inputs one salt */
    if (!first) {
      s->remap.uuid_salt = salt | 1;
      s->remap.flow_salt = m->options.share_flows ? 0 : tb_mix64(salt) | 1;
      s->remap.uuids = &s->uuid_map;
      s->remap.active |= 1u << TB_FIELD_UUID | 1u << TB_FIELD_TRACK;
      if (s->remap.flow_salt) s->remap.active |= 1u << TB_FIELD_FLOW;
      s->remap.described = &s->described;
      s->root = tb_mix64(s->remap.uuid_salt) | 1;
      status = map_tracks(m, book, s);
    } else {
      status = enter_tracks(m, book, s);
    }
    first = false;
  }
  return status;
}

enum tb_status tb_assign_tracks(struct tb_merger *m) {
  struct track_book book;
  struct tb_map *const tables[] = {&book.uuids, &book.from, &book.until, &book.names, &book.processes, &book.threads};
  for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) tb_map_init(tables[i], m->allocator);
  enum tb_status status = assign(m, &book);
  if (status == TB_OK) status = tb_assign_track_uuids(m);
  for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) tb_map_free(tables[i]);
  return status;
}
