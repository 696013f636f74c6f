/* SPDX-License-Identifier: Apache-2.0
 *
 * What an FXT reader remembers between records: providers with their tables, tracks of koids, objects.
 */
#ifndef TB_FXT_READER_TABLES_H
#define TB_FXT_READER_TABLES_H

#include "base/map.h"
#include "fxt/format.h"
#include "fxt/strings.h"
#include "fxt/tick_rate.h"
#include "model/narrow_ids.h"
#include "tracebridge/event.h"

/* ---- providers --------------------------------------------------------------------------------------------------- */

enum { TB_FXT_PAGE_STRINGS = 128, TB_FXT_PAGES = (TB_FXT_STRING_ENTRIES + 1) / TB_FXT_PAGE_STRINGS };

struct tb_fxt_string_page {
  struct tb_str strings[TB_FXT_PAGE_STRINGS]; /* ptr NULL: never set */
};

/* One provider's state. Its tables are made when they are first written, since a file may name very many providers. */
struct tb_fxt_provider {
  uint32_t id;
  struct tb_str name; /* empty too where our writer made the provider up */
  struct tb_fxt_rate rate;
  struct tb_fxt_string_page **pages; /* TB_FXT_PAGES of them, none of them NULL; or NULL */
  const struct tb_track **threads;   /* TB_FXT_THREAD_ENTRIES + 1 of them, or NULL */
};

/* A userspace object (of a process) or a kernel object. */
struct tb_fxt_object_entry {
  struct tb_str name;
  struct tb_arg *args; /* texts are interned; a block of its own */
  uint32_t arg_count;
};

struct tb_fxt_tables {
  const struct tb_allocator *allocator;
  struct tb_arena arena; /* everything that lives as long as the reader; limited by max_interned_bytes */
  struct tb_fxt_intern texts;
  struct tb_map providers;         /* id, 0 */
  struct tb_map processes;         /* process koid, 0 -> track */
  struct tb_map process_providers; /* index of a process' track, 0 -> its provider, which is known to have a name */
  struct tb_track **tracks;        /* by index */
  size_t track_count, track_capacity;
  struct tb_index_map threads;   /* by process koid and thread koid, where both are the ids of the track */
  struct tb_map other_threads;   /* process koid, thread koid -> track */
  struct tb_map unowned_threads; /* thread koid, 0 -> track: of a thread whose process no record has named */
  /* the last thread of a koid that has a process. That of koids that are ids is made when it is first asked for */
  struct tb_index_map latest_threads;
  struct tb_map latest_others; /* thread koid, 0 -> track */
  bool has_latest_threads;
  struct tb_map counters;           /* process track, identity text -> track */
  struct tb_narrow_ids ids;         /* of koids */
  struct tb_map thread_objects;     /* thread id, 0 -> process koid, as its kernel object says */
  struct tb_map kernel_objects;     /* koid, 0 */
  struct tb_map userspace_objects;  /* process koid, pointer */
  struct tb_map packet_streams;     /* provider, blob's name -> tb_buffer: the start of a packet that is not whole */
  struct tb_fxt_provider *provider; /* the current one */
  /* threads that records in front of all providers set: those of ocaml-trace do so, and mean them for each; or NULL */
  const struct tb_track **leading_threads;
  bool has_providers;                   /* a provider's record came */
  struct tb_fxt_string_page no_strings; /* what pages that were never written are */
  struct tb_track *global;
};

/* Statuses of the functions here: TB_OK; TB_LIMIT, when max_bytes are used up; TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_fxt_tables_init(struct tb_fxt_tables *tables, const struct tb_allocator *allocator,
                                                size_t max_bytes);
void tb_fxt_tables_free(struct tb_fxt_tables *tables);

/* The details of a track, made where it has none. */
TB_MUST_CHECK enum tb_status tb_fxt_own_details(struct tb_fxt_tables *tables, struct tb_track *track,
                                                struct tb_track_details **details);
/* A zeroed block in the tables' arena. */
TB_MUST_CHECK enum tb_status tb_fxt_tables_alloc(struct tb_fxt_tables *tables, size_t size, void **block);

/* Makes the provider `id` current; with `anew` its tables are emptied, as a provider info record does. */
TB_MUST_CHECK enum tb_status tb_fxt_use_provider(struct tb_fxt_tables *tables, uint32_t id, bool anew);

/* Sets entries of the current provider's tables: index 1..0x7fff and 1..0xff. */
TB_MUST_CHECK enum tb_status tb_fxt_set_string(struct tb_fxt_tables *tables, uint32_t index, struct tb_str text);
TB_MUST_CHECK enum tb_status tb_fxt_set_thread(struct tb_fxt_tables *tables, uint32_t index,
                                               const struct tb_track *thread);

/* A thread 1..0xff of the current provider, else of the records in front of all providers; NULL where none was set. */
const struct tb_track *tb_fxt_thread_at(const struct tb_fxt_tables *tables, uint32_t index);

/* A provider's string 0..0x7fff; ptr is NULL where none was set. String 0 is the empty one. The provider has pages. */
static inline struct tb_str tb_fxt_string_at(const struct tb_fxt_provider *provider, uint32_t index) {
  return provider->pages[index / TB_FXT_PAGE_STRINGS]->strings[index % TB_FXT_PAGE_STRINGS];
}

/* ---- tracks -------------------------------------------------------------------------------------------------------
 */

/* Sets up the maps of threads, and frees them. */
void tb_fxt_init_threads(struct tb_fxt_tables *tables);
void tb_fxt_free_threads(struct tb_fxt_tables *tables);

/* The track of a process, of a thread, of a thread known by its koid alone (of the process that a record named last, if
 * any did); made at first use. */
TB_MUST_CHECK enum tb_status tb_fxt_process_track(struct tb_fxt_tables *tables, uint64_t koid, struct tb_track **track);
TB_MUST_CHECK enum tb_status tb_fxt_thread_track(struct tb_fxt_tables *tables, uint64_t process, uint64_t thread,
                                                 struct tb_track **track);
/* A thread that is of no process so far becomes one of that process, where it has no such thread yet: *adopted. */
TB_MUST_CHECK enum tb_status tb_fxt_adopt_thread(struct tb_fxt_tables *tables, uint64_t process, uint64_t thread,
                                                 bool *adopted);
TB_MUST_CHECK enum tb_status tb_fxt_thread_track_of_koid(struct tb_fxt_tables *tables, uint64_t thread,
                                                         struct tb_track **track);

/* The track of the whole trace. */
TB_MUST_CHECK enum tb_status tb_fxt_global_track(struct tb_fxt_tables *tables, const struct tb_track **track);

/* The track of the series of a counter that `value` is a sample of, as its name says; the track is the thread's
 * process'. `id_text` is the id where the source has a text, else empty. */
TB_MUST_CHECK enum tb_status tb_fxt_counter_track(struct tb_fxt_tables *tables, const struct tb_track *thread,
                                                  struct tb_str name, uint64_t id, struct tb_str id_text,
                                                  const struct tb_arg *value, const struct tb_track **track);

/* ---- objects ------------------------------------------------------------------------------------------------------
 */

/* Remembers what a record says of the object (a, b) in `map`; everything is copied. */
TB_MUST_CHECK enum tb_status tb_fxt_set_object(struct tb_fxt_tables *tables, struct tb_map *map, uint64_t a, uint64_t b,
                                               struct tb_str name, const struct tb_arg *args, uint32_t arg_count);

#endif
