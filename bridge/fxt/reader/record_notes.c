/* SPDX-License-Identifier: Apache-2.0
 *
 * What info counts of a record of FXT.
 */
#include "fxt/reader/record_text.h"

_Static_assert((int)TB_FXT_KINDS <= (int)TB_RECORD_KINDS_MAX, "each kind has a number");

/* The provider whose record it is: the current one, or the one that a metadata record names. */
static uint32_t provider_of(const struct tb_fxt_raw_record *record) {
  if ((record->header & 15) == TB_FXT_METADATA) return (uint32_t)tb_fxt_field(record->header, 20, 51);
  return record->tables->provider->id;
}

static void note_provider(const struct tb_fxt_raw_record *record, struct tb_record_note *note) {
  struct tb_fxt_cursor cursor = {record->bytes.ptr + TB_FXT_WORD, record->bytes.ptr + record->bytes.len};
  uint64_t header = record->header, type = tb_fxt_field(header, 16, 19);
  note->has_provider = true;
  note->provider = provider_of(record);
  if ((header & 15) == TB_FXT_INITIALIZATION)
    note->has_ticks_per_second = tb_fxt_take_word(&cursor, &note->ticks_per_second);
  else if ((header & 15) == TB_FXT_METADATA && type == TB_FXT_PROVIDER_EVENT)
    note->is_loss = true;
  else if ((header & 15) == TB_FXT_METADATA && type == TB_FXT_PROVIDER_INFO)
    note->has_provider_name = tb_fxt_take_stream(&cursor, (size_t)tb_fxt_field(header, 52, 59), &note->provider_name);
}

static void note_record(const void *watched, struct tb_record_note *note) {
  const struct tb_fxt_raw_record *record = watched;
  note->kind = tb_fxt_record_kind(record->header);
  note->kind_name = tb_fxt_kind_name(note->kind);
  note->bytes = record->bytes.len;
  if (record->header != TB_FXT_MAGIC) note_provider(record, note);
}

static void describe(struct tb_json_emit *text, const void *record) { (void)tb_fxt_describe_record(text, record); }

const struct tb_record_ops tb_fxt_record_ops = {.describe = describe, .note = note_record};
