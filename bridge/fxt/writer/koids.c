/* SPDX-License-Identifier: Apache-2.0
 *
 * Koids of tracks, their kernel objects, and numbers for ids.
 */
#include "base/mix64.h"
#include "fxt/writer/writer.h"
#include "json/text.h"
#include "model/tracks.h"

/* ---- koids ------------------------------------------------------------------------------------------------------- */

bool tb_fxt_parse_number(struct tb_str text, uint64_t *number) {
  uint64_t value = 0;
  for (size_t i = 0; i < text.len; i++) {
    unsigned digit = (unsigned char)text.ptr[i] - (unsigned)'0';
    if (digit > 9 || value > (UINT64_MAX - digit) / 10) return false;
    value = value * 10 + digit;
  }
  *number = value;
  return text.len == 1 || (text.len && text.ptr[0] != '0'); /* "07" is no other word for 7 */
}

/* Whether a text is a koid. The last 2^31 are no text's: they are negative ids. */
static bool is_koid(struct tb_str text, uint64_t *koid) {
  return tb_fxt_parse_number(text, koid) && !tb_fxt_is_negative_id(*koid);
}

/* The koid that the source wrote, else the id itself. */
static uint64_t koid_of(int64_t id, struct tb_str text) {
  uint64_t koid;
  return is_koid(text, &koid) ? koid : (uint64_t)id;
}

uint64_t tb_fxt_process_koid(const struct tb_track *track) {
  for (; track; track = track->parent) {
    if (track->has_pid) return koid_of(track->pid, tb_track_get_details(track)->pid_text);
    if (track->type == TB_TRACK_PROCESS) return TB_FXT_NO_ID;
  }
  return 0;
}

uint64_t tb_fxt_no_thread_koid(const struct tb_track *track) {
  return TB_FXT_NO_ID | (uint32_t)tb_fxt_process_koid(track);
}

uint64_t tb_fxt_thread_koid(const struct tb_track *track) {
  for (; track; track = track->parent) {
    if (track->has_tid) return koid_of(track->tid, tb_track_get_details(track)->tid_text);
    if (track->type == TB_TRACK_THREAD) return tb_fxt_no_thread_koid(track);
  }
  return 0;
}

/* ---- tracks ------------------------------------------------------------------------------------------------------ */

struct tb_fxt_track_state *tb_fxt_track_state_of(struct tb_fxt_writer *w, const struct tb_track *track) {
  uint32_t last = track->index;
  /* those above may get numbers while this one's state is at hand, and states move */
  for (const struct tb_track *above = track; above->type == TB_TRACK_CUSTOM && above->parent; above = above->parent)
    if (above->parent->index > last) last = above->parent->index;
  if (w->status != TB_OK) return NULL;
  if (last >= w->track_state_count) {
    void *track_states = w->track_states;
    enum tb_status status = tb_grow_array(w->writer->allocator, &track_states, &w->track_state_capacity,
                                          (size_t)last + 1, sizeof(*w->track_states), (size_t)UINT32_MAX + 1);
    w->track_states = track_states;
    if (status != TB_OK) {
      tb_fxt_fail(w, status);
      return NULL;
    }
    if (w->track_state_capacity >= TB_MANY_TRACKS) w->writer->prefetches = true;
    while (w->track_state_count <= last) /* what is behind takes no memory before it is written */
      w->track_states[w->track_state_count++] = (struct tb_fxt_track_state){.slices = &w->no_slices};
  }
  return &w->track_states[track->index];
}

struct tb_fxt_track_more *tb_fxt_own_more(struct tb_fxt_writer *w, struct tb_fxt_track_state *track_state) {
  if (!track_state->more) {
    enum tb_status status = tb_pages_reach(&w->more, w->more_count, sizeof(struct tb_fxt_track_more), UINT32_MAX - 1);
    if (status != TB_OK) {
      tb_fxt_fail(w, status);
      return NULL;
    }
    track_state->more = (uint32_t)++w->more_count;
  }
  return tb_pages_at(&w->more, track_state->more - 1, sizeof(struct tb_fxt_track_more));
}

/* The text that the id of a process or thread is in the source. */
static struct tb_str own_text(const struct tb_track *track) {
  return track->type == TB_TRACK_THREAD ? tb_track_get_details(track)->tid_text : tb_track_get_details(track)->pid_text;
}

