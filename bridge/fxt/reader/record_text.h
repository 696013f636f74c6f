/* SPDX-License-Identifier: Apache-2.0
 *
 * The records of an FXT archive for people: what kind each is, and all that it says as a line of text.
 */
#ifndef TB_FXT_READER_RECORD_TEXT_H
#define TB_FXT_READER_RECORD_TEXT_H

#include "fxt/reader/tables.h"
#include "model/record_ops.h"

/* A record as struct tb_record_watch of reader_ops.h gives it: whole, and not read yet, so that `tables` are those that
 * its references mean. */
struct tb_fxt_raw_record {
  uint64_t offset;
  uint64_t header;
  struct tb_str bytes;
  const struct tb_fxt_tables *tables;
};

/* Kinds of records, events each by themselves: numbers from 0 on, and their names. */
enum { TB_FXT_KINDS = 32 };
unsigned tb_fxt_record_kind(uint64_t header);
const char *tb_fxt_kind_name(unsigned kind);

/* A line: byte offset, kind, `key=value` for all parts, arguments as `type:"name"=value`; references as #INDEX with
 * what they mean in parentheses. What cannot be read to its last word is `words` and the record's words; false is
 * returned then. */
bool tb_fxt_describe_record(struct tb_json_emit *text, const struct tb_fxt_raw_record *record);

/* For readers of records that do not know FXT; a record is a struct tb_fxt_raw_record. (fxt/reader/record_notes.c) */
extern const struct tb_record_ops tb_fxt_record_ops;

#endif
