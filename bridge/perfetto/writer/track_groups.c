/* SPDX-License-Identifier: Apache-2.0
 *
 * Which events of the shared sequence belong together: keys, and the lane groups that their tracks come from.
 */
#include "perfetto/writer/track_groups.h"

#include "base/hex.h"
#include "json/emitter.h"
#include "model/arg_lookup.h"
#include "perfetto/writer/writer.h"
#include "protobuf/wire.h"

void tb_writer_groups_init(struct tb_writer_groups *groups, const struct tb_allocator *allocator) {
  groups->allocator = allocator;
  tb_intern_init(&groups->texts, allocator);
  tb_intern_init(&groups->lane_texts, allocator);
}

void tb_writer_groups_free(struct tb_writer_groups *groups) {
  tb_free(groups->allocator, groups->items, groups->capacity * sizeof(*groups->items));
  tb_free(groups->allocator, groups->lanes, groups->lane_capacity * sizeof(*groups->lanes));
  tb_intern_free(&groups->texts);
  tb_intern_free(&groups->lane_texts);
}

static TB_ALWAYS_INLINE bool add(struct tb_perfetto_writer *p, const void *data, size_t len) {
  return tb_buffer_append(&p->scratch, data, len) == TB_OK;
}

static bool add_text(struct tb_perfetto_writer *p, struct tb_str text) {
  char len[TB_WIRE_VARINT_MAX];
  return add(p, len, (size_t)(tb_wire_put_varint(len, text.len) - len)) && add(p, text.ptr, text.len);
}

static bool add_track(struct tb_perfetto_writer *p, const struct tb_track *track) {
  uint32_t index = track ? track->index : UINT32_MAX;
  return add(p, &index, sizeof(index));
}

static bool add_id(struct tb_perfetto_writer *p, const struct tb_id *id) {
  char kind = (char)(id->kind * 2 + id->is_number);
  if (!add(p, &kind, 1)) return false;
  return id->is_number ? add(p, &id->value, sizeof(id->value)) : add_text(p, id->text);
}

/* The key with the text in scratch; a new one is zeroed, with class and parent. */
static uint32_t intern_key(struct tb_perfetto_writer *p, enum tb_track_group_class class,
                           const struct tb_track *parent) {
  uint32_t id = tb_intern_id(&p->groups.texts, (struct tb_str){p->scratch.data, p->scratch.len});
  if (!id || id < p->groups.count) return id;
  void *keys = p->groups.items;
  if (tb_grow_array(p->allocator, &keys, &p->groups.capacity, (size_t)id + 1, sizeof(*p->groups.items), UINT32_MAX) !=
      TB_OK)
    return 0;
  p->groups.items = keys;
  p->groups.count = (size_t)id + 1;
  p->groups.items[id] = (struct tb_track_group){.class = (uint8_t) class, .parent = parent, .last_begin_ts = INT64_MIN};
  return id;
}

static const struct tb_track *process_of(const struct tb_track *track) {
  while (track && track->type != TB_TRACK_PROCESS && track->type != TB_TRACK_GLOBAL) track = track->parent;
  return track && track->type == TB_TRACK_PROCESS ? track : NULL;
}

/* What an id is unique in: with id2.local, and for objects by default, its process; for contexts their thread; else
 * the trace. */
static const struct tb_track *id_scope(const struct tb_event *event, enum tb_track_group_class class) {
  if (class == TB_GROUP_CONTEXT) return event->track;
  if (event->id.kind == TB_ID_LOCAL || (class == TB_GROUP_OBJECT && event->id.kind != TB_ID_GLOBAL))
    return process_of(event->track);
  return NULL;
}

/* `alone`: categories do not keep equal ids apart. */
static bool add_async_text(struct tb_perfetto_writer *p, const struct tb_event *event, const struct tb_id *id,
                           enum tb_track_group_class class, bool alone) {
  char head[2] = {(char)class, (char)(event->has & TB_HAS_SCOPE ? 1 : 0)};
  struct tb_str none = {NULL, 0};
  p->scratch.len = 0;
  return add(p, head, 2) && add_track(p, id_scope(event, class)) &&
         add_text(p,
                  !alone && (class == TB_GROUP_ASYNC || class == TB_GROUP_LEGACY_ASYNC) ? event->categories : none) &&
         add_text(p, class == TB_GROUP_LEGACY_ASYNC ? event->name : none) && add_text(p, event->scope) && add_id(p, id);
}

