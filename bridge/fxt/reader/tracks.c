/* SPDX-License-Identifier: Apache-2.0
 *
 * Tracks of an FXT trace: koids to process and thread ids, counters to names.
 */
#include <inttypes.h>
#include <stdio.h>

#include "fxt/reader/tables.h"
#include "json/emitter.h"
#include "model/tracks.h"

static uint64_t as_value(const void *pointer) { return (uint64_t)(uintptr_t)pointer; }

static enum tb_status new_track(struct tb_fxt_tables *tables, enum tb_track_type type, struct tb_track **track) {
  void *block, *tracks = tables->tracks;
  enum tb_status status = tb_fxt_tables_alloc(tables, sizeof(**track), &block);
  if (status == TB_OK)
    status = tb_grow_array(tables->allocator, &tracks, &tables->track_capacity, tables->track_count + 1,
                           sizeof(struct tb_track *), UINT32_MAX - 1);
  tables->tracks = tracks;
  if (status != TB_OK) return status;
  *track = block;
  (*track)->type = type;
  (*track)->index = (uint32_t)tables->track_count;
  tables->tracks[tables->track_count++] = *track;
  (*track)->sequence = tables->provider->id;
  return TB_OK;
}

static enum tb_status id_of_koid(struct tb_fxt_tables *tables, uint64_t koid, int64_t *id, struct tb_str *text) {
  *text = (struct tb_str){NULL, 0};
  *id = (int64_t)koid;
  if (tb_fxt_is_id(koid)) return TB_OK;
  enum tb_status status = tb_narrow_id(&tables->ids, koid, id);
  if (status != TB_OK || (uint64_t)*id == koid) return status;
  char decimal[24];
  int len = snprintf(decimal, sizeof(decimal), "%" PRIu64, koid);
  return tb_fxt_intern(&tables->texts, (struct tb_str){decimal, (size_t)len}, text);
}

/* Sets an id of the track, `id`, and its text where it has one: the thread's or the process'. */
static enum tb_status set_id(struct tb_fxt_tables *tables, struct tb_track *track, uint64_t koid, bool of_thread) {
  struct tb_str text;
  struct tb_track_details *details;
  enum tb_status status = id_of_koid(tables, koid, of_thread ? &track->tid : &track->pid, &text);
  if (status != TB_OK || !text.ptr) return status;
  status = tb_fxt_own_details(tables, track, &details);
  if (status == TB_OK) *(of_thread ? &details->tid_text : &details->pid_text) = text;
  return status;
}

/* The id of the process that a track is below. */
static enum tb_status take_process_id(struct tb_fxt_tables *tables, struct tb_track *track,
                                      const struct tb_track *process) {
  struct tb_track_details *details;
  struct tb_str text = tb_track_get_details(process)->pid_text;
  track->has_pid = process->has_pid;
  track->pid = process->pid;
  if (!text.ptr) return TB_OK;
  enum tb_status status = tb_fxt_own_details(tables, track, &details);
  if (status != TB_OK) return status;
  details->pid_text = text;
  details->pid_is_number = tb_track_get_details(process)->pid_is_number;
  return TB_OK;
}

/* Whether a koid says that there is no id: our writer's, whose providers have no names. */
static bool has_id(const struct tb_fxt_tables *tables, uint64_t koid) {
  return !tb_fxt_is_no_id(koid) || tables->provider->name.len;
}

enum tb_status tb_fxt_process_track(struct tb_fxt_tables *tables, uint64_t koid, struct tb_track **track) {
  *track = tb_map_find_pointer(&tables->processes, koid, 0);
  if (*track) return TB_OK;
  enum tb_status status = new_track(tables, TB_TRACK_PROCESS, track);
  if (status != TB_OK) return status;
  (*track)->has_pid = has_id(tables, koid);
  if ((*track)->has_pid) status = set_id(tables, *track, koid, false);
  return status == TB_OK ? tb_map_put(&tables->processes, koid, 0, as_value(*track)) : status;
}

