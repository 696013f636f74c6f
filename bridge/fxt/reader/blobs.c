/* SPDX-License-Identifier: Apache-2.0
 *
 * FXT blob records: Perfetto packets, and bytes that are carried as they are.
 */
#include "fxt/reader/reader.h"
#include "model/metadata.h"
#include "protobuf/wire.h"

enum { TRACE_PACKET_FIELD = 1 };

static enum tb_status add_blob(struct tb_fxt_reader *fx, enum tb_event_type type, struct tb_str name,
                               struct tb_str bytes, struct tb_event **event) {
  enum tb_status status = tb_fxt_add_event(fx, type, NULL, event);
  if (status != TB_OK) return status;
  (*event)->name = name;
  (*event)->has = TB_HAS_NAME;
  (*event)->blob = bytes;
  return TB_OK;
}

/* ---- Perfetto packets: one stream of Trace bytes a provider and name, cut into blobs anywhere ----------------------
 */

/* How many bytes of `stream` are whole packets. TB_BAD_DATA where it is no Trace. */
static enum tb_status whole_packets(struct tb_str stream, size_t *len) {
  struct tb_wire_cursor cursor = tb_wire_cursor(stream);
  struct tb_wire_field field;
  enum tb_status status;
  while ((status = tb_wire_next(&cursor, &field)) == TB_OK)
    if (field.number != TRACE_PACKET_FIELD || field.type != TB_WIRE_BYTES) break;
  *len = (size_t)(cursor.at - stream.ptr);
  return status == TB_END || status == TB_TRUNCATED ? TB_OK : TB_BAD_DATA;
}

static enum tb_status find_stream(struct tb_fxt_reader *fx, struct tb_str name, struct tb_buffer **stream) {
  struct tb_fxt_tables *tables = &fx->tables;
  struct tb_str own;
  enum tb_status status = tb_fxt_intern(&tables->texts, name, &own);
  if (status != TB_OK) return status;
  uint64_t key = own.len ? (uint64_t)(uintptr_t)own.ptr : 0;
  *stream = tb_map_find_pointer(&tables->packet_streams, tables->provider->id, key);
  if (*stream) return TB_OK;
  void *block;
  status = tb_fxt_tables_alloc(tables, sizeof(**stream), &block);
  if (status != TB_OK) return status;
  *stream = block;
  tb_buffer_init(*stream, tables->allocator, 0);
  return tb_map_put(&tables->packet_streams, tables->provider->id, key, (uint64_t)(uintptr_t)block);
}

static enum tb_status add_packets(struct tb_fxt_reader *fx, struct tb_str name, struct tb_str payload) {
  struct tb_buffer *stream;
  enum tb_status status = find_stream(fx, name, &stream);
  if (status == TB_OK && stream->len) status = tb_buffer_append(stream, payload.ptr, payload.len);
  if (status != TB_OK) return tb_fxt_no_memory(fx, status);
  struct tb_str bytes = stream->len ? (struct tb_str){stream->data, stream->len} : payload;
  size_t whole;
  if (whole_packets(bytes, &whole) != TB_OK) {
    stream->len = 0;
    return tb_fxt_malformed(fx, "a Perfetto blob that holds no packets", NULL);
  }
  struct tb_str packets = {bytes.ptr, whole};
  if (stream->len && whole) {
    packets = tb_arena_copy(&fx->batch->arena, packets);
    if (!packets.ptr) return tb_fxt_no_memory(fx, TB_NO_MEMORY);
  }
  if (!stream->len) {
    if (tb_buffer_append(stream, bytes.ptr + whole, bytes.len - whole) != TB_OK)
      return tb_fxt_no_memory(fx, TB_NO_MEMORY);
  } else {
    memmove(stream->data, stream->data + whole, stream->len - whole);
    stream->len -= whole;
  }
  struct tb_event *event;
  if (!whole) return TB_OK;
  enum tb_status added = add_blob(fx, TB_EVENT_PACKETS, name, packets, &event);
  if (added == TB_OK) event->blob_type = TB_FXT_BLOB_PERFETTO;
  return added;
}

enum tb_status tb_fxt_parse_blob(struct tb_fxt_reader *fx, uint64_t header, struct tb_fxt_cursor cursor) {
  struct tb_str name, payload;
  enum tb_status status = tb_fxt_resolve_string(fx, (uint32_t)tb_fxt_field(header, 16, 31), &cursor, &name);
  if (status != TB_OK) return status;
  if (!tb_fxt_take_stream(&cursor, (size_t)tb_fxt_field(header, 32, 46), &payload))
    return tb_fxt_malformed(fx, "a blob runs past its record", NULL);
  uint8_t type = (uint8_t)tb_fxt_field(header, 48, 55);
  if (type == TB_FXT_BLOB_PERFETTO) return add_packets(fx, name, payload);
  struct tb_event *event;
  status = add_blob(fx, TB_EVENT_BLOB, name, payload, &event);
  if (status == TB_OK) event->blob_type = type;
  return status;
}

