/* SPDX-License-Identifier: Apache-2.0 */
#include "json/tokenizer.h"

#include "base/hex.h"
#include "base/utf8.h"

enum {
  SKIP_DEPTH = 64 * 1024, /* deeper nesting is damage */
  HOLE_MIN = 8,           /* so many bytes of one kind in the middle of a string are a hole in the file, */
  HOLE_PADDED = 512,      /* and so many at its end, where fewer fill a field of fixed length */
  BINARY_INVALID = 8,     /* so many pieces that are no UTF-8, */
  BINARY_CONTROLS = 4     /* and so many control characters, are no text of an event but bytes over some events */
};

const char *tb_tokenizer_fail(struct tb_tokenizer *scan, const char *at) {
  scan->at = at;
  scan->status = at >= scan->end ? TB_TOKENIZER_MORE : TB_TOKENIZER_BAD;
  return NULL;
}

static const char *no_memory(struct tb_tokenizer *scan) {
  scan->status = TB_TOKENIZER_NO_MEMORY;
  return NULL;
}

const char *tb_tokenizer_space_run(const char *p) {
  if (*p != ' ' && *p != '\n' && *p != '\r' && *p != '\t') return p;
  if ((unsigned char)*++p > ' ') return p;
#ifdef __SSE2__
  const __m128i space = _mm_set1_epi8(' '), newline = _mm_set1_epi8('\n'), cr = _mm_set1_epi8('\r'),
                tab = _mm_set1_epi8('\t');
  for (;; p += 16) {
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
    __m128i blank = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(v, space), _mm_cmpeq_epi8(v, newline)),
                                 _mm_or_si128(_mm_cmpeq_epi8(v, cr), _mm_cmpeq_epi8(v, tab)));
    unsigned mask = (unsigned)_mm_movemask_epi8(blank) ^ 0xffffu;
    if (mask) return p + __builtin_ctz(mask);
  }
#else
  return tb_tokenizer_space_run(p);
#endif
}

/* ---- strings that need work -------------------------------------------------------------------------------------- */

/* The last byte of the run of zeros, or of 0xff, that begins at `p`; NULL where it is a hole, as a disk leaves it: the
 * string begins in one event then, and ends in another. Also where the text ends there. */
static const char *pass_run(struct tb_tokenizer *scan, const char *p) {
  const char *start = p;
  while (p < scan->end && p - start < HOLE_PADDED && *p == *start) p++;
  if (p >= scan->end && p - start < HOLE_PADDED) return tb_tokenizer_fail(scan, scan->end);
  bool hole = p - start >= HOLE_PADDED || (p - start >= HOLE_MIN && *p != '"');
  return hole ? tb_tokenizer_fail(scan, start) : p - 1;
}

static const char *find_close(struct tb_tokenizer *scan, const char *p) {
  for (; *p != '"'; p++) {
    if (*p == '\\') p++;
    if ((*p == 0 || *p == (char)0xff) && !(p = pass_run(scan, p))) return NULL;
  }
  return p;
}

/* Four hex digits at `p`, or -1. */
static int32_t hex4(const char *p, const char *end) {
  if (end - p < 4) return -1;
  int32_t value = 0;
  for (int i = 0; i < 4; i++) {
    int digit = tb_hex_digit(p[i]);
    if (digit < 0) return -1;
    value = value << 4 | digit;
  }
  return value;
}

/* Resolves \uXXXX (and the low surrogate behind a high one) whose digits start at `p`. Returns the byte after, NULL
 * where there are no four digits. */
static const char *unescape_unicode(const char *p, const char *end, char **out) {
  int32_t c = hex4(p, end);
  if (c < 0) return NULL;
  p += 4;
  if (c >= 0xd800 && c <= 0xdbff && end - p >= 6 && p[0] == '\\' && p[1] == 'u') {
    int32_t low = hex4(p + 2, end);
    if (low >= 0xdc00 && low <= 0xdfff) {
      *out += tb_utf8_encode((uint32_t)(0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00)), *out);
      return p + 6;
    }
  }
  if (c >= 0xd800 && c <= 0xdfff) c = 0xfffd;
  *out += tb_utf8_encode((uint32_t)c, *out);
  return p;
}

/* Resolves the escape behind the backslash before `p`. An escape that JSON does not know stays as it is written. */
static const char *unescape(const char *p, const char *end, char **out) {
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  const char *known = p < end && *p ? strchr(from, *p) : NULL;
  if (known) {
    *(*out)++ = to[known - from];
    return p + 1;
  }
  const char *after = p < end && *p == 'u' ? unescape_unicode(p + 1, end, out) : NULL;
  if (after) return after;
  *(*out)++ = '\\';
  return p;
}

/* [p, end) with escapes resolved and bytes that are no UTF-8 replaced, how often that was in *replaced. `out` has room
 * for three times the length. */
