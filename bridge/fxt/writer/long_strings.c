/* SPDX-License-Identifier: Apache-2.0
 *
 * Texts of arguments that are longer than FXT's strings may be: what is behind the longest string goes into a large
 * blob before the argument's record.
 */
#include "fxt/writer/writer.h"

struct tb_str tb_fxt_write_continuation(struct tb_fxt_writer *w, uint64_t name_ref, struct tb_str text) {
  struct tb_str first = tb_fxt_text_cut(text, TB_FXT_MAX_STRING);
  struct tb_str rest = {text.ptr + first.len, text.len - first.len};
  if (rest.len == 0) return text;
  uint64_t category_ref = tb_fxt_string_ref(w, TB_STR(TB_FXT_CATEGORY_REST));
  uint64_t words[] = {TB_FXT_LARGE | (uint64_t)TB_FXT_LARGE_BLOB_BARE << 40, category_ref | name_ref << 16, rest.len};
  tb_fxt_write_large(w, words, sizeof(words) / sizeof(*words), rest);
  return first;
}
