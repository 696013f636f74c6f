/* SPDX-License-Identifier: Apache-2.0
 *
 * tb_info as one JSON object.
 */
#include "convert/registry.h"
#include "json/emitter.h"
#include "tracebridge/info.h"

#define KEY(emit, name) TB_JSON_EMIT((emit), ",\"" name "\":")

static void put_count(struct tb_json_emit *e, const char *key, size_t key_len, uint64_t value) {
  TB_JSON_EMIT(e, ",\"");
  tb_json_emit_raw(e, key, key_len);
  TB_JSON_EMIT(e, "\":");
  tb_json_emit_uint(e, value);
}
#define COUNT(emit, name, value) put_count((emit), name, sizeof(name) - 1, (value))

/* Objects and lists are written with a comma before each member, the first of which becomes the bracket. */
static void end_list(struct tb_json_emit *e, size_t start, const char *brackets) {
  if (e->buffer.len == start) tb_json_emit_raw(e, brackets, 1);
  if (e->status == TB_OK) e->buffer.data[start] = brackets[0];
  tb_json_emit_raw(e, brackets + 1, 1);
}

static void put_clocks(struct tb_json_emit *e, const struct tb_info *info) {
  KEY(e, "clocks");
  size_t list = e->buffer.len;
  for (size_t i = 0; i < info->clock_count; i++) {
    const struct tb_info_clock *clock = &info->clocks[i];
    TB_JSON_EMIT(e, ",{\"id\":");
    tb_json_emit_uint(e, clock->id);
    COUNT(e, "machine", clock->machine);
    if (tb_clock_id_name(clock->id)) {
      KEY(e, "name");
      tb_json_emit_string(e, tb_str_from(tb_clock_id_name(clock->id)));
    }
    COUNT(e, "readings", clock->readings);
    KEY(e, "first_ns");
    tb_json_emit_int(e, clock->first_ns);
    KEY(e, "last_ns");
    tb_json_emit_int(e, clock->last_ns);
    if (clock->has_offset) {
      KEY(e, "offset_ns");
      tb_json_emit_int(e, clock->offset_ns);
      KEY(e, "offset_change_ns");
      tb_json_emit_int(e, clock->offset_change_ns);
    }
    TB_JSON_EMIT(e, "}");
  }
  end_list(e, list, "[]");
}

static void put_producers(struct tb_json_emit *e, const struct tb_info *info) {
  KEY(e, "producers");
  size_t list = e->buffer.len;
  for (size_t i = 0; i < info->producer_count; i++) {
    const struct tb_info_producer *producer = &info->producers[i];
    TB_JSON_EMIT(e, ",{\"pid\":");
    tb_json_emit_int(e, producer->pid);
    KEY(e, "uid");
    tb_json_emit_int(e, producer->uid);
    COUNT(e, "machine", producer->machine);
    KEY(e, "name");
    tb_json_emit_string(e, producer->name);
    COUNT(e, "sequences", producer->sequences);
    COUNT(e, "packets", producer->packets);
    COUNT(e, "bytes", producer->bytes);
    TB_JSON_EMIT(e, "}");
  }
  end_list(e, list, "[]");
}

static void put_id(struct tb_json_emit *e, int64_t number, bool has, struct tb_str text) {
  if (text.len)
    tb_json_emit_string(e, text);
  else if (has)
    tb_json_emit_int(e, number);
  else
    TB_JSON_EMIT(e, "null");
}

static void put_threads(struct tb_json_emit *e, const struct tb_info_thread *threads, size_t count,
                        bool are_processes) {
  size_t list = e->buffer.len;
  for (size_t i = 0; i < count; i++) {
    TB_JSON_EMIT(e, ",{\"pid\":");
    put_id(e, threads[i].pid, threads[i].has_pid, threads[i].pid_text);
    if (!are_processes) {
      KEY(e, "tid");
      put_id(e, threads[i].tid, threads[i].has_tid, threads[i].tid_text);
    }
    COUNT(e, "machine", threads[i].machine);
    KEY(e, "name");
    tb_json_emit_string(e, threads[i].name);
    if (are_processes) COUNT(e, "threads", threads[i].threads);
    COUNT(e, "events", threads[i].events);
    if (threads[i].first_ts <= threads[i].last_ts) {
      KEY(e, "first_ns");
      tb_json_emit_int(e, threads[i].first_ts);
      KEY(e, "last_ns");
      tb_json_emit_int(e, threads[i].last_ts);
    }
    TB_JSON_EMIT(e, "}");
  }
  end_list(e, list, "[]");
}