static char *rewrite(struct tb_tokenizer *scan, const char *p, const char *end, char *out, size_t *replaced) {
  while (p < end) {
    if (*p == '\\') {
      p = unescape(p + 1, end, &out);
      continue;
    }
    size_t skip, n = tb_utf8_character(p, end, &skip);
    if (n) {
      memcpy(out, p, n);
      out += n;
      p += n;
    } else {
      memcpy(out, TB_UTF8_REPLACEMENT, 3);
      out += 3;
      if (!scan->invalid) scan->invalid = p;
      p += skip;
      ++*replaced;
    }
  }
  return out;
}

static bool needs_no_change(const char *p, const char *end) {
  while (p < end) {
    size_t skip, n = *p == '\\' ? 0 : tb_utf8_character(p, end, &skip);
    if (!n) return false;
    p += n;
  }
  return true;
}

/* Room behind `used` in the block that was allocated last goes back to the arena. */
static void release_tail(struct tb_arena *arena, char *used) {
  char *at = used + (-(uintptr_t)used & 7);
  if (at < arena->at) arena->at = at;
}

static struct tb_str clean_piece(struct tb_tokenizer *scan, const char *p, const char *end, size_t *replaced) {
  size_t len = (size_t)(end - p);
  if (needs_no_change(p, end)) return (struct tb_str){p, len};
  char *copy = tb_arena_alloc(scan->arena, len * 3 + 4);
  if (!copy) {
    (void)no_memory(scan);
    return (struct tb_str){NULL, 0};
  }
  char *copy_end = rewrite(scan, p, end, copy, replaced);
  release_tail(scan->arena, copy_end);
  return (struct tb_str){copy, (size_t)(copy_end - copy)};
}

struct tb_str tb_tokenizer_piece(struct tb_tokenizer *scan, const char *p, const char *end) {
  size_t replaced = 0;
  return clean_piece(scan, p, end, &replaced);
}

/* White space and what begins the codes of terminals is in texts too. */
static bool is_odd_control(char c) {
  return (unsigned char)c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\x1b';
}

static bool has_controls(const char *p, const char *end) {
  size_t count = 0;
  for (; p < end && count < BINARY_CONTROLS; p++) count += is_odd_control(*p);
  return count == BINARY_CONTROLS;
}

const char *tb_tokenizer_string_slow(struct tb_tokenizer *scan, const char *start, const char *at,
                                     struct tb_str *text) {
  const char *close = find_close(scan, at);
  if (!close) return NULL;
  size_t replaced = 0;
  *text = clean_piece(scan, start, close, &replaced);
  if (replaced >= BINARY_INVALID && has_controls(start, close)) return tb_tokenizer_fail(scan, start);
  return text->ptr ? close + 1 : NULL;
}

const char *tb_tokenizer_name_slow(struct tb_tokenizer *scan, const char *p, struct tb_str *text) {
  const char *end = tb_tokenizer_string(scan, p, text);
  for (const char *at = p; end && at < end; at++)
    if (is_odd_control(*at) || *at == (char)0xff) return tb_tokenizer_fail(scan, at);
  return end;
}

/* ---- numbers, literals ------------------------------------------------------------------------------------------- */

const char *tb_tokenizer_number_slow(struct tb_tokenizer *scan, const char *p, struct tb_decimal *number) {
  const char *end = tb_decimal_parse(p, scan->end, number);
  if (!end) return tb_tokenizer_fail(scan, *p == '-' && p + 1 >= scan->end ? scan->end : p);
  if (end + 2 >= scan->end) { /* digits, or "e+" and digits, may follow */
    const char *rest = end;
    while (rest < scan->end && strchr("eE+-.", *rest)) rest++;
    if (rest == scan->end) return tb_tokenizer_fail(scan, rest);
  }
  return end;
}

const char *tb_tokenizer_literal(struct tb_tokenizer *scan, const char *p) {
  static const struct tb_str words[] = {{"true", 4}, {"false", 5}, {"null", 4}, {"NaN", 3},      {"nan", 3},
                                        {"inf", 3},  {"Inf", 3},   {"INF", 3},  {"Infinity", 8}, {"infinity", 8}};
  const char *word = *p == '-' || *p == '+' ? p + 1 : p, *end = word;
  while ((*end >= 'a' && *end <= 'z') || (*end >= 'A' && *end <= 'Z')) end++;
  if (end >= scan->end) return tb_tokenizer_fail(scan, scan->end);
  for (size_t i = word > p ? 3 : 0; i < sizeof(words) / sizeof(words[0]); i++)
    if (tb_str_equal(words[i], (struct tb_str){word, (size_t)(end - word)})) return end;
  return tb_tokenizer_fail(scan, p);
}

