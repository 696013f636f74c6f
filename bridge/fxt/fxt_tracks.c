/* SPDX-License-Identifier: Apache-2.0
 *
 * Tracks of an FXT trace: koids to process and thread ids, counters to names.
 */
#include <inttypes.h>
#include <stdio.h>

#include "fxt/fxt_json.h"
#include "fxt/fxt_tables.h"

static uint64_t as_value(const void *pointer) { return (uint64_t)(uintptr_t)pointer; }

static enum tb_status new_track(struct tb_fxt_tables *tables, enum tb_track_type type, struct tb_track **track) {
  void *block;
  enum tb_status status = tb_fxt_tables_alloc(tables, sizeof(**track), &block);
  if (status != TB_OK) return status;
  *track = block;
  (*track)->type = type;
  (*track)->index = tables->track_count++;
  (*track)->sequence = tables->provider->id;
  return TB_OK;
}

/* The process or thread id of a koid: itself where the id takes it, which is a positive int32 on all of our ways. Any
 * other (artificial koids have bit 63) gets a negative number of its own, so that it meets no real id: its lower half
 * with the sign set, which is also what the trace processor shows of it where that half has the sign; the next free one
 * below where two koids would meet. */
static enum tb_status id_of_koid(struct tb_fxt_tables *tables, uint64_t koid, int64_t *id, struct tb_slice *text) {
  *text = (struct tb_slice){NULL, 0};
  *id = (int64_t)koid;
  if (koid <= INT32_MAX) return TB_OK;
  char decimal[24];
  int len = snprintf(decimal, sizeof(decimal), "%" PRIu64, koid);
  enum tb_status status = tb_fxt_intern(&tables->texts, (struct tb_slice){decimal, (size_t)len}, text);
  if (status != TB_OK) return status;
  const uint64_t *known = tb_fxt_map_find(&tables->ids, koid, 0);
  if (known) {
    *id = (int64_t)*known;
    return TB_OK;
  }
  uint32_t low = (uint32_t)koid | UINT32_C(0x80000000);
  while (tb_fxt_map_find(&tables->taken, low, 0)) low = (low - 1) | UINT32_C(0x80000000);
  *id = (int64_t)low - (INT64_C(1) << 32);
  status = tb_fxt_map_put(&tables->taken, low, 0, 1);
  return status == TB_OK ? tb_fxt_map_put(&tables->ids, koid, 0, (uint64_t)*id) : status;
}

enum tb_status tb_fxt_process_track(struct tb_fxt_tables *tables, uint64_t koid, struct tb_track **track) {
  *track = tb_fxt_map_find_pointer(&tables->processes, koid, 0);
  if (*track) return TB_OK;
  enum tb_status status = new_track(tables, TB_TRACK_PROCESS, track);
  if (status != TB_OK) return status;
  (*track)->has_pid = true;
  status = id_of_koid(tables, koid, &(*track)->pid, &(*track)->pid_text);
  return status == TB_OK ? tb_fxt_map_put(&tables->processes, koid, 0, as_value(*track)) : status;
}

static enum tb_status new_thread(struct tb_fxt_tables *tables, const struct tb_track *process, uint64_t thread,
                                 struct tb_track **track) {
  enum tb_status status = new_track(tables, TB_TRACK_THREAD, track);
  if (status != TB_OK) return status;
  (*track)->parent = process;
  (*track)->has_tid = true;
  if (process) {
    (*track)->has_pid = true;
    (*track)->pid = process->pid;
    (*track)->pid_text = process->pid_text;
  }
  return id_of_koid(tables, thread, &(*track)->tid, &(*track)->tid_text);
}

enum tb_status tb_fxt_thread_track(struct tb_fxt_tables *tables, uint64_t process, uint64_t thread,
                                   struct tb_track **track) {
  *track = tb_fxt_map_find_pointer(&tables->threads, process, thread);
  if (*track) return TB_OK;
  struct tb_track *home;
  enum tb_status status = tb_fxt_process_track(tables, process, &home);
  if (status == TB_OK) status = new_thread(tables, home, thread, track);
  if (status == TB_OK) status = tb_fxt_map_put(&tables->threads, process, thread, as_value(*track));
  return status == TB_OK ? tb_fxt_map_put(&tables->thread_homes, thread, 0, as_value(*track)) : status;
}