static enum tb_status new_thread(struct tb_fxt_tables *tables, const struct tb_track *process, uint64_t thread,
                                 struct tb_track **track) {
  enum tb_status status = new_track(tables, TB_TRACK_THREAD, track);
  if (status != TB_OK) return status;
  (*track)->parent = process;
  (*track)->has_tid = has_id(tables, thread);
  if (process) status = take_process_id(tables, *track, process);
  (*track)->tid = (*track)->pid; /* where it has no id of its own */
  return status == TB_OK && (*track)->has_tid ? set_id(tables, *track, thread, true) : status;
}

/* ---- maps of threads: there may be a million ---------------------------------------------------------------------
 *
 * Nearly all koids are the ids of their tracks, which therefore know their keys. The others' are in maps that hold
 * them.
 * ---------------------------------------------------------------------------------------------------------- */

static struct tb_map_key koids_of(const void *owner, uint32_t index) {
  const struct tb_track *track = ((const struct tb_fxt_tables *)owner)->tracks[index];
  return (struct tb_map_key){(uint64_t)track->pid, (uint64_t)track->tid};
}

static struct tb_map_key thread_koid_of(const void *owner, uint32_t index) {
  return (struct tb_map_key){(uint64_t)((const struct tb_fxt_tables *)owner)->tracks[index]->tid, 0};
}

void tb_fxt_init_threads(struct tb_fxt_tables *tables) {
  tb_index_map_init(&tables->threads, tables->allocator, koids_of);
  tb_index_map_init(&tables->latest_threads, tables->allocator, thread_koid_of);
}

void tb_fxt_free_threads(struct tb_fxt_tables *tables) {
  tb_index_map_free(&tables->threads);
  tb_index_map_free(&tables->latest_threads);
  tb_map_free(&tables->other_threads);
  tb_map_free(&tables->unowned_threads);
  tb_map_free(&tables->latest_others);
  tb_free(tables->allocator, tables->tracks, tables->track_capacity * sizeof(struct tb_track *));
}

static struct tb_track *find_thread(const struct tb_fxt_tables *tables, uint64_t process, uint64_t thread) {
  uint32_t index;
  if (!tb_fxt_is_id(process) || !tb_fxt_is_id(thread))
    return tb_map_find_pointer(&tables->other_threads, process, thread);
  return tb_index_map_get(&tables->threads, tables, process, thread, &index) ? tables->tracks[index] : NULL;
}

static enum tb_status note_thread(struct tb_fxt_tables *tables, uint64_t process, uint64_t thread,
                                  const struct tb_track *track) {
  enum tb_status status = tb_fxt_is_id(process) && tb_fxt_is_id(thread)
                              ? tb_index_map_put(&tables->threads, tables, track->index)
                              : tb_map_put(&tables->other_threads, process, thread, as_value(track));
  if (status != TB_OK) return status;
  if (!tb_fxt_is_id(thread)) return tb_map_put(&tables->latest_others, thread, 0, as_value(track));
  return tables->has_latest_threads ? tb_index_map_put(&tables->latest_threads, tables, track->index) : TB_OK;
}

enum tb_status tb_fxt_thread_track(struct tb_fxt_tables *tables, uint64_t process, uint64_t thread,
                                   struct tb_track **track) {
  *track = find_thread(tables, process, thread);
  if (*track) return TB_OK;
  struct tb_track *owner;
  enum tb_status status = tb_fxt_process_track(tables, process, &owner);
  if (status == TB_OK) status = new_thread(tables, owner, thread, track);
  return status == TB_OK ? note_thread(tables, process, thread, *track) : status;
}

enum tb_status tb_fxt_adopt_thread(struct tb_fxt_tables *tables, uint64_t process, uint64_t thread, bool *adopted) {
  struct tb_track *track = tb_map_find_pointer(&tables->unowned_threads, thread, 0), *owner;
  *adopted = false;
  if (!track || !track->has_tid || find_thread(tables, process, thread)) return TB_OK;
  enum tb_status status = tb_fxt_process_track(tables, process, &owner);
  if (status == TB_OK) status = take_process_id(tables, track, owner);
  if (status != TB_OK) return status;
  track->parent = owner;
  tb_map_remove(&tables->unowned_threads, thread, 0);
  *adopted = true;
  return note_thread(tables, process, thread, track);
}

