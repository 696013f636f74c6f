/* SPDX-License-Identifier: Apache-2.0
 *
 * Joins texts of arguments that are longer than FXT's strings may be: what is behind the longest string is in a large
 * blob before the argument's record (fxt/writer/long_strings.c).
 */
#include "base/utf8.h"
#include "fxt/reader/reader.h"

/* One continuation in fx->continuations, before its texts. */
struct continuation {
  size_t name_len, text_len;
};

enum tb_status tb_fxt_keep_continuation(struct tb_fxt_reader *fx, struct tb_str name, struct tb_str text) {
  struct continuation more = {name.len, text.len};
  size_t size = sizeof(more) + name.len + text.len, limit = fx->reader->options.max_record_bytes;
  if (size > limit || fx->continuations.len > limit - size) {
    fx->continuations.len = 0;
    return tb_fxt_lose(fx, "the ends of more long texts than a record's arguments may have", NULL);
  }
  enum tb_status status = tb_buffer_append(&fx->continuations, &more, sizeof(more));
  if (status == TB_OK) status = tb_buffer_append(&fx->continuations, name.ptr, name.len);
  if (status == TB_OK) status = tb_buffer_append(&fx->continuations, text.ptr, text.len);
  return tb_fxt_no_memory(fx, status);
}

enum tb_status tb_fxt_join_continuation(struct tb_fxt_reader *fx, struct tb_arg *arg) {
  struct continuation more;
  const char *at = fx->continuations.data + fx->continuations_read;
  memcpy(&more, at, sizeof(more));
  at += sizeof(more);
  if (!tb_str_equal((struct tb_str){at, more.name_len}, arg->name)) return TB_OK;
  at += more.name_len;
  char *whole = tb_arena_alloc(&fx->batch->arena, arg->text.len + more.text_len);
  if (!whole) return tb_fxt_no_memory(fx, TB_NO_MEMORY);
  if (arg->text.len) memcpy(whole, arg->text.ptr, arg->text.len);
  if (more.text_len) memcpy(whole + arg->text.len, at, more.text_len);
  arg->text = (struct tb_str){whole, arg->text.len + more.text_len};
  fx->continuations_read = (size_t)(at - fx->continuations.data) + more.text_len;
  return tb_fxt_no_memory(fx, tb_utf8_repair(&fx->batch->arena, &arg->text));
}
