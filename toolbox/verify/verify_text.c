/* SPDX-License-Identifier: Apache-2.0
 *
 * A verification as text and as one JSON object.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/text_page.h"
#include "json/emitter.h"
#include "tracebridge/verify.h"

static const char *level_name(const struct tb_finding_kind *kind) {
  return kind->level == TB_FINDING_ERROR ? "error" : "warning";
}

static void print_finding(struct tb_text_page *page, const struct tb_finding *finding) {
  const struct tb_finding_kind *kind = finding->kind;
  tb_text_page_print(page, "\n%-7s %s: %" PRIu64, level_name(kind), kind->name, finding->count);
  if (finding->first_offset != TB_NO_OFFSET)
    tb_text_page_print(page, ", first at byte %" PRIu64, finding->first_offset);
  tb_text_page_print(page, "\n        %s\n", kind->what);
  for (size_t i = 0; i < finding->loss_count; i++)
    tb_text_page_print(page, "        %" PRIu64 ": %s\n", finding->losses[i].count, finding->losses[i].reason);
  tb_text_page_print(page, "        viewer: %s\n", kind->viewer);
}

enum tb_status tb_verification_text(const struct tb_verification *v, tb_text_sink sink, void *ctx) {
  if (!v || !sink) return TB_INVALID;
  struct tb_text_page page = {.sink = sink, .ctx = ctx};
  tb_text_page_print(&page, "%.*s: %s, %" PRIu64 " event%s: ", (int)v->file.len, v->file.ptr, tb_format_name(v->format),
                     v->events, v->events == 1 ? "" : "s");
  if (!v->finding_count)
    tb_text_page_print(&page, "nothing found\n");
  else
    tb_text_page_print(&page, "%zu kind%s of error, %zu of warning\n", v->error_count, v->error_count == 1 ? "" : "s",
                       v->warning_count);
  for (size_t i = 0; i < v->finding_count; i++) print_finding(&page, &v->findings[i]);
  return page.stopped ? TB_CANCELLED : TB_OK;
}

static void put_text(struct tb_json_emit *e, const char *key, const char *text) {
  TB_JSON_EMIT(e, ",\"");
  tb_json_emit_raw(e, key, strlen(key));
  TB_JSON_EMIT(e, "\":");
  tb_json_emit_string(e, tb_str_from(text));
}

static void put_count(struct tb_json_emit *e, const char *key, uint64_t count) {
  TB_JSON_EMIT(e, ",\"");
  tb_json_emit_raw(e, key, strlen(key));
  TB_JSON_EMIT(e, "\":");
  tb_json_emit_uint(e, count);
}

static void put_offset(struct tb_json_emit *e, uint64_t offset) {
  if (offset != TB_NO_OFFSET) put_count(e, "first_offset", offset);
}

static void put_finding(struct tb_json_emit *e, const struct tb_finding *finding) {
  const struct tb_finding_kind *kind = finding->kind;
  TB_JSON_EMIT(e, "{\"code\":");
  tb_json_emit_string(e, tb_str_from(kind->name));
  put_text(e, "level", level_name(kind));
  put_count(e, "count", finding->count);
  put_offset(e, finding->first_offset);
  put_text(e, "what", kind->what);
  put_text(e, "viewer", kind->viewer);
  put_text(e, "stats", kind->stats);
  TB_JSON_EMIT(e, ",\"losses\":[");
  for (size_t i = 0; i < finding->loss_count; i++) {
    if (i) TB_JSON_EMIT(e, ",");
    TB_JSON_EMIT(e, "{\"reason\":");
    tb_json_emit_string(e, tb_str_from(finding->losses[i].reason));
    put_count(e, "count", finding->losses[i].count);
    put_offset(e, finding->losses[i].first_offset);
    TB_JSON_EMIT(e, "}");
  }
  TB_JSON_EMIT(e, "]}");
}

enum tb_status tb_verification_json(const struct tb_verification *v, tb_text_sink sink, void *ctx) {
  if (!v || !sink) return TB_INVALID;
  struct tb_json_emit emit;
  tb_json_emit_init(&emit, tb_default_allocator());
  emit.for_people = true;
  TB_JSON_EMIT(&emit, "{\"version\":1,\"file\":");
  tb_json_emit_string(&emit, v->file);
  put_text(&emit, "format", tb_format_name(v->format));
  put_count(&emit, "events", v->events);
  put_count(&emit, "packets", v->packets);
  put_count(&emit, "errors", v->error_count);
  put_count(&emit, "warnings", v->warning_count);
  TB_JSON_EMIT(&emit, ",\"findings\":[");
  for (size_t i = 0; i < v->finding_count; i++) {
    if (i) TB_JSON_EMIT(&emit, ",");
    put_finding(&emit, &v->findings[i]);
  }
  TB_JSON_EMIT(&emit, "]}\n");
  enum tb_status status = emit.status;
  if (status == TB_OK && !sink(ctx, emit.buffer.data, emit.buffer.len)) status = TB_CANCELLED;
  tb_json_emit_free(&emit);
  return status;
}