/* Of the threads so far: the last one of a koid is found. */
static enum tb_status make_latest_threads(struct tb_fxt_tables *tables) {
  enum tb_status status = TB_OK;
  for (uint32_t i = 0; i < tables->track_count && status == TB_OK; i++) {
    const struct tb_track *track = tables->tracks[i];
    bool has_koid =
        track->type == TB_TRACK_THREAD && track->parent && track->has_tid && !tb_track_get_details(track)->tid_text.len;
    if (has_koid && tb_fxt_is_id((uint64_t)track->tid)) status = tb_index_map_put(&tables->latest_threads, tables, i);
  }
  tables->has_latest_threads = status == TB_OK;
  return status;
}

static enum tb_status find_latest(struct tb_fxt_tables *tables, uint64_t thread, struct tb_track **track) {
  uint32_t index;
  *track = tb_fxt_is_id(thread) ? NULL : tb_map_find_pointer(&tables->latest_others, thread, 0);
  if (!tb_fxt_is_id(thread)) return TB_OK;
  enum tb_status status = tables->has_latest_threads ? TB_OK : make_latest_threads(tables);
  if (status == TB_OK && tb_index_map_get(&tables->latest_threads, tables, thread, 0, &index))
    *track = tables->tracks[index];
  return status;
}

enum tb_status tb_fxt_thread_track_of_koid(struct tb_fxt_tables *tables, uint64_t thread, struct tb_track **track) {
  /* 0 is the idle thread, and within a process what stands for the whole of it, as for counters */
  *track = NULL;
  enum tb_status status = thread ? find_latest(tables, thread, track) : TB_OK;
  if (status != TB_OK) return status;
  if (!*track) *track = tb_map_find_pointer(&tables->unowned_threads, thread, 0);
  if (*track) return TB_OK;
  status = new_thread(tables, NULL, thread, track);
  return status == TB_OK ? tb_map_put(&tables->unowned_threads, thread, 0, as_value(*track)) : status;
}

enum tb_status tb_fxt_global_track(struct tb_fxt_tables *tables, const struct tb_track **track) {
  enum tb_status status = tables->global ? TB_OK : new_track(tables, TB_TRACK_GLOBAL, &tables->global);
  *track = tables->global;
  return status;
}

/* What a counter's track is known by. `letter`: of the values' type where they do not tell it, see docs/MAPPING.md;
 * else 0. */
struct counter {
  const struct tb_track *thread;
  struct tb_str name, series;
  uint64_t id;
  struct tb_str id_text; /* empty: the number */
  char letter;
};

/* Whether our writer says that the name is the counter's whole one: it was no counter of FXT. */
static bool has_own_name(const struct counter *counter) {
  return counter->id == 0 && tb_str_equal(counter->series, TB_STR(TB_FXT_OWN_SERIES));
}

/* Whether it says all that there is to say. */
static bool is_named_by_name(const struct counter *counter) {
  return has_own_name(counter) && counter->thread->tid == 0 && !counter->letter;
}

/* Writes the counter's identity, a JSON array, and its name, which is the trace processor's for it, into `to`, the name
 * from *name_at on. */
static void spell_counter(struct tb_json_emit *to, const struct counter *counter, size_t *name_at) {
  const struct tb_track *thread = counter->thread;
  char number[24], tid[24];
  (void)snprintf(number, sizeof(number), "%" PRIu64, counter->id);
  struct tb_str id = counter->id_text.len ? counter->id_text : tb_str_from(number);
  if (thread->has_tid)
    (void)snprintf(tid, sizeof(tid), "%" PRId64, thread->tid);
  else
    (void)snprintf(tid, sizeof(tid), "%" PRIu64, TB_FXT_NO_ID | (uint32_t)thread->pid);
  bool is_koid = tb_track_get_details(thread)->tid_text.len && tb_track_get_details(thread)->tid_text.ptr[0] >= '0' &&
                 tb_track_get_details(thread)->tid_text.ptr[0] <= '9';
  struct tb_str koid = is_koid ? tb_track_get_details(thread)->tid_text : tb_str_from(tid);
  TB_JSON_EMIT(to, "[");
  tb_json_emit_string(to, counter->name);
  TB_JSON_EMIT(to, ",");
  tb_json_emit_string(to, counter->series);
  TB_JSON_EMIT(to, ",");
  tb_json_emit_string(to, id);
  TB_JSON_EMIT(to, ",");
  tb_json_emit_string(to, koid);
  const char letter[] = {',', '"', counter->letter, '"'};
  if (counter->letter) tb_json_emit_raw(to, letter, sizeof(letter));
  TB_JSON_EMIT(to, "]");
  *name_at = to->buffer.len;
  tb_json_emit_raw(to, counter->name.ptr, counter->name.len);
  if (has_own_name(counter)) return;
  TB_JSON_EMIT(to, ":");
  tb_json_emit_raw(to, counter->series.ptr, counter->series.len);
  TB_JSON_EMIT(to, ":");
  tb_json_emit_raw(to, id.ptr, id.len);
}