/* ---- whole values ------------------------------------------------------------------------------------------------ */

static const char *skip_scalar(struct tb_tokenizer *scan, const char *p) {
  struct tb_str text;
  struct tb_decimal number;
  if (*p == '"') return tb_tokenizer_string(scan, p + 1, &text);
  if ((*p >= '0' && *p <= '9') || (*p == '-' && p[1] >= '0' && p[1] <= '9'))
    return tb_tokenizer_number(scan, p, &number);
  return tb_tokenizer_literal(scan, p);
}

/* The kinds of the containers that are open, a bit each. */
struct nesting {
  size_t depth;
  uint64_t objects[SKIP_DEPTH / 64];
};

static bool in_object(const struct nesting *n) { return n->objects[(n->depth - 1) / 64] >> ((n->depth - 1) % 64) & 1; }

static bool open_container(struct nesting *n, bool is_object) {
  if (n->depth == SKIP_DEPTH) return false;
  uint64_t bit = UINT64_C(1) << (n->depth % 64), *word = &n->objects[n->depth / 64];
  *word = is_object ? *word | bit : *word & ~bit;
  n->depth++;
  return true;
}

static const char *skip_key(struct tb_tokenizer *scan, const char *p) {
  struct tb_str key;
  if (*p != '"') return tb_tokenizer_fail(scan, p);
  p = tb_tokenizer_name(scan, p + 1, &key);
  if (!p) return NULL;
  p = tb_tokenizer_space(p);
  return *p == ':' ? tb_tokenizer_space(p + 1) : tb_tokenizer_fail(scan, p);
}

/* Behind a value: closes what closes there and passes a comma. */
static const char *skip_closers(struct tb_tokenizer *scan, struct nesting *n, const char *p) {
  while (n->depth) {
    p = tb_tokenizer_space(p);
    if (*p == ',')
      p = tb_tokenizer_space(p + 1);
    else if (*p != '}' && *p != ']')
      return tb_tokenizer_fail(scan, p);
    if (*p != '}' && *p != ']') return p;
    if ((*p == '}') != in_object(n)) return tb_tokenizer_fail(scan, p);
    n->depth--;
    p++;
  }
  return p;
}

const char *tb_tokenizer_skip_value(struct tb_tokenizer *scan, const char *p) {
  struct nesting nesting = {.depth = 0};
  do {
    if (nesting.depth && in_object(&nesting)) p = skip_key(scan, p);
    if (!p) return NULL;
    if (*p != '{' && *p != '[') {
      p = skip_scalar(scan, p);
      if (!p) return NULL;
    } else {
      if (!open_container(&nesting, *p == '{')) return tb_tokenizer_fail(scan, p);
      char close = *p == '{' ? '}' : ']';
      p = tb_tokenizer_space(p + 1);
      if (*p != close) continue;
      nesting.depth--;
      p++;
    }
    p = skip_closers(scan, &nesting, p);
  } while (p && nesting.depth);
  return p;
}

static bool is_control(char c) { return (unsigned char)c < ' '; }

static bool raw_is_clean(const char *p, const char *end) {
  bool in_string = false;
  for (; p < end; p++) {
    if (*p == '"') in_string = !in_string;
    if (in_string && *p == '\\') p++;
    if ((unsigned char)*p >= 0x80 || (in_string && is_control(*p))) return false;
  }
  return true;
}

/* One character of raw text to `out`; returns the byte after it. */
static const char *clean_character(const char *p, const char *end, bool in_string, char **out) {
  static const char hex[] = "0123456789abcdef";
  size_t skip, n = tb_utf8_character(p, end, &skip);
  if (in_string && is_control(*p)) {
    unsigned char c = (unsigned char)*p;
    const char escaped[6] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
    memcpy(*out, escaped, 6);
    *out += 6;
    return p + 1;
  }
  memcpy(*out, n ? p : TB_UTF8_REPLACEMENT, n ? n : 3);
  *out += n ? n : 3;
  return p + (n ? n : skip);
}

struct tb_str tb_tokenizer_raw(struct tb_tokenizer *scan, const char *p, const char *end) {
  size_t len = (size_t)(end - p);
  if (raw_is_clean(p, end)) return (struct tb_str){p, len};
  char *copy = tb_arena_alloc(scan->arena, len * 6 + 4), *out = copy;
  if (!copy) {
    (void)no_memory(scan);
    return (struct tb_str){NULL, 0};
  }
  for (bool in_string = false; p < end;) {
    if (*p == '"') in_string = !in_string;
    if (in_string && *p == '\\' && p + 1 < end) *out++ = *p++;
    p = clean_character(p, end, in_string, &out);
  }
  release_tail(scan->arena, out);
  return (struct tb_str){copy, (size_t)(out - copy)};
}
