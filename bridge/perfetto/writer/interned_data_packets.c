/* SPDX-License-Identifier: Apache-2.0
 *
 * InternedData of a sequence: everything that it refers to, in packets of a bounded size.
 */
#include "perfetto/writer/interned_data_packets.h"
#include "base/error.h"
#include "perfetto/writer/writer.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"

enum { PACKET_BYTES = 64 * 1024, ENTRY_ROOM = 4 * (1 + TB_WIRE_VARINT_MAX) };

struct interned_writer {
  struct tb_perfetto_writer *p;
  uint32_t sequence_id;
  struct tb_buffer data; /* fields of an InternedData */
  /* stacks: what this sequence has defined */
  struct tb_intern functions, mappings, paths, frames;
  struct tb_buffer frame_ids;
};

static enum tb_status flush(struct interned_writer *w) {
  if (w->data.len == 0) return TB_OK;
  char head[64];
  char fields[48];
  char *end = tb_wire_put_uint(fields, TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, w->sequence_id);
  end = tb_wire_put_uint(end, TB_TRACE_PACKET_SEQUENCE_FLAGS, TB_TRACE_PACKET_SEQ_NEEDS_INCREMENTAL_STATE);
  end = tb_wire_put_varint(tb_wire_put_tag(end, TB_TRACE_PACKET_INTERNED_DATA, TB_WIRE_BYTES), w->data.len);
  size_t fields_len = (size_t)(end - fields);
  char *to = tb_wire_put_varint(tb_wire_put_tag(head, TB_TRACE_PACKET, TB_WIRE_BYTES), fields_len + w->data.len);
  memcpy(to, fields, fields_len);
  enum tb_status status = tb_packet_sink_put(&w->p->sink, head, (size_t)(to - head) + fields_len,
                                             (struct tb_str){w->data.data, w->data.len});
  w->data.len = 0;
  return status;
}

/* An entry {iid, text}; both texts and bytes have their fields numbered 1 and 2. */
static enum tb_status put_text(struct interned_writer *w, uint32_t field, uint32_t iid, struct tb_str text) {
  if (tb_buffer_reserve(&w->data, text.len + ENTRY_ROOM) != TB_OK) return TB_NO_MEMORY;
  char entry[2 * (1 + TB_WIRE_VARINT_MAX)];
  char *end = tb_wire_put_uint(entry, TB_INTERNED_STRING_IID, iid);
  end = tb_wire_put_varint(tb_wire_put_tag(end, TB_INTERNED_STRING_STR, TB_WIRE_BYTES), text.len);
  size_t entry_len = (size_t)(end - entry);
  char *at =
      tb_wire_put_varint(tb_wire_put_tag(w->data.data + w->data.len, field, TB_WIRE_BYTES), entry_len + text.len);
  memcpy(at, entry, entry_len);
  if (text.len) memcpy(at + entry_len, text.ptr, text.len);
  w->data.len = (size_t)(at + entry_len + text.len - w->data.data);
  return w->data.len < PACKET_BYTES ? TB_OK : flush(w);
}

/* ---- stacks ------------------------------------------------------------------------------------------------------ */

static enum tb_status put_message(struct interned_writer *w, uint32_t field, const char *message, size_t len) {
  if (tb_buffer_reserve(&w->data, len + ENTRY_ROOM) != TB_OK) return TB_NO_MEMORY;
  w->data.len = (size_t)(tb_wire_put_bytes(w->data.data + w->data.len, field, message, len) - w->data.data);
  return TB_OK;
}

/* The iid of a text that this sequence may not have defined yet; 0 for an empty one. */
static enum tb_status text_iid(struct interned_writer *w, struct tb_intern *table, uint32_t field, struct tb_str text,
                               uint32_t *iid) {
  *iid = 0;
  if (text.len == 0) return TB_OK;
  size_t before = table->count;
  *iid = tb_intern_id(table, text);
  if (!*iid) return TB_NO_MEMORY;
  return table->count > before ? put_text(w, field, *iid, text) : TB_OK;
}

static enum tb_status mapping_iid(struct interned_writer *w, struct tb_str path, uint32_t *iid) {
  size_t before = w->mappings.count;
  enum tb_status status = text_iid(w, &w->mappings, TB_INTERNED_DATA_MAPPING_PATHS, path, iid);
  if (status != TB_OK || w->mappings.count == before) return status;
  char mapping[2 * (1 + TB_WIRE_VARINT_MAX)];
  char *end = tb_wire_put_uint(mapping, TB_MAPPING_IID, *iid);
  end = tb_wire_put_uint(end, TB_MAPPING_PATH_STRING_IDS, *iid);
  return put_message(w, TB_INTERNED_DATA_MAPPINGS, mapping, (size_t)(end - mapping));
}

