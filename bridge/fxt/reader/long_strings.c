/* SPDX-License-Identifier: Apache-2.0
 *
 * Joins texts of arguments that are longer than FXT's strings may be: what is behind the longest string stands in a
 * large blob before the argument's record (fxt/writer/long_strings.c).
 */
#include "fxt/reader/reader.h"

/* One rest in fx->rests, before its texts. */
struct rest {
  size_t name_len, text_len;
};

enum tb_status tb_fxt_keep_rest(struct tb_fxt_reader *fx, struct tb_str name, struct tb_str text) {
  struct rest rest = {name.len, text.len};
  size_t size = sizeof(rest) + name.len + text.len, limit = fx->reader->options.max_record_bytes;
  if (size > limit || fx->rests.len > limit - size) {
    fx->rests.len = 0;
    return tb_fxt_lose(fx, "the ends of more long texts than a record's arguments may have", NULL);
  }
  enum tb_status status = tb_buffer_append(&fx->rests, &rest, sizeof(rest));
  if (status == TB_OK) status = tb_buffer_append(&fx->rests, name.ptr, name.len);
  if (status == TB_OK) status = tb_buffer_append(&fx->rests, text.ptr, text.len);
  return tb_fxt_no_memory(fx, status);
}

enum tb_status tb_fxt_join_rest(struct tb_fxt_reader *fx, struct tb_arg *arg) {
  struct rest rest;
  const char *at = fx->rests.data + fx->rests_read;
  memcpy(&rest, at, sizeof(rest));
  at += sizeof(rest);
  if (!tb_str_equal((struct tb_str){at, rest.name_len}, arg->name)) return TB_OK;
  at += rest.name_len;
  char *whole = tb_arena_alloc(&fx->batch->arena, arg->text.len + rest.text_len);
  if (!whole) return tb_fxt_no_memory(fx, TB_NO_MEMORY);
  if (arg->text.len) memcpy(whole, arg->text.ptr, arg->text.len);
  if (rest.text_len) memcpy(whole + arg->text.len, at, rest.text_len);
  arg->text = (struct tb_str){whole, arg->text.len + rest.text_len};
  fx->rests_read = (size_t)(at - fx->rests.data) + rest.text_len;
  return tb_fxt_no_memory(fx, tb_fxt_text_repair(&fx->batch->arena, &arg->text));
}