static int64_t own_number(const struct tb_track *track) {
  return track->type == TB_TRACK_THREAD ? track->tid : track->pid;
}

/* A process' or thread's name: its own, or an id that is a text and no number. */
static struct tb_str name_of(const struct tb_track *track) {
  struct tb_str text = own_text(track);
  uint64_t koid;
  bool is_number = tb_fxt_parse_number(text, &koid) || tb_json_is_text_of(text, own_number(track));
  return track->name.len || is_number ? track->name : text;
}

/* An id that its koid alone does not say, as an argument of the track's record: a text in the source, or a number that
 * readers would take for a koid. */
static bool make_id_arg(const struct tb_track *track, bool of_thread, struct tb_fxt_flat *arg) {
  const struct tb_track_details *details = tb_track_get_details(track);
  struct tb_str text = of_thread ? details->tid_text : details->pid_text;
  int64_t number = of_thread ? track->tid : track->pid;
  uint64_t value = (uint64_t)number;
  arg->name = tb_carried_path(of_thread ? TB_CARRIED_TID : TB_CARRIED_PID);
  arg->text = text;
  arg->type = TB_FXT_ARG_STRING;
  if (text.len && !(of_thread ? details->tid_is_number : details->pid_is_number))
    return !is_koid(text, &value) || tb_json_is_text_of(text, number);
  bool is_digits = !text.len || tb_fxt_parse_number(text, &value); /* else a negative one, which is not so low */
  if (!text.len && (!(of_thread ? track->has_tid : track->has_pid) || tb_fxt_is_id(value))) return false;
  if (!is_digits) return true;
  arg->value = value;
  arg->type = !text.len && number < 0 ? TB_FXT_ARG_INT64 : TB_FXT_ARG_UINT64;
  return true;
}

static bool has_process(const struct tb_track *track) {
  return track->type == TB_TRACK_THREAD && (track->has_pid || track->parent);
}

/* Describes a track. One without a name whose id is a text is an object of no type, since one of its own would give it
 * an empty name. */
static void put_kernel_object(struct tb_fxt_writer *w, const struct tb_track *track, struct tb_str text,
                              bool has_name) {
  bool is_thread = track->type == TB_TRACK_THREAD;
  uint64_t process = tb_fxt_process_koid(track);
  struct tb_fxt_flat args[3] = {{.name = TB_STR("process"), .value = process, .type = TB_FXT_ARG_KOID}};
  uint32_t count = has_process(track);
  count += make_id_arg(track, false, &args[count]);
  if (is_thread) count += make_id_arg(track, true, &args[count]);
  uint64_t type = !has_name ? TB_FXT_OBJECT_NONE : is_thread ? TB_FXT_OBJECT_THREAD : TB_FXT_OBJECT_PROCESS;
  tb_fxt_use_process(w, process);
  uint64_t name = tb_fxt_string_ref(w, text);
  tb_fxt_open_record(w, TB_FXT_KERNEL_OBJECT, type << 16 | name << 24 | (uint64_t)count << 40);
  tb_fxt_put_word(w, is_thread ? tb_fxt_thread_koid(track) : process);
  tb_fxt_put_args(w, args, count);
  tb_fxt_close_record(w);
}

static struct tb_str written_name(const struct tb_fxt_writer *w, const struct tb_fxt_track_state *track_state) {
  const struct tb_fxt_track_more *more = tb_fxt_more(w, track_state);
  return (struct tb_str){more->name, more->name_len};
}

static void write_name(struct tb_fxt_writer *w, const struct tb_track *track, struct tb_fxt_track_state *track_state,
                       struct tb_str name) {
  if (name.len > UINT32_MAX) name.len = UINT32_MAX;
  struct tb_fxt_track_more *more = tb_fxt_own_more(w, track_state);
  if (!more) return;
  char *copy = tb_alloc(w->writer->allocator, name.len);
  if (!copy) {
    tb_fxt_fail(w, TB_NO_MEMORY);
    return;
  }
  if (name.len) memcpy(copy, name.ptr, name.len);
  tb_free(w->writer->allocator, more->name, more->name_len);
  more->name = copy;
  more->name_len = (uint32_t)name.len;
  track_state->described = true;
  track_state->placed = has_process(track);
  put_kernel_object(w, track, name, true);
}

