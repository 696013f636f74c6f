/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows as text: all that is compared of them.
 */
#include <inttypes.h>
#include <stdio.h>

#include "toolbox/diff/rows.h"
#include "tracebridge/info.h"

static enum tb_status put(struct tb_buffer *to, const char *text) { return tb_buffer_append(to, text, strlen(text)); }

static enum tb_status put_str(struct tb_buffer *to, const char *before, struct tb_str text) {
  enum tb_status status = put(to, before);
  return status == TB_OK ? tb_buffer_append(to, text.ptr, text.len) : status;
}

static enum tb_status put_number(struct tb_buffer *to, const char *before, int64_t number, const char *after) {
  char text[TB_DIFF_NUMBER];
  enum tb_status status = put(to, before);
  snprintf(text, sizeof(text), "%" PRId64, number);
  if (status == TB_OK) status = put(to, text);
  return status == TB_OK ? put(to, after) : status;
}

static enum tb_status put_track(struct tb_buffer *to, const struct tb_track *track) {
  enum tb_status status = TB_OK;
  for (unsigned depth = 0; track && track->type != TB_TRACK_GLOBAL && depth < 8 && status == TB_OK; depth++) {
    if (track->type == TB_TRACK_PROCESS)
      status = put_number(to, " pid ", track->pid, "");
    else if (track->type == TB_TRACK_THREAD)
      status = put_number(to, " tid ", track->tid, "");
    else
      status = put_str(to, " track ", track->name);
    track = track->parent;
  }
  return status;
}

static enum tb_status put_slice(struct tb_buffer *to, const struct tb_diff_hashed *row) {
  enum tb_status status = tb_buffer_append(to, row->name.ptr, row->name.len);
  if (status == TB_OK && row->kind != TB_DIFF_SLICE)
    status = put(to, row->kind == TB_DIFF_INSTANT ? ", instant" : ", instant of an id");
  return status == TB_OK && row->of.len ? put_str(to, ", category ", row->of) : status;
}

static enum tb_status put_end(struct tb_buffer *to, const struct tb_diff_hashed *row) {
  enum tb_status status = tb_buffer_append(to, row->name.ptr, row->name.len);
  if (status != TB_OK || !row->has_began) return status;
  return put_number(to, ", begun at ", row->began, " ns");
}

static enum tb_status put_arg(struct tb_buffer *to, const struct tb_diff_hashed *row) {
  bool is_text = row->kind == TB_DIFF_TEXT;
  enum tb_status status = tb_buffer_append(to, row->name.ptr, row->name.len);
  if (status == TB_OK) status = put_str(to, is_text ? " = \"" : " = ", row->value);
  if (status == TB_OK && is_text) status = put(to, "\"");
  if (status == TB_OK && row->kind == TB_DIFF_POINTER) status = put(to, ", a pointer");
  if (status == TB_OK && row->kind == TB_DIFF_KOID) status = put(to, ", a koid");
  return status == TB_OK && row->of.len ? put_str(to, ", of ", row->of) : status;
}

static enum tb_status put_flow(struct tb_buffer *to, const struct tb_diff_hashed *row) {
  enum tb_status status = put_str(to, "from ", row->of);
  if (status == TB_OK && row->has_began) status = put_number(to, ", begun at ", row->began, " ns");
  if (status == TB_OK && row->from) status = put(to, ", of");
  if (status == TB_OK) status = put_track(to, row->from);
  return status == TB_OK ? put_str(to, row->name.len ? ", to " : ", to a slice", row->name) : status;
}

static enum tb_status put_event(struct tb_buffer *to, const struct tb_diff_hashed *row) {
  enum tb_status status = put(to, tb_event_type_name((enum tb_event_type)row->kind));
  if (status == TB_OK && row->of.len) status = put_str(to, " ", row->of);
  if (status == TB_OK && row->name.len) status = put_str(to, ", ", row->name);
  return status == TB_OK && row->value.len ? put_str(to, ", ", row->value) : status;
}

static enum tb_status put_named(struct tb_buffer *to, const struct tb_diff_hashed *row) {
  enum tb_status status = tb_buffer_append(to, row->name.ptr, row->name.len);
  if (status != TB_OK || !row->value.len) return status;
  const char *between = row->table == TB_DIFF_COUNTERS ? " = " : row->name.len ? ", " : "";
  return put_str(to, between, row->value);
}

enum tb_status tb_diff_row_text(const struct tb_diff_hashed *row, struct tb_buffer *to) {
  enum tb_status status;
  switch (row->table) {
    case TB_DIFF_SLICES:
      status = put_slice(to, row);
      break;
    case TB_DIFF_ENDS:
      status = put_end(to, row);
      break;
    case TB_DIFF_ARGS:
      status = put_arg(to, row);
      break;
    case TB_DIFF_FLOWS:
      status = put_flow(to, row);
      break;
    case TB_DIFF_EVENTS:
      status = put_event(to, row);
      break;
    default:
      status = put_named(to, row);
  }
  if (status == TB_OK && row->track) status = put(to, ", of");
  return status == TB_OK ? put_track(to, row->track) : status;
}
