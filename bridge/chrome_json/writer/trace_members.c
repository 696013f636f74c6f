/* SPDX-License-Identifier: Apache-2.0
 *
 * Members of the outermost object behind the events. The source may have had `metadata` as a whole; members of it that
 * come one by one, and the clock, are added to that.
 */
#include "chrome_json/writer/writer.h"
#include "json/value.h"
#include "model/metadata.h"

enum { TOP_KEYS = 4096, METADATA_KEYS = 4096 };

/* Chrome's names of the clock and of how far it is from the epoch. */
#define DOMAIN "clock-domain"
#define OFFSET "clock-offset-since-epoch"

/* ---- metadata ---------------------------------------------------------------------------------------------------- */

static enum tb_status check(struct tb_json_writer *w, enum tb_status status) {
  return status == TB_OK ? TB_OK : tb_json_fail(w, status);
}

static bool has_name(const struct tb_intern *names, const char *name) {
  struct tb_str text = tb_str_from(name);
  return tb_intern_find(names, text, tb_intern_hash(text)) != 0;
}

/* False where the name is there already, or cannot be kept. */
static bool add_name(struct tb_json_writer *w, struct tb_str name) {
  struct tb_intern *names = &w->metadata.names;
  uint32_t hash = tb_intern_hash(name);
  if (names->count == METADATA_KEYS || tb_intern_find(names, name, hash)) return false;
  if (tb_intern_add(names, name, hash)) return true;
  (void)tb_json_fail(w, TB_NO_MEMORY);
  return false;
}

/* Adds `,"name":` to the members, unless there is one of that name. */
static bool begin_member(struct tb_json_writer *w, struct tb_str name) {
  struct tb_json_emit *members = &w->metadata.members;
  if (!add_name(w, name)) return false;
  TB_JSON_EMIT(members, ",");
  tb_json_emit_string(members, name);
  TB_JSON_EMIT(members, ":");
  return true;
}

static enum tb_status add_members(struct tb_json_writer *w, const struct tb_arg *dict) {
  for (uint32_t i = 1; i < dict->span; i += dict[i].span)
    if (begin_member(w, dict[i].name)) tb_json_emit_value(&w->metadata.members, &dict[i]);
  return check(w, w->metadata.members.status);
}

static const char *domain_of(uint32_t clock) {
  if (clock == TB_CLOCK_MONOTONIC) return "LINUX_CLOCK_MONOTONIC";
  return clock == TB_CLOCK_BOOTTIME ? "LINUX_CLOCK_BOOTTIME" : NULL;
}

/* What the source's own metadata says of the clock. The place of the offset; 0: there is none. */
static uint32_t read_clock(struct tb_json_metadata *metadata, const struct tb_arg *dict) {
  static const uint32_t named[] = {TB_CLOCK_MONOTONIC, TB_CLOCK_BOOTTIME};
  uint32_t place = 0;
  for (uint32_t i = 1; i < dict->span; i += dict[i].span) {
    if (tb_str_equal(dict[i].name, TB_STR(OFFSET)) && tb_metadata_micros(&dict[i], &metadata->said)) place = i;
    for (size_t k = 0; k < 2 && tb_str_equal(dict[i].name, TB_STR(DOMAIN)) && dict[i].type == TB_ARG_STRING; k++)
      if (tb_str_equal(dict[i].text, tb_str_from(domain_of(named[k])))) metadata->said_domain = domain_of(named[k]);
  }
  return place;
}

/* Puts `metadata` as the source had it into `top`, and notes where its offset is. `dict` is NULL where it is no object,
 * else the same read. */
static void emit_metadata(struct tb_json_writer *w, const struct tb_arg *value, const struct tb_arg *dict) {
  struct tb_json_metadata *metadata = &w->metadata;
  struct tb_json_emit *top = &w->top;
  size_t start = top->buffer.len;
  uint32_t place = dict ? read_clock(metadata, dict) : 0;
  if (!place) {
    tb_json_emit_value(top, value);
    return;
  }
  tb_json_emit_members(top, dict + 1, place - 1);
  TB_JSON_EMIT(top, ",\"" OFFSET "\":");
  metadata->said_at = top->buffer.len;
  tb_json_emit_value(top, &dict[place]);
  metadata->said_len = top->buffer.len - metadata->said_at;
  tb_json_emit_members(top, dict + place + 1, dict->span - place - 1);
  TB_JSON_EMIT(top, "}");
  if (top->status == TB_OK) top->buffer.data[start] = '{';
}