static bool is_alone(const struct tb_event *event) { return event->has & TB_HAS_ID_ONLY_MATCH; }

static bool add_named_text(struct tb_perfetto_writer *p, const struct tb_event *event, const struct tb_id *id) {
  char head = TB_GROUP_NAMED_ID;
  p->scratch.len = 0;
  return add(p, &head, 1) && add_track(p, id->kind == TB_ID_LOCAL ? process_of(event->track) : NULL) && add_id(p, id);
}

/* The key of what the source said of the event's id; 0 where it did not. */
static uint32_t named_id(struct tb_perfetto_writer *p, const struct tb_event *event) {
  if (!add_named_text(p, event, &event->id)) return 0;
  struct tb_str text = {p->scratch.data, p->scratch.len};
  return tb_intern_find(&p->groups.texts, text, tb_intern_hash(text));
}

uint32_t tb_perfetto_async_group(struct tb_perfetto_writer *p, const struct tb_event *event,
                                 enum tb_track_group_class class) {
  uint32_t named = class == TB_GROUP_ASYNC && p->groups.names_ids ? named_id(p, event) : 0;
  if (!add_async_text(p, event, &event->id, class, named || is_alone(event))) return 0;
  const struct tb_track *parent = class == TB_GROUP_CONTEXT ? event->track : process_of(event->track);
  if (named) parent = p->groups.items[named].parent;
  uint32_t key = intern_key(p, class, parent);
  if (key && p->groups.items[key].parent != parent) p->groups.items[key].shared = true;
  if (key && named) {
    p->groups.items[key].name = p->groups.items[named].name;
    p->groups.items[key].named = named;
  }
  return key;
}

uint32_t tb_perfetto_track_group(struct tb_perfetto_writer *p, const struct tb_track *track,
                                 enum tb_track_group_class class) {
  char head = (char)class;
  p->scratch.len = 0;
  if (!add(p, &head, 1) || !add_track(p, track)) return 0;
  return intern_key(p, class, track);
}

uint32_t tb_perfetto_memory_group(struct tb_perfetto_writer *p, const struct tb_event *event) {
  char head = TB_GROUP_MEMORY;
  p->scratch.len = 0;
  if (!add(p, &head, 1) || !add_id(p, &event->id)) return 0;
  return intern_key(p, TB_GROUP_MEMORY, NULL);
}

/* ---- linked ids -------------------------------------------------------------------------------------------------- */

uint32_t tb_perfetto_resolve_group(const struct tb_perfetto_writer *p, uint32_t key) {
  while (key && p->groups.items[key].alias) key = p->groups.items[key].alias;
  return key;
}

static bool parse_id(const struct tb_arg *arg, struct tb_id *id) {
  *id = (struct tb_id){.kind = TB_ID_PLAIN};
  if (arg->type == TB_ARG_INT || arg->type == TB_ARG_UINT) {
    id->is_number = true;
    id->value = arg->u;
    return true;
  }
  if (arg->type != TB_ARG_STRING) return false;
  id->text = arg->text;
  id->is_number = tb_hex_parse_prefixed(arg->text, &id->value);
  return true;
}

enum tb_status tb_perfetto_link_ids(struct tb_perfetto_writer *p, const struct tb_event *event) {
  const struct tb_arg *linked = tb_find_member(event->args, event->arg_count, TB_STR("linked_id"));
  struct tb_id id;
  if (!linked || !parse_id(linked, &id)) return TB_OK;
  id.kind = event->id.kind;
  uint32_t first = tb_perfetto_async_group(p, event, TB_GROUP_ASYNC);
  if (!first || !add_async_text(p, event, &id, TB_GROUP_ASYNC, is_alone(event))) return TB_NO_MEMORY;
  uint32_t second = intern_key(p, TB_GROUP_ASYNC, process_of(event->track));
  if (!second) return TB_NO_MEMORY;
  first = tb_perfetto_resolve_group(p, first);
  second = tb_perfetto_resolve_group(p, second);
  if (first != second) p->groups.items[second].alias = first;
  if (p->groups.items[second].shared || p->groups.items[second].parent != p->groups.items[first].parent)
    p->groups.items[first].shared = true;
  return TB_OK;
}

