/* SPDX-License-Identifier: Apache-2.0 */
#include "convert/format_lookalike.h"

#include <string.h>

#include "convert/format_detect.h"
#include "ftrace/line_parser.h"
#include "io/output.h"
#include "io/tar_magic.h"

_Static_assert((int)TB_LOOKALIKE_BYTES <= (int)TB_OUTPUT_PADDING_MAX, "readers look at the padding alone");

enum { DETECT_BYTES = 4096, STACK_LINES = 3 };

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static size_t skip_blanks(const char *start, size_t len, size_t at) {
  while (at < len && is_blank(start[at])) at++;
  return at;
}

/* {" or [{" at the start, with blanks anywhere. The first byte of a packet is one; lengths and tags may be the rest. */
static bool is_json(const char *start, size_t len) {
  size_t at = skip_blanks(start, len, 0);
  if (at < len && start[at] == '[') at = skip_blanks(start, len, at + 1);
  if (at == len || start[at] != '{') return false;
  at = skip_blanks(start, len, at + 1);
  return at < len && start[at] == '"';
}

static bool has_words(const char *start, size_t len) {
  return memmem(start, len, "# tracer", 8) || memmem(start, len, "TRACE:\n", 7);
}

/* ---- lines of text ----------------------------------------------------------------------------------------------- */

/* A collapsed stack: frame;frame;frame and a count. */
static bool is_stack(struct tb_str line) {
  const char *count = memrchr(line.ptr, ' ', line.len);
  if (!count || !memchr(line.ptr, ';', (size_t)(count - line.ptr))) return false;
  for (const char *p = count + 1; p < line.ptr + line.len; p++)
    if (!is_digit(*p)) return false;
  return true;
}

/* What strace writes: a time, or a process and a time, and a call. */
static bool is_call(struct tb_str line) {
  static const char before[] = "0123456789_ .:[]<abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  size_t at = 0;
  while (at < line.len && memchr(before, line.ptr[at], sizeof(before) - 1)) at++;
  return at < line.len && (line.ptr[at] == '(' || line.ptr[at] == '>') && (is_digit(line.ptr[0]) || line.ptr[0] == '[');
}

/* Whether the first lines that are not empty are a collapsed stack or a call that strace wrote. */
static bool has_lines(const char *start, size_t len) {
  size_t stacks = 0;
  bool first = true;
  for (const char *p = start, *end = start + len; p < end && stacks < STACK_LINES;) {
    const char *stop = memchr(p, '\n', (size_t)(end - p));
    struct tb_str line = tb_ftrace_trimmed((struct tb_str){p, (size_t)((stop ? stop : end) - p)});
    p = stop ? stop + 1 : end;
    if (!line.len) continue;
    if (first && is_call(line)) return true;
    first = first && line.len >= 8 && memcmp(line.ptr, "strace: ", 8) == 0;
    if (line.ptr[0] == '#') continue;
    if (!is_stack(line)) return false;
    stacks++;
  }
  return stacks > 0;
}

bool tb_looks_like_other_format(const char *start, size_t len) {
  size_t near = len < TB_LOOKALIKE_BYTES ? len : TB_LOOKALIKE_BYTES;
  if (tb_looks_like_tar(start, len) || is_json(start, near) || has_words(start, near) || has_lines(start, len))
    return true;
  return tb_format_detect(start, len < DETECT_BYTES ? len : DETECT_BYTES) != TB_FORMAT_PERFETTO;
}
