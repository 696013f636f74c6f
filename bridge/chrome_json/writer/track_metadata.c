/* SPDX-License-Identifier: Apache-2.0
 *
 * What tracks say of themselves, as metadata events.
 */
#include "base/mix64.h"
#include "chrome_json/writer/writer.h"
#include "model/tracks.h"

static size_t begin_metadata(struct tb_json_writer *w, const struct tb_track *track, struct tb_str name) {
  size_t start = tb_json_object_begin(w);
  TB_JSON_EMIT(&w->out, ",\"name\":");
  tb_json_emit_string(&w->out, name);
  TB_JSON_EMIT(&w->out, ",\"ph\":\"M\"");
  tb_json_emit_ids(w, &w->out, track);
  TB_JSON_EMIT(&w->out, ",\"args\":");
  return start;
}

static void put_text(struct tb_json_writer *w, const struct tb_track *track, struct tb_str name, struct tb_str text) {
  size_t start = begin_metadata(w, track, name);
  TB_JSON_EMIT(&w->out, "{\"name\":");
  tb_json_emit_string(&w->out, text);
  TB_JSON_EMIT(&w->out, "}");
  tb_json_object_end(w, start, 0);
}

static void put_sort_index(struct tb_json_writer *w, const struct tb_track *track, struct tb_str name) {
  size_t start = begin_metadata(w, track, name);
  TB_JSON_EMIT(&w->out, "{\"sort_index\":");
  tb_json_emit_int(&w->out, tb_track_get_details(track)->sort_index);
  TB_JSON_EMIT(&w->out, "}");
  tb_json_object_end(w, start, 0);
}

/* The labels in one text, with commas between, as the format has them. */
static void put_labels(struct tb_json_writer *w, const struct tb_track *track) {
  struct tb_buffer *labels = &w->scratch.buffer;
  labels->len = 0;
  if (tb_track_append_labels(track, labels) != TB_OK) {
    (void)tb_json_fail(w, TB_NO_MEMORY);
    return;
  }
  size_t start = begin_metadata(w, track, TB_STR("process_labels"));
  TB_JSON_EMIT(&w->out, "{\"labels\":");
  tb_json_emit_string(&w->out, (struct tb_str){labels->data, labels->len});
  TB_JSON_EMIT(&w->out, "}");
  tb_json_object_end(w, start, 0);
}

static uint64_t names_of(const struct tb_track *track) {
  const struct tb_track_details *details = tb_track_get_details(track);
  uint64_t hash = tb_str_hash(track->name, track->has_sort_index ? (uint64_t)details->sort_index * 2 + 1 : 0);
  for (uint32_t i = 0; i < details->label_count; i++) hash = tb_str_hash(details->labels[i], hash);
  if (track->has_pid) hash ^= tb_spread64((uint64_t)track->pid + 1); /* a thread's process may be known late */
  return hash;
}

void tb_json_put_track(struct tb_json_writer *w, const struct tb_track *track) {
  if (track->type != TB_TRACK_PROCESS && track->type != TB_TRACK_THREAD) return;
  if (!track->name.len && !tb_track_get_details(track)->label_count && !track->has_sort_index) return;
  struct tb_json_track *state = tb_json_track_state(w, track);
  if (!state) return;
  uint64_t names = names_of(track);
  if (names == state->names_written) return;
  state->names_written = names;
  bool is_process = track->type == TB_TRACK_PROCESS;
  const unsigned said = track->said_by_metadata; /* which events of their own say, and more */
  if (track->name.len && !(said & TB_TRACK_SAID_NAME))
    put_text(w, track, is_process ? TB_STR("process_name") : TB_STR("thread_name"), track->name);
  if (tb_track_get_details(track)->label_count && is_process && !(said & TB_TRACK_SAID_LABELS)) put_labels(w, track);
  if (track->has_sort_index && !(said & TB_TRACK_SAID_SORT_INDEX))
    put_sort_index(w, track, is_process ? TB_STR("process_sort_index") : TB_STR("thread_sort_index"));
}