/* ---- large blobs ------------------------------------------------------------------------------------------------- */

/* What is before the bytes of a large blob that has metadata. */
static enum tb_status parse_large_metadata(struct tb_fxt_reader *fx, uint64_t format_header,
                                           struct tb_fxt_cursor *cursor, int64_t *ts, const struct tb_track **thread) {
  enum tb_status status = tb_fxt_take_time(fx, cursor, ts);
  if (status == TB_OK)
    status = tb_fxt_resolve_thread(fx, (uint32_t)tb_fxt_field(format_header, 36, 43), cursor, thread);
  if (status == TB_OK) status = tb_fxt_parse_args(fx, (uint32_t)tb_fxt_field(format_header, 32, 35), cursor);
  return status;
}

/* Metadata that our writer put into a large blob: of a thread, or of the trace; what names no thread is of its
 * process where that is 0. */
static enum tb_status add_metadata(struct tb_fxt_reader *fx, enum tb_event_type type, struct tb_str name,
                                   const struct tb_track *thread) {
  bool of_process = thread && thread->tid == 0 && !tb_metadata_is_of_thread(name);
  const struct tb_track *track = of_process ? thread->parent : thread;
  struct tb_event *event;
  enum tb_status status = tb_fxt_add_event(fx, type, track, &event);
  if (status != TB_OK) return status;
  event->phase = type == TB_EVENT_METADATA ? 'M' : '\0';
  event->name = name;
  event->has = TB_HAS_NAME;
  status = tb_fxt_give_args(fx, NULL, event);
  return status == TB_OK ? tb_fxt_note_name(fx, event) : status;
}

static enum tb_status keep_counter_members(struct tb_fxt_reader *fx, struct tb_str text) {
  fx->counter_members.len = 0;
  return tb_fxt_no_memory(fx, tb_buffer_append(&fx->counter_members, text.ptr, text.len));
}

enum tb_status tb_fxt_parse_large(struct tb_fxt_reader *fx, uint64_t header, struct tb_fxt_cursor cursor) {
  uint64_t format = tb_fxt_field(header, 40, 43), format_header, size;
  if (tb_fxt_field(header, 36, 39) != TB_FXT_LARGE_BLOB || format > TB_FXT_LARGE_BLOB_BARE)
    return tb_fxt_malformed(fx, "a large record of unknown type", NULL);
  if (!tb_fxt_take_word(&cursor, &format_header)) return tb_fxt_malformed(fx, "a large blob without its header", NULL);
  struct tb_str category, name, payload;
  int64_t ts = 0;
  const struct tb_track *thread = NULL;
  enum tb_status status = tb_fxt_resolve_string(fx, (uint32_t)tb_fxt_field(format_header, 0, 15), &cursor, &category);
  if (status == TB_OK)
    status = tb_fxt_resolve_string(fx, (uint32_t)tb_fxt_field(format_header, 16, 31), &cursor, &name);
  fx->arg_count = 0;
  if (status == TB_OK && format == TB_FXT_LARGE_BLOB_WITH_METADATA)
    status = parse_large_metadata(fx, format_header, &cursor, &ts, &thread);
  if (status != TB_OK) return status;
  if (!tb_fxt_take_word(&cursor, &size)) return tb_fxt_malformed(fx, "a large blob without its size", NULL);
  if (size > SIZE_MAX - TB_FXT_WORD || !tb_fxt_take_stream(&cursor, (size_t)size, &payload))
    return tb_fxt_malformed(fx, "a large blob runs past its record", NULL);
  bool has_metadata = format == TB_FXT_LARGE_BLOB_WITH_METADATA;
  if (has_metadata && tb_str_equal(category, TB_STR(TB_FXT_CATEGORY_METADATA)))
    return add_metadata(fx, TB_EVENT_METADATA, name, thread);
  if (has_metadata && tb_str_equal(category, TB_STR(TB_FXT_CATEGORY_TRACE)))
    return add_metadata(fx, TB_EVENT_TRACE_METADATA, name, NULL);
  if (has_metadata && tb_str_equal(category, TB_STR(TB_FXT_CATEGORY_FRAME))) return tb_fxt_add_stack_frame(fx, name);
  if (!has_metadata && tb_str_equal(category, TB_STR(TB_FXT_CATEGORY_COUNTER)))
    return keep_counter_members(fx, payload);
  if (!has_metadata && tb_str_equal(category, TB_STR(TB_FXT_CATEGORY_REST)))
    return tb_fxt_keep_continuation(fx, name, payload);
  struct tb_event *event;
  status = add_blob(fx, TB_EVENT_BLOB, name, payload, &event);
  if (status != TB_OK) return status;
  event->categories = category;
  if (category.len) event->has |= TB_HAS_CATEGORIES;
  if (format == TB_FXT_LARGE_BLOB_BARE) return TB_OK;
  event->track = thread;
  event->ts = ts;
  event->has |= TB_HAS_TS;
  return tb_fxt_give_args(fx, thread, event);
}