static enum tb_status put_frame(void *ctx, const struct tb_frame *frame) {
  struct interned_writer *w = ctx;
  uint32_t function, mapping, path;
  enum tb_status status = text_iid(w, &w->functions, TB_INTERNED_DATA_FUNCTION_NAMES, frame->function, &function);
  if (status == TB_OK) status = mapping_iid(w, frame->mapping, &mapping);
  if (status == TB_OK) status = text_iid(w, &w->paths, TB_INTERNED_DATA_SOURCE_PATHS, frame->file, &path);
  if (status != TB_OK) return status;
  char fields[8 * TB_WIRE_VARINT_MAX];
  char *end = fields;
  if (function) end = tb_wire_put_uint(end, TB_FRAME_FUNCTION_NAME_ID, function);
  if (mapping) end = tb_wire_put_uint(end, TB_FRAME_MAPPING_ID, mapping);
  if (frame->pc) end = tb_wire_put_uint(end, TB_FRAME_REL_PC, frame->pc);
  if (path) end = tb_wire_put_uint(end, TB_FRAME_SOURCE_PATH_IID, path);
  if (frame->line) end = tb_wire_put_uint(end, TB_FRAME_LINE_NUMBER, frame->line);
  size_t before = w->frames.count;
  uint32_t iid = tb_intern_id(&w->frames, (struct tb_str){fields, (size_t)(end - fields)});
  if (!iid) return TB_NO_MEMORY;
  if (w->frames.count > before) {
    end = tb_wire_put_uint(end, TB_FRAME_IID, iid);
    status = put_message(w, TB_INTERNED_DATA_FRAMES, fields, (size_t)(end - fields));
    if (status != TB_OK) return status;
  }
  if (tb_buffer_reserve(&w->frame_ids, 1 + TB_WIRE_VARINT_MAX) != TB_OK) return TB_NO_MEMORY;
  w->frame_ids.len =
      (size_t)(tb_wire_put_uint(w->frame_ids.data + w->frame_ids.len, TB_CALLSTACK_FRAME_IDS, iid) - w->frame_ids.data);
  return TB_OK;
}

/* A reference to a frame that the trace does not define: kept as a frame of that name. */
static enum tb_status put_reference(struct interned_writer *w, struct tb_str text) {
  const struct tb_frame frame = {.function = {text.ptr + 1, text.len - 1}, .mapping = TB_CALLSTACKS_UNDEFINED};
  return put_frame(w, &frame);
}

static enum tb_status put_stack(struct interned_writer *w, uint32_t iid, struct tb_str text) {
  w->frame_ids.len = 0;
  enum tb_status status = tb_callstacks_walk(&w->p->stacks, text, put_frame, w);
  if (status == TB_OK && !w->frame_ids.len && text.ptr[0] == 'r') status = put_reference(w, text);
  if (status != TB_OK) return status;
  if (tb_buffer_reserve(&w->frame_ids, 1 + TB_WIRE_VARINT_MAX) != TB_OK) return TB_NO_MEMORY;
  w->frame_ids.len =
      (size_t)(tb_wire_put_uint(w->frame_ids.data + w->frame_ids.len, TB_CALLSTACK_IID, iid) - w->frame_ids.data);
  status = put_message(w, TB_INTERNED_DATA_CALLSTACKS, w->frame_ids.data, w->frame_ids.len);
  if (status != TB_OK) return status;
  return w->data.len < PACKET_BYTES ? TB_OK : flush(w);
}

/* ---- all kinds --------------------------------------------------------------------------------------------------- */

static enum tb_status put_entry(struct interned_writer *w, enum tb_interned_kind kind, uint32_t iid) {
  static const uint32_t fields[] = {
      [TB_INTERNED_NAMES] = TB_INTERNED_DATA_EVENT_NAMES,
      [TB_INTERNED_CATEGORIES] = TB_INTERNED_DATA_EVENT_CATEGORIES,
      [TB_INTERNED_ARG_NAMES] = TB_INTERNED_DATA_DEBUG_ANNOTATION_NAMES,
      [TB_INTERNED_ARG_STRINGS] = TB_INTERNED_DATA_DEBUG_ANNOTATION_STRING_VALUES,
      [TB_INTERNED_LOG_BODIES] = TB_INTERNED_DATA_LOG_MESSAGE_BODY,
  };
  struct tb_str text = tb_intern_text(&w->p->interned.tables[kind], iid);
  return kind == TB_INTERNED_STACKS ? put_stack(w, iid, text) : put_text(w, fields[kind], iid, text);
}

static bool is_all_written(const struct tb_interned_uses *uses, const size_t written[TB_INTERNED_KINDS]) {
  for (size_t kind = 0; kind < TB_INTERNED_KINDS; kind++)
    if (written[kind] < uses->kinds[kind].count) return false;
  return true;
}

enum tb_status tb_perfetto_write_interned(struct tb_perfetto_writer *p, uint32_t sequence_id,
                                          const struct tb_interned_uses *uses, size_t written[TB_INTERNED_KINDS]) {
  if (is_all_written(uses, written)) return TB_OK;
  struct interned_writer w = {.p = p, .sequence_id = sequence_id};
  tb_buffer_init(&w.data, p->allocator, 0);
  tb_buffer_init(&w.frame_ids, p->allocator, 0);
  tb_intern_init(&w.functions, p->allocator);
  tb_intern_init(&w.mappings, p->allocator);
  tb_intern_init(&w.paths, p->allocator);
  tb_intern_init(&w.frames, p->allocator);
  enum tb_status status = TB_OK;
  for (size_t kind = 0; kind < TB_INTERNED_KINDS; kind++) {
    const struct tb_interned_use *use = &uses->kinds[kind];
    for (; status == TB_OK && written[kind] < use->count; written[kind]++)
      status = put_entry(&w, (enum tb_interned_kind)kind, use->iids[written[kind]]);
  }
  if (status == TB_OK) status = flush(&w);
  tb_buffer_free(&w.data);
  tb_buffer_free(&w.frame_ids);
  tb_intern_free(&w.functions);
  tb_intern_free(&w.mappings);
  tb_intern_free(&w.paths);
  tb_intern_free(&w.frames);
  if (status == TB_NO_MEMORY) (void)tb_fail(&p->writer->error, status, TB_NO_OFFSET, "out of memory");
  return status;
}