static void put_events(struct tb_json_emit *e, const struct tb_info *info) {
  KEY(e, "events_by_type");
  size_t start = e->buffer.len;
  for (unsigned type = 0; type < TB_EVENT_TYPE_COUNT; type++) {
    if (!info->events_by_type[type]) continue;
    TB_JSON_EMIT(e, ",");
    tb_json_emit_string(e, tb_str_from(tb_event_type_name((enum tb_event_type)type)));
    TB_JSON_EMIT(e, ":");
    tb_json_emit_uint(e, info->events_by_type[type]);
  }
  end_list(e, start, "{}");
}

static void put_packets(struct tb_json_emit *e, const struct tb_info *info) {
  KEY(e, "packet_kinds");
  size_t list = e->buffer.len;
  for (size_t i = 0; i < info->packet_kind_count; i++) {
    TB_JSON_EMIT(e, ",{\"field\":");
    tb_json_emit_uint(e, info->packets[i].field);
    KEY(e, "name");
    tb_json_emit_string(e, info->packets[i].name);
    COUNT(e, "count", info->packets[i].count);
    COUNT(e, "bytes", info->packets[i].bytes);
    TB_JSON_EMIT(e, "}");
  }
  end_list(e, list, "[]");
}

static void put_records(struct tb_json_emit *e, const struct tb_info *info) {
  KEY(e, "providers");
  size_t list = e->buffer.len;
  for (size_t i = 0; i < info->provider_count; i++) {
    TB_JSON_EMIT(e, ",{\"id\":");
    tb_json_emit_uint(e, info->providers[i].id);
    KEY(e, "name");
    tb_json_emit_string(e, info->providers[i].name);
    COUNT(e, "ticks_per_second", info->providers[i].ticks_per_second);
    COUNT(e, "records", info->providers[i].records);
    COUNT(e, "bytes", info->providers[i].bytes);
    COUNT(e, "losses", info->providers[i].losses);
    TB_JSON_EMIT(e, "}");
  }
  end_list(e, list, "[]");
  KEY(e, "record_kinds");
  list = e->buffer.len;
  for (size_t i = 0; i < info->record_kind_count; i++) {
    TB_JSON_EMIT(e, ",{\"kind\":");
    tb_json_emit_string(e, tb_str_from(info->records[i].kind));
    COUNT(e, "count", info->records[i].count);
    COUNT(e, "bytes", info->records[i].bytes);
    TB_JSON_EMIT(e, "}");
  }
  end_list(e, list, "[]");
}

static void put_losses(struct tb_json_emit *e, const char *text_key, const struct tb_loss *entries, size_t count) {
  size_t list = e->buffer.len;
  for (size_t i = 0; i < count; i++) {
    TB_JSON_EMIT(e, ",{");
    tb_json_emit_string(e, tb_str_from(text_key));
    TB_JSON_EMIT(e, ":");
    tb_json_emit_string(e, tb_str_from(entries[i].reason));
    TB_JSON_EMIT(e, ",\"code\":");
    tb_json_emit_string(e, tb_str_from(tb_loss_kind_name(entries[i].kind)));
    COUNT(e, "count", entries[i].count);
    COUNT(e, "first_offset", entries[i].first_offset);
    TB_JSON_EMIT(e, "}");
  }
  end_list(e, list, "[]");
}

static void put_key(struct tb_json_emit *e, const char *key) {
  TB_JSON_EMIT(e, ",");
  tb_json_emit_string(e, tb_str_from(key));
  TB_JSON_EMIT(e, ":");
}

static void put_strings(struct tb_json_emit *e, const char *key, const struct tb_str *strings, size_t count) {
  put_key(e, key);
  size_t list = e->buffer.len;
  for (size_t i = 0; i < count; i++) {
    TB_JSON_EMIT(e, ",");
    tb_json_emit_string(e, strings[i]);
  }
  end_list(e, list, "[]");
}

static void put_oddities(struct tb_json_emit *e, const char *key, const struct tb_info_oddity *entries, size_t count) {
  put_key(e, key);
  size_t list = e->buffer.len;
  for (size_t i = 0; i < count; i++) {
    TB_JSON_EMIT(e, ",{\"text\":");
    tb_json_emit_string(e, tb_str_from(entries[i].text));
    COUNT(e, "count", entries[i].count);
    TB_JSON_EMIT(e, "}");
  }
  end_list(e, list, "[]");
}

static void put_reasons(struct tb_json_emit *e, const struct tb_info *info) {
  put_strings(e, "metadata", info->metadata, info->metadata_count);
  put_oddities(e, "oddities", info->oddities, info->oddity_count);
  KEY(e, "losses");
  put_losses(e, "reason", info->losses, info->loss_count);
  KEY(e, "notes");
  put_losses(e, "text", info->notes, info->note_count);
}

