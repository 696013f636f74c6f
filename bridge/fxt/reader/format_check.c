/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether an input is FXT at all. A trace begins with the magic number record, as a rule. A part of one may not, such
 * as what a provider's buffer holds; but other records have no beginning in common, and any bytes may look like one. So
 * most of the first records must hold what their headers say, to their last words.
 */
#include "base/error.h"
#include "fxt/reader/reader.h"
#include "fxt/reader/record_text.h"

enum { CHECKED_BYTES = 4096 };

static const char NOT_FXT[] =
    "does not begin as FXT: neither with its magic number nor with other records of it "
    "(of an FXT trace cut off what is before its first record; else leave out tb_reader_options.format to have the "
    "format "
    "detected)";

/* Whether the input that begins with these bytes is FXT. `text` is for the lines that records make. */
static bool begins_as_fxt(struct tb_json_emit *text, const char *data, size_t len) {
  struct tb_fxt_provider nobody = {0};
  const struct tb_fxt_tables tables = {.provider = &nobody};
  size_t good = 0, bad = 0;
  for (size_t at = 0; len - at >= TB_FXT_WORD;) {
    uint64_t header = tb_fxt_load(data + at), size = tb_fxt_record_bytes(header);
    if (header == TB_FXT_MAGIC) return true;
    if (size == 0) return false;
    if (size > len - at) break;
    const struct tb_fxt_raw_record record = {
        .offset = at, .header = header, .bytes = {data + at, (size_t)size}, .tables = &tables};
    text->buffer.len = 0;
    if (tb_fxt_describe_record(text, &record))
      good++;
    else
      bad++;
    at += (size_t)size;
  }
  return good > bad;
}

enum tb_status tb_fxt_check_format(struct tb_reader *reader) {
  const char *data;
  size_t len;
  enum tb_status status = tb_input_peek(reader->input, &data, CHECKED_BYTES, &len, &reader->error);
  uint64_t header = len >= TB_FXT_WORD ? tb_fxt_load(data) : 0;
  if (header == TB_FXT_MAGIC) return TB_OK;
  if (header == TB_FXT_MAGIC_BIG_ENDIAN)
    return tb_fail(&reader->error, TB_UNSUPPORTED, 0, "is an FXT trace of a big-endian machine, which cannot be read");
  if (status != TB_OK) return status;
  struct tb_json_emit text;
  tb_json_emit_init(&text, reader->allocator);
  bool is_fxt = begins_as_fxt(&text, data, len);
  status = text.status;
  tb_json_emit_free(&text);
  if (status != TB_OK) return tb_fail(&reader->error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
  return is_fxt ? TB_OK : tb_fail(&reader->error, TB_UNKNOWN_FORMAT, 0, "%s", NOT_FXT);
}