void tb_json_emit_track_id(struct tb_json_emit *emit, const struct tb_track *track, bool has_process) {
  if (track->has_pid)
    TB_JSON_EMIT(emit, ",\"id2\":{\"local\":");
  else if (has_process)
    TB_JSON_EMIT(emit, ",\"id\":");
  else
    TB_JSON_EMIT(emit, ",\"pid\":0,\"id\":"); /* readers want a process even where the id needs none */
  char *at = tb_json_emit_room(emit, TB_JSON_INTEGER_MAX + 1);
  if (at && track->uuid)
    tb_json_emit_end(emit, tb_json_put_hex(at, track->uuid));
  else if (at) {
    memcpy(at, "\"t", 2); /* no uuid: our own number for the track */
    at = tb_json_put_uint(at + 2, track->index);
    *at++ = '"';
    tb_json_emit_end(emit, at);
  }
  if (track->has_pid) TB_JSON_EMIT(emit, "}");
}

size_t tb_json_begin_track_name(struct tb_json_writer *w, const struct tb_track *track) {
  size_t start = begin_metadata(w, track, TB_STR("track_name"));
  TB_JSON_EMIT(&w->out, "{\"name\":");
  tb_json_emit_string(&w->out, track->name);
  return start;
}

/* The object that was written last. */
static struct tb_str text_from(const struct tb_json_writer *w, size_t start) {
  const struct tb_buffer *out = &w->out.buffer;
  return out->len > start ? (struct tb_str){out->data + start, out->len - start} : TB_STR("");
}

void tb_json_end_track_name(struct tb_json_writer *w, size_t start) {
  tb_json_object_end(w, start, 0);
  struct tb_str text = text_from(w, start);
  if (w->track_names.count && tb_intern_find(&w->track_names, text, tb_intern_hash(text)))
    tb_json_object_cancel(w, start);
}

void tb_json_put_track_name(struct tb_json_writer *w, const struct tb_event *event) {
  size_t start = tb_json_next_object(w);
  tb_json_put_whole(w, event, 'M');
  if (!tb_intern_id(&w->track_names, text_from(w, start))) (void)tb_json_fail(w, TB_NO_MEMORY);
}

/* Whether it is below another track than its process. */
static bool is_below_track(const struct tb_track *track) {
  return track->parent && (track->parent->type == TB_TRACK_CUSTOM || track->parent->type == TB_TRACK_THREAD);
}

static void emit_parent(struct tb_json_writer *w, const struct tb_track *parent) {
  TB_JSON_EMIT(&w->out, ",\"parent\":{\"name\":");
  tb_json_emit_string(&w->out, parent->name);
  if (parent->type == TB_TRACK_THREAD) {
    TB_JSON_EMIT(&w->out, ",\"tid\":");
    tb_json_emit_int(&w->out, parent->tid);
  } else {
    tb_json_emit_track_id(&w->out, parent, false);
  }
  TB_JSON_EMIT(&w->out, "}");
}

void tb_json_describe(struct tb_json_writer *w, const struct tb_track *track) {
  struct tb_json_track *state = tb_json_track_state(w, track);
  bool is_below = is_below_track(track);
  if (!state || state->described || (!track->name.len && track->has_pid && !is_below)) return;
  state->described = true;
  if (is_below && track->parent->type == TB_TRACK_CUSTOM) tb_json_describe(w, track->parent);
  size_t start = tb_json_begin_track_name(w, track);
  if (tb_track_get_details(track)->description.len) {
    TB_JSON_EMIT(&w->out, ",\"description\":");
    tb_json_emit_string(&w->out, tb_track_get_details(track)->description);
  }
  tb_json_emit_track_id(&w->out, track, false);
  if (is_below) emit_parent(w, track->parent);
  TB_JSON_EMIT(&w->out, "}");
  tb_json_end_track_name(w, start);
}
