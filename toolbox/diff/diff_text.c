/* SPDX-License-Identifier: Apache-2.0
 *
 * A difference as text and as one JSON object.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/text_page.h"
#include "json/emitter.h"
#include "tracebridge/diff.h"

static bool differs(const struct tb_diff_count *table) { return table->only[0] || table->only[1]; }

static void print_row(struct tb_text_page *page, const struct tb_diff_row *row) {
  tb_text_page_print(page, "%c ", row->side ? '+' : '-');
  if (row->has_ts) tb_text_page_print(page, "at %" PRId64 " ns: ", row->ts);
  tb_text_page_print(page, "%.*s", (int)row->text.len, row->text.ptr);
  if (row->offset != TB_NO_OFFSET) tb_text_page_print(page, " (byte %" PRIu64 ")", row->offset);
  tb_text_page_print(page, "\n");
}

enum tb_status tb_difference_text(const struct tb_difference *d, tb_text_sink sink, void *ctx) {
  if (!d || !sink) return TB_INVALID;
  struct tb_text_page page = {.sink = sink, .ctx = ctx};
  for (unsigned i = 0; i < 2; i++)
    tb_text_page_print(&page, "%c %.*s: %s\n", i ? '+' : '-', (int)d->files[i].len, d->files[i].ptr,
                       tb_format_name(d->formats[i]));
  tb_text_page_print(&page, "%s%s\n", d->is_equal ? "equal" : "different",
                     d->is_partial ? ", as far as both could be read" : "");
  for (unsigned t = 0; t < TB_DIFF_TABLE_COUNT; t++) {
    const struct tb_diff_count *table = &d->tables[t];
    if (!table->rows[0] && !table->rows[1]) continue;
    tb_text_page_print(&page, "%-10s %" PRIu64 " and %" PRIu64, tb_diff_table_name((enum tb_diff_table)t),
                       table->rows[0], table->rows[1]);
    if (differs(table))
      tb_text_page_print(&page, ", without an equal %" PRIu64 " and %" PRIu64, table->only[0], table->only[1]);
    tb_text_page_print(&page, "\n");
  }
  for (size_t i = 0; i < d->not_compared_count; i++)
    tb_text_page_print(&page, "%s%s", i ? "; " : "not compared: ", d->not_compared[i]);
  if (d->not_compared_count) tb_text_page_print(&page, "\n");
  for (size_t i = 0; i < d->row_count; i++) {
    if (!i || d->rows[i].table != d->rows[i - 1].table)
      tb_text_page_print(&page, "\n%s\n", tb_diff_table_name(d->rows[i].table));
    print_row(&page, &d->rows[i]);
  }
  return page.stopped ? TB_CANCELLED : TB_OK;
}

static void put_flag(struct tb_json_emit *e, bool is_set) {
  if (is_set)
    TB_JSON_EMIT(e, "true");
  else
    TB_JSON_EMIT(e, "false");
}

static void put_pair(struct tb_json_emit *e, const char *key, const uint64_t pair[2]) {
  TB_JSON_EMIT(e, "\"");
  tb_json_emit_raw(e, key, strlen(key));
  TB_JSON_EMIT(e, "\":[");
  tb_json_emit_uint(e, pair[0]);
  TB_JSON_EMIT(e, ",");
  tb_json_emit_uint(e, pair[1]);
  TB_JSON_EMIT(e, "]");
}

static void put_row(struct tb_json_emit *e, const struct tb_diff_row *row) {
  TB_JSON_EMIT(e, "{\"table\":");
  tb_json_emit_string(e, tb_str_from(tb_diff_table_name(row->table)));
  TB_JSON_EMIT(e, ",\"side\":");
  tb_json_emit_uint(e, row->side);
  if (row->has_ts) {
    TB_JSON_EMIT(e, ",\"ts\":");
    tb_json_emit_int(e, row->ts);
  }
  if (row->offset != TB_NO_OFFSET) {
    TB_JSON_EMIT(e, ",\"offset\":");
    tb_json_emit_uint(e, row->offset);
  }
  TB_JSON_EMIT(e, ",\"text\":");
  tb_json_emit_string(e, row->text);
  TB_JSON_EMIT(e, "}");
}

static void put_losses(struct tb_json_emit *e, const struct tb_loss *losses, size_t count) {
  TB_JSON_EMIT(e, "[");
  for (size_t i = 0; i < count; i++) {
    if (i) TB_JSON_EMIT(e, ",");
    TB_JSON_EMIT(e, "{\"reason\":");
    tb_json_emit_string(e, tb_str_from(losses[i].reason));
    TB_JSON_EMIT(e, ",\"code\":");
    tb_json_emit_string(e, tb_str_from(tb_loss_kind_name(losses[i].kind)));
    TB_JSON_EMIT(e, ",\"count\":");
    tb_json_emit_uint(e, losses[i].count);
    if (losses[i].first_offset != TB_NO_OFFSET) {
      TB_JSON_EMIT(e, ",\"first_offset\":");
      tb_json_emit_uint(e, losses[i].first_offset);
    }
    TB_JSON_EMIT(e, "}");
  }
  TB_JSON_EMIT(e, "]");
}

static void put_tables(struct tb_json_emit *e, const struct tb_difference *d) {
  for (unsigned t = 0; t < TB_DIFF_TABLE_COUNT; t++) {
    if (t) TB_JSON_EMIT(e, ",");
    tb_json_emit_string(e, tb_str_from(tb_diff_table_name((enum tb_diff_table)t)));
    TB_JSON_EMIT(e, ":{");
    put_pair(e, "rows", d->tables[t].rows);
    TB_JSON_EMIT(e, ",");
    put_pair(e, "only", d->tables[t].only);
    TB_JSON_EMIT(e, "}");
  }
}

enum tb_status tb_difference_json(const struct tb_difference *d, tb_text_sink sink, void *ctx) {
  if (!d || !sink) return TB_INVALID;
  struct tb_json_emit emit, *e = &emit;
  tb_json_emit_init(e, tb_default_allocator());
  e->for_people = true;
  TB_JSON_EMIT(e, "{\"version\":1,\"files\":[");
  for (unsigned i = 0; i < 2; i++) {
    if (i) TB_JSON_EMIT(e, ",");
    tb_json_emit_string(e, d->files[i]);
  }
  TB_JSON_EMIT(e, "],\"formats\":[");
  for (unsigned i = 0; i < 2; i++) {
    if (i) TB_JSON_EMIT(e, ",");
    tb_json_emit_string(e, tb_str_from(tb_format_name(d->formats[i])));
  }
  TB_JSON_EMIT(e, "],\"equal\":");
  put_flag(e, d->is_equal);
  TB_JSON_EMIT(e, ",\"partial\":");
  put_flag(e, d->is_partial);
  TB_JSON_EMIT(e, ",\"tables\":{");
  put_tables(e, d);
  TB_JSON_EMIT(e, "},\"rows\":[");
  for (size_t i = 0; i < d->row_count; i++) {
    if (i) TB_JSON_EMIT(e, ",");
    put_row(e, &d->rows[i]);
  }
  TB_JSON_EMIT(e, "],\"losses\":[");
  for (unsigned i = 0; i < 2; i++) {
    if (i) TB_JSON_EMIT(e, ",");
    put_losses(e, d->losses[i], d->loss_counts[i]);
  }
  TB_JSON_EMIT(e, "],\"not_compared\":[");
  for (size_t i = 0; i < d->not_compared_count; i++) {
    if (i) TB_JSON_EMIT(e, ",");
    tb_json_emit_string(e, tb_str_from(d->not_compared[i]));
  }
  TB_JSON_EMIT(e, "]}\n");
  enum tb_status status = e->status;
  if (status == TB_OK && !sink(ctx, e->buffer.data, e->buffer.len)) status = TB_CANCELLED;
  tb_json_emit_free(e);
  return status;
}