enum tb_status tb_fxt_lone_thread_track(struct tb_fxt_tables *tables, uint64_t thread, struct tb_track **track) {
  *track = tb_fxt_map_find_pointer(&tables->thread_homes, thread, 0);
  if (!*track) *track = tb_fxt_map_find_pointer(&tables->lone_threads, thread, 0);
  if (*track) return TB_OK;
  enum tb_status status = new_thread(tables, NULL, thread, track);
  return status == TB_OK ? tb_fxt_map_put(&tables->lone_threads, thread, 0, as_value(*track)) : status;
}

enum tb_status tb_fxt_global_track(struct tb_fxt_tables *tables, const struct tb_track **track) {
  enum tb_status status = tables->global ? TB_OK : new_track(tables, TB_TRACK_GLOBAL, &tables->global);
  *track = tables->global;
  return status;
}

/* Writes the counter's identity, a JSON array, and its name, which is the trace processor's for it, into `to`, the name
 * from *name_at on. */
static enum tb_status spell_counter(struct tb_buffer *to, struct tb_slice name, struct tb_slice series, uint64_t id,
                                    size_t *name_at) {
  char number[24];
  size_t len = (size_t)snprintf(number, sizeof(number), "%" PRIu64, id);
  enum tb_status status = tb_buffer_append(to, "[", 1);
  if (status == TB_OK) status = tb_fxt_json_string(to, name);
  if (status == TB_OK) status = tb_buffer_append(to, ",", 1);
  if (status == TB_OK) status = tb_fxt_json_string(to, series);
  if (status == TB_OK) status = tb_buffer_append(to, ",\"", 2);
  if (status == TB_OK) status = tb_buffer_append(to, number, len);
  if (status == TB_OK) status = tb_buffer_append(to, "\"]", 2);
  *name_at = to->len;
  if (status == TB_OK) status = tb_buffer_append(to, name.ptr, name.len);
  if (status == TB_OK) status = tb_buffer_append(to, ":", 1);
  if (status == TB_OK) status = tb_buffer_append(to, series.ptr, series.len);
  if (status == TB_OK) status = tb_buffer_append(to, ":", 1);
  if (status == TB_OK) status = tb_buffer_append(to, number, len);
  return status;
}

static enum tb_status counter_of(struct tb_fxt_tables *tables, const struct tb_track *process, struct tb_slice identity,
                                 struct tb_slice name, const struct tb_track **track) {
  enum tb_status status = tb_fxt_intern(&tables->texts, identity, &identity);
  if (status != TB_OK) return status;
  *track = tb_fxt_map_find_pointer(&tables->counters, as_value(process), as_value(identity.ptr));
  if (*track) return TB_OK;
  struct tb_track *made;
  status = new_track(tables, TB_TRACK_COUNTER, &made);
  if (status == TB_OK) status = tb_fxt_intern(&tables->texts, name, &made->name);
  if (status != TB_OK) return status;
  made->parent = process;
  made->has_pid = process->has_pid;
  made->pid = process->pid;
  made->pid_text = process->pid_text;
  made->description = identity;
  *track = made;
  return tb_fxt_map_put(&tables->counters, as_value(process), as_value(identity.ptr), as_value(made));
}

enum tb_status tb_fxt_counter_track(struct tb_fxt_tables *tables, const struct tb_track *process, struct tb_slice name,
                                    struct tb_slice series, uint64_t id, const struct tb_track **track) {
  struct tb_buffer text;
  tb_buffer_init(&text, tables->allocator, 0);
  size_t name_at;
  enum tb_status status = spell_counter(&text, name, series, id, &name_at);
  struct tb_slice identity = {text.data, name_at}, full = {text.data + name_at, text.len - name_at};
  if (status == TB_OK) status = counter_of(tables, process, identity, full, track);
  tb_buffer_free(&text);
  return status;
}
