/* SPDX-License-Identifier: Apache-2.0
 *
 * The Perfetto writer: what the trace says of itself. Names and order of tracks, metadata, clocks.
 */
#include <string.h>

#include "json/emitter.h"
#include "model/arg_lookup.h"
#include "model/fxt_providers.h"
#include "model/metadata.h"
#include "model/tracks.h"
#include "perfetto/writer/trace_metadata.h"
#include "perfetto/writer/writer.h"

void tb_writer_metadata_free(struct tb_writer_metadata *metadata, const struct tb_allocator *allocator) {
  tb_free(allocator, metadata->attributes, metadata->attribute_capacity * sizeof(*metadata->attributes));
  tb_free(allocator, metadata->clocks, metadata->clock_capacity * sizeof(*metadata->clocks));
  tb_free(allocator, metadata->clock_rows, metadata->clock_row_capacity * sizeof(*metadata->clock_rows));
  tb_map_free(&metadata->empty_names);
}

static enum tb_status add_attribute(struct tb_perfetto_writer *p, const char *prefix, struct tb_str name,
                                    const struct tb_json_emit *text, bool leads) {
  void *attributes = p->metadata.attributes;
  if (text->status != TB_OK ||
      tb_grow_array(p->allocator, &attributes, &p->metadata.attribute_capacity, p->metadata.attribute_count + 1,
                    sizeof(*p->metadata.attributes), UINT32_MAX) != TB_OK)
    return TB_NO_MEMORY;
  p->metadata.attributes = attributes;
  p->scratch.len = 0;
  if (tb_buffer_append(&p->scratch, prefix, strlen(prefix)) != TB_OK ||
      tb_buffer_append(&p->scratch, name.ptr, name.len) != TB_OK)
    return TB_NO_MEMORY;
  struct tb_attribute a = {.key = tb_arena_copy(&p->arena, (struct tb_str){p->scratch.data, p->scratch.len}),
                           .leads = leads,
                           .text = tb_arena_copy(&p->arena, (struct tb_str){text->buffer.data, text->buffer.len})};
  if (!a.key.ptr || !a.text.ptr) return TB_NO_MEMORY;
  p->metadata.attributes[p->metadata.attribute_count++] = a;
  return TB_OK;
}

static bool lacks(const struct tb_event *event, struct tb_str key) {
  const struct tb_arg *said = tb_find_member(event->extra, event->extra_count, key);
  return said && tb_is_absent_id(said);
}

/* A metadata event as it was in the source, but for ids that are text: by their numbers readers find the tracks, whose
 * descriptors have the text. */
static enum tb_status keep_metadata(struct tb_perfetto_writer *p, const struct tb_event *event) {
  struct tb_json_emit emit;
  tb_json_emit_init(&emit, p->allocator);
  TB_JSON_EMIT(&emit, "{\"name\":");
  tb_json_emit_string(&emit, event->name);
  TB_JSON_EMIT(&emit, ",\"ph\":\"M\"");
  const struct tb_track *track = event->track;
  if (track && track->has_pid && !lacks(event, TB_STR("pid"))) {
    TB_JSON_EMIT(&emit, ",\"pid\":");
    tb_json_emit_int(&emit, track->pid);
  }
  if (track && track->has_tid && !lacks(event, TB_STR("tid"))) {
    TB_JSON_EMIT(&emit, ",\"tid\":");
    tb_json_emit_int(&emit, track->tid);
  }
  if (event->has & TB_HAS_TS) {
    TB_JSON_EMIT(&emit, ",\"ts\":");
    tb_json_emit_micros(&emit, event->ts);
  }
  if (event->has & TB_HAS_CATEGORIES) {
    TB_JSON_EMIT(&emit, ",\"cat\":");
    tb_json_emit_string(&emit, event->categories);
  }
  if (event->has & TB_HAS_ARGS) {
    TB_JSON_EMIT(&emit, ",\"args\":");
    tb_json_emit_object(&emit, event->args, event->arg_count);
  }
  for (uint32_t i = 0; i < event->extra_count; i += event->extra[i].span)
    if (!tb_is_absent_id(&event->extra[i])) tb_json_emit_members(&emit, &event->extra[i], event->extra[i].span);
  TB_JSON_EMIT(&emit, "}");
  enum tb_status status = add_attribute(p, "json.M", (struct tb_str){NULL, 0}, &emit, tb_is_provider_metadata(event));
  tb_json_emit_free(&emit);
  return status;
}