/* `id`: empty where it has none. */
static bool add_series_text(struct tb_perfetto_writer *p, const struct tb_track *process, struct tb_str name,
                            struct tb_str series, struct tb_str id) {
  char head = TB_GROUP_NAMED_SERIES;
  p->scratch.len = 0;
  return add(p, &head, 1) && add_track(p, process) && add_text(p, name) && add_text(p, series) && add_text(p, id);
}

/* The id as our writers say it of a track: `"id": I`, or `"id2": {"local": I}` of a process' own. */
static bool find_named_id(const struct tb_arg *members, uint32_t count, struct tb_id *id) {
  const struct tb_arg *arg = tb_find_member(members, count, TB_STR("id"));
  if (arg) return parse_id(arg, id);
  const struct tb_arg *id2 = tb_find_member(members, count, TB_STR("id2"));
  if (!id2 || id2->type != TB_ARG_DICT) return false;
  arg = tb_find_member(id2 + 1, id2->span - 1, TB_STR("local"));
  if (!arg || !parse_id(arg, id)) return false;
  id->kind = TB_ID_LOCAL;
  return true;
}

/* What the samples of a counter have, `[name, series]` or `[name, series, id]`; NULL: the event names something else.
 */
static const struct tb_arg *find_named_series(const struct tb_event *event) {
  const struct tb_arg *counter = tb_find_member(event->args, event->arg_count, TB_STR("counter"));
  if (!counter || counter->type != TB_ARG_ARRAY || counter->span < 3 || counter->span > 4) return NULL;
  for (uint32_t i = 1; i < counter->span; i++)
    if (counter[i].type != TB_ARG_STRING) return NULL;
  return counter;
}

/* The key of what a metadata event `track_name` names: an id, or a series of a counter. Where that has an id, it is the
 * event's thread's. 0 where it is nothing. */
static enum tb_status key_of_named(struct tb_perfetto_writer *p, const struct tb_event *event,
                                   const struct tb_track *process, uint32_t *key) {
  const struct tb_arg *counter = find_named_series(event);
  enum tb_track_group_class class = TB_GROUP_NAMED_ID;
  const struct tb_track *parent = process;
  struct tb_id id;
  bool added;
  *key = 0;
  if (find_named_id(event->args, event->arg_count, &id)) {
    added = add_named_text(p, event, &id);
    p->groups.names_ids = true;
  } else if (counter) {
    class = TB_GROUP_NAMED_SERIES;
    bool has_id = counter->span == 4;
    if (has_id) parent = event->track;
    added = add_series_text(p, process, counter[1].text, counter[2].text, has_id ? counter[3].text : TB_STR(""));
    p->groups.names_series = true;
  } else {
    return TB_OK;
  }
  *key = added ? intern_key(p, class, parent) : 0;
  return *key ? TB_OK : TB_NO_MEMORY;
}

static enum tb_status set_name(struct tb_perfetto_writer *p, uint32_t key, struct tb_str name) {
  struct tb_str *own = tb_arena_alloc(&p->arena, sizeof(*own));
  if (!own) return TB_NO_MEMORY;
  *own = (struct tb_str){NULL, 0};
  if (name.len) *own = tb_arena_copy(&p->arena, name);
  p->groups.items[key].name = own;
  return name.len && !own->ptr ? TB_NO_MEMORY : TB_OK;
}

/* Whether the track of `key` is `above` or above that. */
static bool is_above(const struct tb_perfetto_writer *p, uint32_t key, uint32_t above) {
  while (above && above != key) above = p->groups.items[above].above;
  return above != 0;
}