/* What a track without a name has to say of itself. */
static void describe_nameless(struct tb_fxt_writer *w, const struct tb_track *track,
                              struct tb_fxt_track_state *track_state) {
  struct tb_fxt_flat arg;
  if (track_state->has_text_id || !make_id_arg(track, track->type == TB_TRACK_THREAD, &arg)) return;
  track_state->has_text_id = true;
  put_kernel_object(w, track, (struct tb_str){NULL, 0}, false);
}

static void describe_name(struct tb_fxt_writer *w, const struct tb_track *track,
                          struct tb_fxt_track_state *track_state) {
  if (track_state->named && !track->name.len) return;
  struct tb_str name = name_of(track);
  if (!track_state->described && !name.len)
    describe_nameless(w, track, track_state);
  else if (!track_state->described || track_state->placed != has_process(track) ||
           !tb_str_equal(name, written_name(w, track_state)))
    write_name(w, track, track_state, name);
}

void tb_fxt_describe(struct tb_fxt_writer *w, const struct tb_track *track) {
  if (!track || (track->type != TB_TRACK_PROCESS && track->type != TB_TRACK_THREAD)) return;
  struct tb_fxt_track_state *track_state = tb_fxt_track_state_of(w, track);
  if (!track_state) return;
  describe_name(w, track, track_state);
  tb_fxt_put_track_labels(w, track, track_state);
}

void tb_fxt_name_track(struct tb_fxt_writer *w, const struct tb_track *track, struct tb_str name) {
  uint64_t koid = track->type == TB_TRACK_THREAD ? tb_fxt_thread_koid(track) : tb_fxt_process_koid(track);
  struct tb_fxt_track_state *track_state = koid ? tb_fxt_track_state_of(w, track) : NULL; /* 0 is no object */
  if (!track_state) return;
  track_state->named = true;
  if (!track_state->described || !tb_str_equal(name, written_name(w, track_state)))
    write_name(w, track, track_state, name);
}

/* ---- ids --------------------------------------------------------------------------------------------------------- */

static uint64_t identity_of(const struct tb_event *event, const struct tb_id *id, bool named) {
  uint64_t hash = tb_mix_word(id->kind, id->is_number ? id->value : tb_fxt_text_hash(id->text));
  if (event->has & TB_HAS_ID_ONLY_MATCH) return hash;
  hash = tb_mix_word(hash, tb_fxt_text_hash(event->has & TB_HAS_SCOPE ? event->scope : event->categories));
  if (named) hash = tb_mix_word(hash, tb_fxt_text_hash(event->name));
  if (id->kind == TB_ID_LOCAL) hash = tb_mix_word(hash, tb_fxt_process_koid(event->track));
  return hash | 1;
}

/* The number where nothing else has it, else the identity. */
static uint64_t own_number_of(struct tb_fxt_writer *w, uint64_t number, uint64_t identity) {
  const uint64_t *owner = tb_map_find(&w->ids, number, 0);
  if (!owner) {
    tb_fxt_fail(w, tb_map_put(&w->ids, number, 0, identity));
    return number;
  }
  return *owner == identity ? number : identity;
}

uint64_t tb_fxt_id_number(struct tb_fxt_writer *w, const struct tb_event *event, const struct tb_id *id, bool named) {
  if (id->is_number && event->has & TB_HAS_ID_ONLY_MATCH) return id->value;
  uint64_t identity = identity_of(event, id, named);
  return own_number_of(w, id->is_number ? id->value : identity, identity);
}

/* `event`: on the track, or on one below it. */
static uint64_t number_of_track(struct tb_fxt_writer *w, const struct tb_event *event, const struct tb_track *track) {
  struct tb_fxt_track_state *track_state = tb_fxt_track_state_of(w, track);
  if (!track_state) return track->uuid;
  struct tb_fxt_track_more *more = tb_fxt_own_more(w, track_state);
  if (!more) return track->uuid;
  if (more->number) return more->number;
  uint64_t number = track->uuid ? track->uuid : UINT64_C(1) << 62 | track->index;
  number = own_number_of(w, number, tb_mix_word(number, track->index) | 1);
  more->number = number;
  bool is_below = track->parent && track->parent->type == TB_TRACK_CUSTOM;
  uint64_t parent = is_below ? number_of_track(w, event, track->parent) : 0; /* states of tracks may move */
  tb_fxt_put_track_name(w, event, track, number, parent);
  return number;
}

uint64_t tb_fxt_track_number(struct tb_fxt_writer *w, const struct tb_event *event) {
  return number_of_track(w, event, event->track);
}
