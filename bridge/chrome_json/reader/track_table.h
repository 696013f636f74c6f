/* SPDX-License-Identifier: Apache-2.0
 *
 * Process and thread ids of JSON events to tracks.
 *
 * An id is a number, a text or absent. A track's pid is a 32-bit number and its tid a 64-bit one; what is no such
 * number gets a synthetic one: from 0x70000000 on, in order of appearance, the same for the same text whether it is a
 * pid or a tid. A number of the source that was given out already gets a synthetic one itself, and none is given out
 * that the source was seen to use, so that no two ids fall together. An absent pid is 0, an absent tid is the pid, as
 * Perfetto's importer has it.
 */
#ifndef TB_CHROME_JSON_READER_TRACK_TABLE_H
#define TB_CHROME_JSON_READER_TRACK_TABLE_H

#include "base/map.h"
#include "base/memory.h"
#include "base/mix64.h"
#include "tracebridge/event.h"

enum tb_json_id_kind { TB_JSON_ID_NONE, TB_JSON_ID_NUMBER, TB_JSON_ID_TEXT };

/* A pid or tid as written. Digits in a text are the number, too, and of kind TB_JSON_ID_NUMBER. */
struct tb_json_id {
  enum tb_json_id_kind kind;
  int64_t number;
  struct tb_str text; /* its ptr NULL: not a text */
  bool is_digits;     /* of kind TB_JSON_ID_TEXT: of a number that no int64 holds */
};

struct tb_json_name; /* a text, or a number that cannot stand for itself, and its synthetic number */

enum { TB_JSON_TRACK_CACHE = 256 };

struct tb_json_tracks {
  const struct tb_allocator *allocator;
  struct tb_arena arena;    /* tracks and texts: never moves, lives as long as the reader */
  struct tb_track **tracks; /* by index */
  size_t count, capacity;
  struct tb_index_map by_ids; /* type and pid, tid */
  /* A hash table of its own: tb_intern's texts are in an arena without the limit that this one has, and a text is not
   * the same as the digits of a number. */
  struct tb_json_name *names;
  size_t name_capacity, name_count;
  bool ids_vary; /* an id that is text or absent was met, of a track or of an event: others may write it otherwise */
  int64_t next_synthetic;
  const struct tb_track *global;
  const struct tb_track *recent;                     /* the last process whose pid is the source's own number */
  const struct tb_track *cache[TB_JSON_TRACK_CACHE]; /* threads whose pid and tid are the source's own numbers */
};

void tb_json_tracks_init(struct tb_json_tracks *tracks, const struct tb_allocator *allocator, size_t max_bytes);
void tb_json_tracks_free(struct tb_json_tracks *tracks);

/* The track of a thread, a process or the whole trace; NULL when memory or the limit is exhausted. */
const struct tb_track *tb_json_thread(struct tb_json_tracks *tracks, const struct tb_json_id *pid,
                                      const struct tb_json_id *tid);
const struct tb_track *tb_json_process(struct tb_json_tracks *tracks, const struct tb_json_id *pid);
const struct tb_track *tb_json_global(struct tb_json_tracks *tracks);

static inline size_t tb_json_track_slot(int64_t pid, int64_t tid) {
  uint64_t h = tb_spread64((uint64_t)pid * 31 + (uint64_t)tid);
  return (size_t)(h >> 56) & (TB_JSON_TRACK_CACHE - 1);
}

/* As tb_json_thread, for the usual case of two numbers seen before. */
static inline const struct tb_track *tb_json_thread_fast(struct tb_json_tracks *tracks, const struct tb_json_id *pid,
                                                         const struct tb_json_id *tid) {
  if (pid->kind == TB_JSON_ID_NUMBER && tid->kind == TB_JSON_ID_NUMBER) {
    const struct tb_track *track = tracks->cache[tb_json_track_slot(pid->number, tid->number)];
    if (track && track->pid == pid->number && track->tid == tid->number) return track;
  }
  return tb_json_thread(tracks, pid, tid);
}

#endif