/* Takes what the track of `key` is below: `"parent": {"id": I}`, or `{"tid": T}` where that is the event's thread. */
static enum tb_status take_parent(struct tb_perfetto_writer *p, const struct tb_event *event,
                                  const struct tb_track *process, uint32_t key) {
  const struct tb_arg *parent = tb_find_member(event->args, event->arg_count, TB_STR("parent"));
  struct tb_id id;
  if (!parent || parent->type != TB_ARG_DICT || p->groups.items[key].class != TB_GROUP_NAMED_ID) return TB_OK;
  if (tb_find_member(parent + 1, parent->span - 1, TB_STR("tid"))) {
    if (event->track->type == TB_TRACK_THREAD) p->groups.items[key].parent = event->track;
    return TB_OK;
  }
  if (!find_named_id(parent + 1, parent->span - 1, &id)) return TB_OK;
  uint32_t above = add_named_text(p, event, &id) ? intern_key(p, TB_GROUP_NAMED_ID, process) : 0;
  if (!above) return TB_NO_MEMORY;
  if (!is_above(p, key, above)) p->groups.items[key].above = above;
  const struct tb_arg *name = tb_find_member(parent + 1, parent->span - 1, TB_STR("name"));
  return !p->groups.items[above].name && name && name->type == TB_ARG_STRING ? set_name(p, above, name->text) : TB_OK;
}

enum tb_status tb_perfetto_take_track_name(struct tb_perfetto_writer *p, const struct tb_event *event) {
  const struct tb_arg *name = tb_find_member(event->args, event->arg_count, TB_STR("name"));
  if (!name || name->type != TB_ARG_STRING) return TB_OK;
  /* the events of a track that is of no process have a pid all the same */
  bool has_process = !tb_find_member(event->args, event->arg_count, TB_STR("pid"));
  const struct tb_track *process = has_process ? process_of(event->track) : NULL;
  uint32_t key;
  enum tb_status status = key_of_named(p, event, process, &key);
  if (status != TB_OK || !key) return status;
  status = set_name(p, key, name->text);
  return status == TB_OK ? take_parent(p, event, process, key) : status;
}

/* ---- counters ---------------------------------------------------------------------------------------------------- */

/* "N S", or "N id: I S", as the trace processor names the counters of JSON; "N:S:I", as it names those that have an id
 * each. */
static enum tb_status name_counter(struct tb_perfetto_writer *p, struct tb_counter *counter,
                                   const struct tb_event *event, struct tb_str series) {
  p->scratch.len = 0;
  bool ok = add(p, event->name.ptr, event->name.len);
  if (p->writer->source.counters_by_id) {
    ok = ok && add(p, ":", 1) && add(p, series.ptr, series.len) && add(p, ":", 1) &&
         add(p, event->id.text.ptr, event->id.text.len);
    if (!ok) return TB_NO_MEMORY;
    counter->name = tb_arena_copy(&p->arena, (struct tb_str){p->scratch.data, p->scratch.len});
    return counter->name.ptr ? TB_OK : TB_NO_MEMORY;
  }
  if (event->id.kind != TB_ID_NONE) ok = ok && add(p, " id: ", 5) && add(p, event->id.text.ptr, event->id.text.len);
  ok = ok && add(p, " ", 1) && add(p, series.ptr, series.len);
  if (!ok) return TB_NO_MEMORY;
  counter->name = tb_arena_copy(&p->arena, (struct tb_str){p->scratch.data, p->scratch.len});
  return counter->name.ptr ? TB_OK : TB_NO_MEMORY;
}

enum tb_status tb_perfetto_counter_thread(struct tb_perfetto_writer *p, const struct tb_event *event,
                                          const struct tb_track **thread) {
  char head = TB_GROUP_COUNTER_NAME;
  p->scratch.len = 0;
  if (!add(p, &head, 1) || !add_track(p, event->track) || !add_text(p, event->name) ||
      (event->id.kind != TB_ID_NONE && !add_text(p, event->id.text)))
    return TB_NO_MEMORY;
  size_t known = p->groups.count;
  uint32_t id = intern_key(p, TB_GROUP_COUNTER_NAME, NULL);
  if (!id) return TB_NO_MEMORY;
  if (p->groups.count > known) p->groups.items[id].thread = event->thread;
  *thread = p->groups.items[id].thread;
  return TB_OK;
}