/* The track of an identity; where it is new and `make` is false, NULL. */
static enum tb_status counter_of(struct tb_fxt_tables *tables, const struct tb_track *process, struct tb_str identity,
                                 struct tb_str name, bool describe, bool make, const struct tb_track **track) {
  enum tb_status status = tb_fxt_intern(&tables->texts, identity, &identity);
  if (status != TB_OK) return status;
  *track = tb_map_find_pointer(&tables->counters, as_value(process), as_value(identity.ptr));
  if (*track || !make) return TB_OK;
  struct tb_track *made;
  status = new_track(tables, TB_TRACK_COUNTER, &made);
  if (status == TB_OK) status = tb_fxt_intern(&tables->texts, name, &made->name);
  if (status != TB_OK) return status;
  made->parent = process;
  status = take_process_id(tables, made, process);
  struct tb_track_details *details;
  if (status == TB_OK && describe && (status = tb_fxt_own_details(tables, made, &details)) == TB_OK)
    details->description = identity;
  if (status != TB_OK) return status;
  *track = made;
  return tb_map_put(&tables->counters, as_value(process), as_value(identity.ptr), as_value(made));
}

static enum tb_status find_counter(struct tb_fxt_tables *tables, const struct counter *counter, bool make,
                                   const struct tb_track **track) {
  struct tb_json_emit text;
  tb_json_emit_init(&text, tables->allocator);
  size_t name_at;
  spell_counter(&text, counter, &name_at);
  enum tb_status status = text.status;
  if (status == TB_OK) {
    struct tb_str identity = {text.buffer.data, name_at};
    struct tb_str full = {text.buffer.data + name_at, text.buffer.len - name_at};
    status = counter_of(tables, counter->thread->parent, identity, full, !is_named_by_name(counter), make, track);
  }
  tb_json_emit_free(&text);
  return status;
}

/* Letters of the tracks that a value may be on, the best first: a 64-bit value that says its type by its size may be
 * with shorter ones. */
static const char *letters_of(const struct tb_arg *value) {
  static const char none[] = {'\0', '\0'};
  if (value->type == TB_ARG_INT && value->width == 64)
    return value->i >= INT32_MIN && value->i <= INT32_MAX ? "I" : "I-";
  if (value->type == TB_ARG_UINT && value->width == 64) return value->u <= UINT32_MAX ? "U" : "Uu";
  return value->type == TB_ARG_UINT ? "u" : none;
}

enum tb_status tb_fxt_counter_track(struct tb_fxt_tables *tables, const struct tb_track *thread, struct tb_str name,
                                    uint64_t id, struct tb_str id_text, const struct tb_arg *value,
                                    const struct tb_track **track) {
  struct counter counter = {.thread = thread, .name = name, .series = value->name, .id = id, .id_text = id_text};
  const char *letters = letters_of(value);
  enum tb_status status = TB_OK;
  *track = NULL;
  for (size_t i = 0; letters[0] && letters[1] && i < 2 && !*track && status == TB_OK; i++) {
    counter.letter = letters[i] == '-' ? '\0' : letters[i];
    status = find_counter(tables, &counter, false, track);
  }
  counter.letter = letters[0];
  return status == TB_OK && !*track ? find_counter(tables, &counter, true, track) : status;
}