/* The argument of a metadata event that belongs to its name, NULL where it has none of that type. */
static const struct tb_arg *find_arg(const struct tb_event *event, struct tb_str name, enum tb_arg_type type) {
  const struct tb_arg *arg = tb_find_member(event->args, event->arg_count, name);
  return arg && arg->type == type ? arg : NULL;
}

static enum tb_status set_text(struct tb_perfetto_writer *p, struct tb_str *to, struct tb_str text) {
  *to = tb_arena_copy(&p->arena, text);
  return to->ptr ? TB_OK : TB_NO_MEMORY;
}

static bool says_one_thing(const struct tb_event *event) { return event->arg_count == 1 && !event->extra_count; }

/* The last name counts, and attributes come behind all names: an empty one is left out when a name follows it. */
static void forget_empty_name(struct tb_perfetto_writer *p, struct tb_track_state *state) {
  const uint64_t *place = state->has_empty_name ? tb_map_find(&p->metadata.empty_names, state->track->index, 0) : NULL;
  if (place) p->metadata.attributes[*place].left_out = true;
  state->has_empty_name = false;
}

/* Takes what a metadata event says of its track: of enum tb_track_said, 0 where it is none of these. */
static enum tb_status take_metadata(struct tb_perfetto_writer *p, struct tb_track_state *state,
                                    const struct tb_event *event, uint8_t *said) {
  const struct tb_arg *arg;
  if (tb_str_equal(event->name, TB_STR("process_name")) || tb_str_equal(event->name, TB_STR("thread_name"))) {
    arg = find_arg(event, TB_STR("name"), TB_ARG_STRING);
    if (arg && !arg->text.len && says_one_thing(event)) {
      state->has_empty_name = true;
      return tb_map_put(&p->metadata.empty_names, state->track->index, 0, p->metadata.attribute_count);
    }
    if (!arg || !arg->text.len) return TB_OK;
    forget_empty_name(p, state);
    *said = TB_TRACK_SAID_NAME;
    state->has_state = false;
    return set_text(p, &state->name, arg->text);
  }
  if (tb_str_equal(event->name, TB_STR("process_labels"))) {
    arg = find_arg(event, TB_STR("labels"), TB_ARG_STRING);
    if (!arg || !arg->text.len) return TB_OK;
    *said = TB_TRACK_SAID_LABELS;
    struct tb_str *labels = tb_arena_alloc(&p->arena, sizeof(*labels));
    state->labels = labels;
    return labels ? set_text(p, labels, arg->text) : TB_NO_MEMORY;
  }
  if (tb_str_equal(event->name, TB_STR("process_sort_index")) ||
      tb_str_equal(event->name, TB_STR("thread_sort_index"))) {
    arg = find_arg(event, TB_STR("sort_index"), TB_ARG_INT);
    if (!arg || arg->i < INT32_MIN || arg->i > INT32_MAX) return TB_OK;
    *said = TB_TRACK_SAID_SORT_INDEX;
    state->has_sort_index = true;
    state->sort_index = (int32_t)arg->i;
  }
  return TB_OK;
}

/* What an event says of its track goes into the track's descriptor; an event that says more is kept whole, too, and the
 * descriptor tells readers so. */
enum tb_status tb_perfetto_put_metadata(struct tb_perfetto_writer *p, const struct tb_event *event) {
  const struct tb_track *track = event->track;
  if (tb_str_equal(event->name, TB_STR("track_name")) && tb_perfetto_take_track_name(p, event) != TB_OK)
    return TB_NO_MEMORY;
  if (!track) return keep_metadata(p, event);
  bool of_thread = tb_metadata_is_of_thread(event->name);
  if (!of_thread && track->type == TB_TRACK_THREAD && track->parent) track = track->parent;
  struct tb_track_state *state = tb_perfetto_track_state(p, track);
  if (!state || (track != event->track && !tb_perfetto_track_state(p, event->track))) return TB_NO_MEMORY;
  state = &p->tracks.items[track->index];
  uint8_t said = 0;
  if (take_metadata(p, state, event, &said) != TB_OK) return TB_NO_MEMORY;
  if (said && says_one_thing(event)) {
    state->said_by_metadata &= (uint8_t)~said;
    return TB_OK;
  }
  state->said_by_metadata |= said;
  return keep_metadata(p, event);
}