static bool has_space(struct tb_str text) { return text.len && memchr(text.ptr, ' ', text.len) != NULL; }

static bool names_thread(const struct tb_perfetto_writer *p, const struct tb_track *thread) {
  return thread && thread->has_tid && !p->writer->source.counters_by_id;
}

/* The identity as a JSON array, where the name alone cannot be taken apart (it can with one space and no id) or a
 * thread emits the samples. */
static enum tb_status describe_counter(struct tb_perfetto_writer *p, struct tb_counter *counter,
                                       const struct tb_event *event, struct tb_str series) {
  const struct tb_track *thread;
  if (tb_perfetto_counter_thread(p, event, &thread) != TB_OK) return TB_NO_MEMORY;
  if (!has_space(event->name) && !has_space(series) && event->id.kind == TB_ID_NONE && event->name.len && series.len &&
      !names_thread(p, thread))
    return TB_OK;
  struct tb_json_emit emit;
  tb_json_emit_init(&emit, p->allocator);
  TB_JSON_EMIT(&emit, "[");
  tb_json_emit_string(&emit, event->name);
  TB_JSON_EMIT(&emit, ",");
  tb_json_emit_string(&emit, series);
  if (event->id.kind != TB_ID_NONE) {
    TB_JSON_EMIT(&emit, ",");
    tb_json_emit_string(&emit, event->id.text);
  }
  if (names_thread(p, thread)) {
    TB_JSON_EMIT(&emit, ",{\"tid\":");
    if (tb_track_get_details(thread)->tid_text.ptr)
      tb_json_emit_string(&emit, tb_track_get_details(thread)->tid_text);
    else
      tb_json_emit_int(&emit, thread->tid);
    TB_JSON_EMIT(&emit, "}");
  }
  TB_JSON_EMIT(&emit, "]");
  enum tb_status status = emit.status;
  if (status == TB_OK) {
    counter->description = tb_arena_copy(&p->arena, (struct tb_str){emit.buffer.data, emit.buffer.len});
    if (!counter->description.ptr) status = TB_NO_MEMORY;
  }
  tb_json_emit_free(&emit);
  return status;
}

/* What is known of the counter `id`, zeroed for a new one; NULL without memory. */
static struct tb_counter *counter_of(struct tb_perfetto_writer *p, uint32_t id, const struct tb_track *parent) {
  struct tb_track_group *key = &p->groups.items[id];
  if (key->counter) return &p->counters.items[key->counter];
  void *counters = p->counters.items;
  size_t number = p->counters.count ? p->counters.count : 1;
  if (tb_grow_array(p->allocator, &counters, &p->counters.capacity, number + 1, sizeof(*p->counters.items),
                    UINT32_MAX) != TB_OK)
    return NULL;
  p->counters.items = counters;
  p->counters.count = number + 1;
  key->counter = (uint32_t)number;
  p->counters.items[number] = (struct tb_counter){.parent = parent};
  return &p->counters.items[number];
}

static uint32_t own_counter_key(struct tb_perfetto_writer *p, const struct tb_track *track) {
  uint32_t id = tb_perfetto_track_group(p, track, TB_GROUP_COUNTER);
  if (!id || p->groups.items[id].counter) return id;
  struct tb_counter *counter = counter_of(p, id, track->parent);
  if (!counter) return 0;
  counter->uuid = ++p->next_uuid;
  counter->unit = track->unit;
  counter->name = tb_arena_copy(&p->arena, track->name);
  counter->unit_name = tb_arena_copy(&p->arena, tb_track_get_details(track)->unit_name);
  counter->description = tb_arena_copy(&p->arena, tb_track_get_details(track)->description);
  return counter->name.ptr && counter->unit_name.ptr && counter->description.ptr ? id : 0;
}

static uint32_t find_series(struct tb_perfetto_writer *p, const struct tb_track *process, const struct tb_event *event,
                            struct tb_str series) {
  struct tb_str id = event->id.kind == TB_ID_NONE ? TB_STR("") : event->id.text;
  if (!add_series_text(p, process, event->name, series, id)) return 0;
  struct tb_str text = {p->scratch.data, p->scratch.len};
  return tb_intern_find(&p->groups.texts, text, tb_intern_hash(text));
}