static void put_names(struct tb_json_emit *e, const char *key, const struct tb_info_name *names, size_t count,
                      bool has_self) {
  put_key(e, key);
  size_t list = e->buffer.len;
  for (size_t i = 0; i < count; i++) {
    TB_JSON_EMIT(e, ",{\"name\":");
    tb_json_emit_string(e, names[i].text);
    COUNT(e, "count", names[i].count);
    if (has_self) COUNT(e, "self_ns", names[i].self_ns);
    TB_JSON_EMIT(e, "}");
  }
  end_list(e, list, "[]");
}

/* Where, when and by what it was recorded, and what was missed. */
static void put_recording(struct tb_json_emit *e, const struct tb_info *info) {
  if (info->has_wall_time) {
    KEY(e, "first_realtime_ns");
    tb_json_emit_int(e, info->wall_ns);
  }
  if (info->has_timezone) {
    KEY(e, "timezone_minutes");
    tb_json_emit_int(e, info->timezone_minutes);
  }
  KEY(e, "recording");
  size_t list = e->buffer.len;
  for (size_t i = 0; i < info->fact_count; i++) {
    put_key(e, info->facts[i].what);
    tb_json_emit_string(e, info->facts[i].value);
  }
  end_list(e, list, "{}");
  put_strings(e, "data_sources", info->data_sources, info->data_source_count);
  KEY(e, "buffer_bytes");
  list = e->buffer.len;
  for (size_t i = 0; i < info->buffer_count; i++) {
    TB_JSON_EMIT(e, ",");
    tb_json_emit_uint(e, info->buffer_bytes[i]);
  }
  end_list(e, list, "[]");
  put_oddities(e, "missed", info->missed, info->missed_count);
}

static void put_all(struct tb_json_emit *e, const struct tb_info *info) {
  TB_JSON_EMIT(e, "{\"version\":1,\"file\":");
  tb_json_emit_string(e, info->file);
  KEY(e, "format");
  tb_json_emit_string(e, tb_str_from(tb_format_name(info->format)));
  COUNT(e, "stored_bytes", info->stored_bytes);
  if (info->first_ts <= info->last_ts) {
    KEY(e, "first_ns");
    tb_json_emit_int(e, info->first_ts);
    KEY(e, "last_ns");
    tb_json_emit_int(e, info->last_ts);
  }
  KEY(e, "is_cut");
  if (info->is_cut)
    TB_JSON_EMIT(e, "true");
  else
    TB_JSON_EMIT(e, "false");
  COUNT(e, "another_traces", info->another_traces);
  COUNT(e, "machines", info->machines);
  COUNT(e, "custom_tracks", info->custom_tracks);
  COUNT(e, "counter_tracks", info->counter_tracks);
  COUNT(e, "sequences", info->sequences);
  COUNT(e, "packets", info->packet_count);
  COUNT(e, "events", info->events);
  COUNT(e, "arguments", info->arguments);
  COUNT(e, "flow_ends", info->flows);
  COUNT(e, "flow_arrows", info->flow_arrows);
  put_recording(e, info);
  put_events(e, info);
  put_names(e, "slice_names", info->slice_names, info->slice_name_count, true);
  put_names(e, "slices_by_self_time", info->slices_by_self, info->slices_by_self_count, true);
  put_names(e, "categories", info->categories, info->category_count, false);
  put_names(e, "counter_names", info->counter_names, info->counter_name_count, false);
  put_clocks(e, info);
  put_producers(e, info);
  KEY(e, "processes");
  put_threads(e, info->processes, info->process_count, true);
  KEY(e, "threads");
  put_threads(e, info->threads, info->thread_count, false);
  put_packets(e, info);
  const struct tb_reader_ops *reader = tb_registry_reader(info->format);
  if (reader && reader->records) put_records(e, info);
  put_reasons(e, info);
  TB_JSON_EMIT(e, "}\n");
}

enum tb_status tb_info_json(const struct tb_info *info, tb_text_sink sink, void *ctx) {
  struct tb_json_emit emit;
  if (!info || !sink) return TB_INVALID;
  tb_json_emit_init(&emit, tb_default_allocator());
  emit.for_people = true;
  put_all(&emit, info);
  enum tb_status status = emit.status;
  if (status == TB_OK && !sink(ctx, emit.buffer.data, emit.buffer.len)) status = TB_CANCELLED;
  tb_json_emit_free(&emit);
  return status;
}