/* `metadata` as the source had it, at the end of `top`: further members go before its last brace. */
static void put_metadata(struct tb_json_writer *w, const struct tb_arg *value) {
  const struct tb_buffer *top = &w->top.buffer;
  const struct tb_arg *dict = value;
  struct tb_arena arena;
  struct tb_arg *parsed = NULL;
  tb_arena_init(&arena, w->writer->allocator, 0);
  if (value->type == TB_ARG_JSON && tb_json_parse_value(&arena, value->text, &parsed)) dict = parsed;
  if (dict->type != TB_ARG_DICT) dict = NULL;
  emit_metadata(w, value, dict);
  if (dict && w->top.status == TB_OK) {
    for (uint32_t i = 1; i < dict->span; i += dict[i].span) (void)add_name(w, dict[i].name);
    for (w->metadata.end = top->len; w->metadata.end && top->data[w->metadata.end - 1] != '}';) w->metadata.end--;
    w->metadata.is_empty = dict->span == 1;
  }
  w->metadata.is_whole = true;
  tb_arena_free(&arena);
}

/* ---- what the recorder says of itself ---------------------------------------------------------------------------- */

static enum tb_status add_packet(struct tb_json_writer *w, const struct tb_arg *dict) {
  struct tb_json_emit *emit = &w->scratch;
  emit->buffer.len = 0;
  TB_JSON_EMIT(emit, "\n");
  tb_json_emit_value(emit, dict);
  if (emit->status != TB_OK) return tb_json_fail(w, emit->status);
  if (!tb_spool_empty(&w->packets) && tb_spool_add(&w->packets, ",", 1, &w->writer->error) != TB_OK)
    return w->writer->error.code;
  return tb_spool_add(&w->packets, emit->buffer.data, emit->buffer.len, &w->writer->error);
}

enum tb_status tb_json_write_packets(struct tb_json_writer *w) {
  bool taken = has_name(&w->top_names, "otherData"); /* the source had one of its own */
  struct tb_output *output = w->writer->output;
  if (tb_spool_empty(&w->packets)) return TB_OK;
  const char *before = taken ? ",\n\"packets\":[" : ",\n\"otherData\":{\"packets\":[", *after = taken ? "\n]" : "\n]}";
  enum tb_status status = tb_output_write(output, before, strlen(before), &w->writer->error);
  if (status == TB_OK) status = tb_spool_write(&w->packets, output, &w->writer->error);
  return status == TB_OK ? tb_output_write(output, after, strlen(after), &w->writer->error) : status;
}

/* A member of the outermost object. The first of a name stays, since strict JSON has each name once. */
/* Which part of a split this is, "RECORDING/NUMBER": a merge reads all of them as one trace, where ids of frames must
 * not come again. */
static void note_split_part(struct tb_json_writer *w, struct tb_str mark) {
  const char *slash = mark.len ? memchr(mark.ptr, '/', mark.len) : NULL;
  size_t len = slash ? (size_t)(mark.ptr + mark.len - slash) - 1 : 0;
  if (len > sizeof(w->split_digits) || w->frame_ids.count) return;
  if (len) memcpy(w->split_digits, slash + 1, len);
  w->split_part = (struct tb_str){w->split_digits, len};
}

enum tb_status tb_json_put_trace_member(struct tb_json_writer *w, const struct tb_event *event) {
  if (!event->arg_count) return TB_OK;
  if (tb_metadata_is_split_part(event) && event->args->type == TB_ARG_STRING) note_split_part(w, event->args->text);
  bool is_metadata = tb_str_equal(event->name, TB_STR("metadata"));
  if (event->args[0].flags & TB_ARG_TYPED)
    return is_metadata ? add_members(w, event->args) : add_packet(w, event->args);
  uint32_t hash = tb_intern_hash(event->name);
  if (tb_intern_find(&w->top_names, event->name, hash) || w->top_names.count == TOP_KEYS) {
    tb_json_lose(w, "a further top-level member of the same name", event);
    return TB_OK;
  }
  if (!tb_intern_add(&w->top_names, event->name, hash)) return tb_json_fail(w, TB_NO_MEMORY);
  TB_JSON_EMIT(&w->top, ",\n");
  tb_json_emit_string(&w->top, event->name);
  TB_JSON_EMIT(&w->top, ":");
  if (is_metadata && !w->from_json)
    put_metadata(w, event->args);
  else
    tb_json_emit_value(&w->top, event->args);
  return check(w, w->top.status);
}

/* ---- the clock --------------------------------------------------------------------------------------------------- */