/* The key of what the source said of the counter; 0 where it did not. One of no process has samples of process 0. */
static uint32_t named_series(struct tb_perfetto_writer *p, const struct tb_event *event, struct tb_str series) {
  if (!p->groups.names_series || (event->id.kind == TB_ID_NONE && event->thread)) return 0;
  uint32_t key = find_series(p, process_of(event->track), event, series);
  return key || event->track->pid ? key : find_series(p, NULL, event, series);
}

uint32_t tb_perfetto_counter_group(struct tb_perfetto_writer *p, const struct tb_event *event, struct tb_str series) {
  if (event->track->type == TB_TRACK_COUNTER) return own_counter_key(p, event->track);
  uint32_t named = named_series(p, event, series);
  char head = TB_GROUP_COUNTER;
  p->scratch.len = 0;
  if (!add(p, &head, 1) || !add_track(p, event->track) || !add_text(p, event->name) || !add_text(p, series)) return 0;
  if (event->id.kind != TB_ID_NONE && !add_text(p, event->id.text)) return 0;
  const struct tb_track *parent = event->track->type == TB_TRACK_GLOBAL ? NULL : event->track;
  if (named) parent = p->groups.items[named].parent;
  uint32_t id = intern_key(p, TB_GROUP_COUNTER, parent);
  if (!id || p->groups.items[id].counter) return id;
  struct tb_counter *counter = counter_of(p, id, parent);
  if (!counter) return 0;
  counter->uuid = ++p->next_uuid;
  if (named) {
    counter->name = *p->groups.items[named].name;
    return id;
  }
  if (name_counter(p, counter, event, series) != TB_OK || describe_counter(p, counter, event, series) != TB_OK)
    return 0;
  return id;
}

/* ---- lane groups ------------------------------------------------------------------------------------------------- */

uint32_t tb_perfetto_lane_group(struct tb_perfetto_writer *p, uint32_t key_id, struct tb_str name) {
  const struct tb_track_group *key = &p->groups.items[key_id];
  static const struct tb_str fixed[] = {[TB_GROUP_TRACK] = {NULL, 0},        [TB_GROUP_SIDE] = {"other events", 12},
                                        [TB_GROUP_SAMPLES] = {"samples", 7}, [TB_GROUP_PROFILE] = {"profile", 7},
                                        [TB_GROUP_CARRIED] = {"carried", 7}, [TB_GROUP_CONTEXT] = {"contexts", 8}};
  const struct tb_track *parent = key->shared ? NULL : key->parent;
  bool has_name = key->name && key->name->len;
  if (has_name) name = *key->name;
  if (key->class < sizeof(fixed) / sizeof(fixed[0]) && (key->class == TB_GROUP_TRACK || fixed[key->class].ptr))
    name = fixed[key->class];
  /* tracks without a name are not one, nor are those below others */
  uint32_t apart = key->named && has_name ? p->groups.items[key->named].above : key->named;
  p->scratch.len = 0;
  char head = (char)key->class;
  if (!add(p, &head, 1) || !add_track(p, parent) || !add_text(p, name)) return 0;
  if (apart && !add(p, &apart, sizeof(apart))) return 0;
  uint32_t id = tb_intern_id(&p->groups.lane_texts, (struct tb_str){p->scratch.data, p->scratch.len});
  if (!id || id < p->groups.lane_count) return id;
  void *lane_groups = p->groups.lanes;
  if (tb_grow_array(p->allocator, &lane_groups, &p->groups.lane_capacity, (size_t)id + 1, sizeof(*p->groups.lanes),
                    UINT32_MAX) != TB_OK)
    return 0;
  p->groups.lanes = lane_groups;
  p->groups.lane_count = (size_t)id + 1;
  p->groups.lanes[id] = (struct tb_lane_group){key->class, parent, name, key->shared ? 0 : key->named};
  if (name.len) {
    p->groups.lanes[id].name = tb_arena_copy(&p->arena, name);
    if (!p->groups.lanes[id].name.ptr) return 0;
  }
  return id;
}