enum tb_status tb_perfetto_put_trace_metadata(struct tb_perfetto_writer *p, const struct tb_event *event) {
  struct tb_json_emit emit;
  tb_json_emit_init(&emit, p->allocator);
  p->flows.of_parts |= tb_metadata_is_split_part(event);
  if (event->arg_count)
    tb_json_emit_value(&emit, event->args);
  else
    TB_JSON_EMIT(&emit, "null");
  enum tb_status status = add_attribute(p, "json.", event->name, &emit, tb_is_provider_metadata(event));
  tb_json_emit_free(&emit);
  return status;
}

enum tb_status tb_perfetto_put_clocks(struct tb_perfetto_writer *p, const struct tb_event *event) {
  if (p->machine) return TB_OK; /* times are on the recording machine's clocks */
  void *clocks = p->metadata.clocks, *rows = p->metadata.clock_rows;
  enum tb_status status =
      tb_grow_array(p->allocator, &clocks, &p->metadata.clock_capacity, p->metadata.clock_count + event->clock_count,
                    sizeof(*p->metadata.clocks), UINT32_MAX);
  p->metadata.clocks = clocks;
  if (status == TB_OK)
    status = tb_grow_array(p->allocator, &rows, &p->metadata.clock_row_capacity, p->metadata.clock_row_count + 1,
                           sizeof(*p->metadata.clock_rows), UINT32_MAX);
  p->metadata.clock_rows = rows;
  if (status != TB_OK || event->clock_count == 0) return status == TB_OK ? TB_OK : TB_NO_MEMORY;
  memcpy(p->metadata.clocks + p->metadata.clock_count, event->clocks, event->clock_count * sizeof(*p->metadata.clocks));
  p->metadata.clock_count += event->clock_count;
  p->metadata.clock_rows[p->metadata.clock_row_count++] = event->clock_count;
  if (p->writer->options.clock == TB_CLOCK_UNKNOWN && event->clocks[0].clock) p->trace_clock = event->clocks[0].clock;
  return TB_OK;
}

enum tb_status tb_perfetto_keep_stack_frames(struct tb_perfetto_writer *p) {
  const struct tb_intern *stacks = &p->interned.tables[TB_INTERNED_STACKS];
  for (uint32_t i = 1; i <= stacks->count; i++) tb_callstacks_use(&p->stacks, tb_intern_text(stacks, i));
  struct tb_json_emit emit;
  bool any;
  tb_json_emit_init(&emit, p->allocator);
  tb_callstacks_emit_rest(&p->stacks, &emit, &any);
  enum tb_status status = any ? add_attribute(p, "json.stackFrames", (struct tb_str){NULL, 0}, &emit, false) : TB_OK;
  tb_json_emit_free(&emit);
  return status;
}

/* A track's labels, as the comma list that a metadata event has of them. */
static enum tb_status take_labels(struct tb_perfetto_writer *p, struct tb_track_state *state,
                                  const struct tb_track *track) {
  p->scratch.len = 0;
  enum tb_status status = tb_track_append_labels(track, &p->scratch);
  struct tb_str text = {p->scratch.data, p->scratch.len};
  if (status != TB_OK || (state->labels && tb_str_equal(*state->labels, text))) return status;
  struct tb_str *labels = tb_arena_alloc(&p->arena, sizeof(*labels));
  status = labels ? set_text(p, labels, text) : TB_NO_MEMORY;
  if (status == TB_OK) state->labels = labels;
  return status;
}

enum tb_status tb_perfetto_put_track(struct tb_perfetto_writer *p, const struct tb_track *track) {
  struct tb_track_state *state = tb_perfetto_track_state(p, track);
  if (!state) return TB_NO_MEMORY;
  state->track = track;
  if (track->name.len && !tb_str_equal(track->name, state->name)) {
    state->has_state = false;
    if (set_text(p, &state->name, track->name) != TB_OK) return TB_NO_MEMORY;
  }
  if (track->has_sort_index) {
    state->has_sort_index = true;
    state->sort_index = (int32_t)tb_track_get_details(track)->sort_index;
  }
  bool has_labels = track->type == TB_TRACK_PROCESS && tb_track_get_details(track)->label_count;
  return has_labels ? take_labels(p, state, track) : TB_OK;
}
