/* SPDX-License-Identifier: Apache-2.0 */
#include "json/value.h"

#include "chrome_json/reader/reader.h"

uint32_t tb_json_parse_value(struct tb_arena *arena, struct tb_str text, struct tb_arg **args) {
  char *copy = tb_arena_alloc(arena, text.len + 1 + TB_BATCH_PADDING);
  struct tb_json_sink sink = {.capacity = text.len / 2 + 1};
  sink.args = tb_arena_alloc(arena, sink.capacity * sizeof(*sink.args));
  if (!copy || !sink.args) return 0;
  if (text.len) memcpy(copy, text.ptr, text.len);
  memset(copy + text.len, 0, TB_BATCH_PADDING + 1);
  copy[text.len] = '\n'; /* so that a number at the end is known to be whole */
  struct tb_tokenizer scan = {.end = copy + text.len + 1, .arena = arena};
  const char *end = tb_json_value(&scan, &sink, tb_tokenizer_space(copy), (struct tb_str){NULL, 0}, 0);
  if (!end || tb_tokenizer_space(end) != scan.end) return 0;
  *args = sink.args;
  return (uint32_t)sink.count;
}