void tb_json_note_clocks(struct tb_json_writer *w, const struct tb_event *snapshot) {
  if (w->from_json || snapshot->track || !snapshot->clock_count) return; /* a track: it is of another machine */
  const struct tb_clock_reading *clocks = snapshot->clocks;
  w->metadata.clock = clocks[0].clock;
  for (uint32_t i = 0; i < snapshot->clock_count && w->metadata.offset_count < TB_JSON_CLOCK_OFFSETS; i++) {
    int64_t offset;
    if (clocks[i].clock != TB_CLOCK_REALTIME || __builtin_sub_overflow(clocks[i].ns, clocks[0].ns, &offset)) continue;
    w->metadata.offsets[w->metadata.offset_count++] = offset;
  }
}

static int by_value(const void *a, const void *b) {
  int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;
  return one < other ? -1 : one > other;
}

static void emit_offset(struct tb_json_emit *to, int64_t offset, bool is_text) {
  if (is_text) TB_JSON_EMIT(to, "\"");
  tb_json_emit_micros(to, offset);
  if (is_text) TB_JSON_EMIT(to, "\"");
}

/* Where the times were moved, the source's own offset is no longer that of the clock. */
static void correct_offset(struct tb_json_writer *w, int64_t offset) {
  struct tb_json_metadata *metadata = &w->metadata;
  struct tb_buffer *top = &w->top.buffer;
  const struct tb_buffer *number = &w->scratch.buffer;
  if (metadata->said == offset) return;
  w->scratch.buffer.len = 0;
  emit_offset(&w->scratch, offset, top->data[metadata->said_at] == '"');
  if (w->scratch.status != TB_OK || tb_buffer_reserve(top, number->len) != TB_OK) {
    (void)tb_json_fail(w, TB_NO_MEMORY);
    return;
  }
  char *at = top->data + metadata->said_at;
  size_t behind = metadata->said_at + metadata->said_len;
  memmove(at + number->len, at + metadata->said_len, top->len - behind);
  memcpy(at, number->data, number->len);
  top->len += number->len - metadata->said_len;
  if (metadata->end) metadata->end += number->len - metadata->said_len;
}

/* The clock's name and how far it is from the epoch, as Chrome has them; a clock that has no name there has the time at
 * its 0, as Kineto has it. Of what the snapshots say the median counts: single ones may be late. */
static void add_clock(struct tb_json_writer *w) {
  const struct tb_intern *names = &w->metadata.names;
  size_t count = w->metadata.offset_count;
  const char *domain = domain_of(w->metadata.clock);
  qsort(w->metadata.offsets, count, sizeof(w->metadata.offsets[0]), by_value);
  int64_t offset = count ? w->metadata.offsets[count / 2] : 0;
  if (w->metadata.said_len && count && w->metadata.said_domain == domain) correct_offset(w, offset);
  if (has_name(names, DOMAIN) || has_name(names, OFFSET)) return;
  if (w->metadata.is_whole && !w->metadata.end) domain = NULL; /* it is no object */
  if (domain && begin_member(w, TB_STR(DOMAIN))) {
    tb_json_emit_string(&w->metadata.members, tb_str_from(domain));
    if (!count || !begin_member(w, TB_STR(OFFSET))) return;
    emit_offset(&w->metadata.members, offset, true);
  } else if (!domain && count && !has_name(&w->top_names, "baseTimeNanoseconds") &&
             !has_name(&w->top_names, "beginningOfTime")) {
    TB_JSON_EMIT(&w->top, ",\n\"baseTimeNanoseconds\":");
    tb_json_emit_int(&w->top, offset);
  }
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

void tb_json_write_trace_members(struct tb_json_writer *w) {
  if (!w->from_json) add_clock(w);
  struct tb_str members = {w->metadata.members.buffer.data, w->metadata.members.buffer.len};
  struct tb_str top = {w->top.buffer.data, w->top.buffer.len};
  size_t before = members.len && w->metadata.end ? w->metadata.end - 1 : top.len;
  if (w->metadata.members.status != TB_OK) w->out.status = w->metadata.members.status;
  tb_json_emit_raw(&w->out, top.ptr, before);
  if (members.len && w->metadata.end) {
    size_t comma = w->metadata.is_empty;
    tb_json_emit_raw(&w->out, members.ptr + comma, members.len - comma);
    tb_json_emit_raw(&w->out, top.ptr + before, top.len - before);
  } else if (members.len && !w->metadata.is_whole) {
    TB_JSON_EMIT(&w->out, ",\n\"metadata\":{");
    tb_json_emit_raw(&w->out, members.ptr + 1, members.len - 1);
    TB_JSON_EMIT(&w->out, "}");
  }
}
