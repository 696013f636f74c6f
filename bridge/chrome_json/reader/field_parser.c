/* SPDX-License-Identifier: Apache-2.0 */
#include "chrome_json/reader/field_parser.h"

#include "base/hex.h"

enum { STACK_FRAMES_MAX = 4096, MICROSECONDS = 3 /* powers of ten from ns */ };

static const char *no_fit(struct tb_tokenizer *scan) {
  scan->status = TB_TOKENIZER_OK;
  return NULL;
}

static bool starts_number(const char *p) {
  if (*p == '-') p++;
  return *p >= '0' && *p <= '9';
}

/* A number, or a string that is all number. */
static const char *number_or_text(struct tb_tokenizer *scan, const char *p, struct tb_decimal *number) {
  if (starts_number(p)) return tb_tokenizer_number(scan, p, number);
  if (*p != '"') return no_fit(scan);
  struct tb_str text;
  const char *end = tb_tokenizer_string(scan, p + 1, &text);
  if (!end) return NULL;
  if (tb_decimal_parse(text.ptr, text.ptr + text.len, number) != text.ptr + text.len) return no_fit(scan);
  return end;
}

const char *tb_json_time_slow(struct tb_tokenizer *scan, const char *p, int64_t *ns) {
  struct tb_decimal number;
  const char *end = number_or_text(scan, p, &number);
  if (end && !tb_decimal_to_int(&number, MICROSECONDS, ns)) return no_fit(scan);
  return end;
}

/* Digits as a number is written: an integer whose text is no other one's. */
static bool is_canonical(struct tb_str text, int64_t *value) {
  enum { DIGITS = 19 };
  size_t first = text.ptr[0] == '-';
  if (text.len == first || text.len - first > DIGITS || (text.ptr[first] == '0' && text.len > 1)) return false;
  uint64_t number = 0;
  for (size_t i = first; i < text.len; i++) {
    if (text.ptr[i] < '0' || text.ptr[i] > '9') return false;
    number = number * 10 + (uint64_t)(text.ptr[i] - '0');
  }
  if (number > INT64_MAX) return false;
  *value = first ? -(int64_t)number : (int64_t)number;
  return true;
}

static bool is_digits(const char *p, const char *end) {
  while (p < end && *p >= '0' && *p <= '9') p++;
  return p == end;
}

const char *tb_json_process_id_slow(struct tb_tokenizer *scan, const char *p, struct tb_json_id *id) {
  if (*p == '"') {
    struct tb_str text;
    const char *end = tb_tokenizer_string(scan, p + 1, &text);
    if (end && !text.len) return no_fit(scan); /* names nothing; Perfetto's importer has it as absent too */
    if (!end) return NULL;
    *id = (struct tb_json_id){.kind = TB_JSON_ID_TEXT, .text = text};
    if (is_canonical(text, &id->number)) id->kind = TB_JSON_ID_NUMBER;
    return end;
  }
  struct tb_decimal number;
  if (!starts_number(p)) return no_fit(scan);
  const char *end = tb_tokenizer_number(scan, p, &number);
  if (!end) return NULL;
  int64_t value;
  uint64_t whole;
  struct tb_decimal positive = number;
  positive.negative = false;
  if (tb_decimal_to_uint(&positive, &whole) && tb_decimal_to_int(&number, 0, &value))
    *id = (struct tb_json_id){.kind = TB_JSON_ID_NUMBER, .number = value};
  else
    *id = (struct tb_json_id){.kind = TB_JSON_ID_TEXT, .text = {p, (size_t)(end - p)}, .is_digits = is_digits(p, end)};
  return end;
}

/* ---- ids --------------------------------------------------------------------------------------------------------- */

static bool decimal_value(struct tb_str text, uint64_t *value) {
  struct tb_decimal number;
  if (!text.len || text.ptr[0] == '+' || text.ptr[0] == '-') return false;
  if (tb_decimal_parse(text.ptr, text.ptr + text.len, &number) != text.ptr + text.len) return false;
  return number.integer && tb_decimal_to_uint(&number, value);
}

const char *tb_json_id(struct tb_tokenizer *scan, const char *p, struct tb_id *id) {
  struct tb_str text;
  const char *end;
  if (*p == '"') {
    end = tb_tokenizer_string(scan, p + 1, &text);
  } else if (starts_number(p)) {
    struct tb_decimal number;
    end = tb_tokenizer_number(scan, p, &number);
    if (end) text = (struct tb_str){p, (size_t)(end - p)};
  } else {
    return no_fit(scan);
  }
  if (!end) return NULL;
  *id = (struct tb_id){.kind = TB_ID_PLAIN, .text = text};
  id->is_number = tb_hex_parse_prefixed(text, &id->value) || decimal_value(text, &id->value);
  return end;
}

/* {"local": id} or {"global": id}; an object of any other form does not fit. */
const char *tb_json_id2(struct tb_tokenizer *scan, const char *p, struct tb_id *id) {
  if (*p != '{') return no_fit(scan);
  p = tb_tokenizer_space(p + 1);
  if (*p != '"') return *p == '}' ? no_fit(scan) : tb_tokenizer_fail(scan, p);
  struct tb_str key;
  struct tb_id found;
  p = tb_tokenizer_string(scan, p + 1, &key);
  if (!p) return NULL;
  p = tb_tokenizer_space(p);
  if (*p != ':') return tb_tokenizer_fail(scan, p);
  p = tb_json_id(scan, tb_tokenizer_space(p + 1), &found);
  if (!p) return NULL;
  p = tb_tokenizer_space(p);
  if (p >= scan->end) return tb_tokenizer_fail(scan, p);
  if (*p != '}') return no_fit(scan);
  if (tb_str_equal(key, TB_STR("local")))
    found.kind = TB_ID_LOCAL;
  else if (tb_str_equal(key, TB_STR("global")))
    found.kind = TB_ID_GLOBAL;
  else
    return no_fit(scan);
  *id = found;
  return p + 1;
}

/* ---- stacks, flags ----------------------------------------------------------------------------------------------- */

const char *tb_json_frame_ref(struct tb_tokenizer *scan, const char *p, struct tb_stack *stack) {
  struct tb_id id;
  const char *end = tb_json_id(scan, p, &id);
  if (end) stack->ref = id.text;
  return end;
}

/* An array of strings, root first (Trace Event Format, "Stack Traces on Duration Events"). */
const char *tb_json_stack(struct tb_tokenizer *scan, const char *p, struct tb_stack *stack) {
  if (*p != '[') return no_fit(scan);
  size_t capacity = 0, count = 0;
  struct tb_frame *frames = NULL;
  for (p = tb_tokenizer_space(p + 1); *p != ']';) {
    struct tb_str text;
    if (*p != '"') return p >= scan->end ? tb_tokenizer_fail(scan, p) : no_fit(scan);
    p = tb_tokenizer_string(scan, p + 1, &text);
    if (!p) return NULL;
    if (count == capacity) {
      if (capacity >= STACK_FRAMES_MAX) return no_fit(scan);
      capacity = capacity ? capacity * 2 : 16;
      struct tb_frame *more = tb_arena_alloc(scan->arena, capacity * sizeof(*more));
      if (!more) {
        scan->status = TB_TOKENIZER_NO_MEMORY;
        return NULL;
      }
      if (count) memcpy(more, frames, count * sizeof(*more));
      frames = more;
    }
    frames[count] = (struct tb_frame){.function = text};
    (void)tb_hex_parse_prefixed(text, &frames[count].pc);
    count++;
    p = tb_tokenizer_space(p);
    if (*p == ',')
      p = tb_tokenizer_space(p + 1);
    else if (*p != ']')
      return tb_tokenizer_fail(scan, p);
  }
  stack->frames = frames;
  stack->frame_count = (uint32_t)count;
  return p + 1;
}

/* true, or a number or string that is 1; false where it is false or 0. */
const char *tb_json_flag(struct tb_tokenizer *scan, const char *p, bool *flag) {
  if (*p == 't' || *p == 'f') {
    const char *end = tb_tokenizer_literal(scan, p);
    if (end) *flag = *p == 't';
    return end;
  }
  struct tb_decimal number;
  const char *end = number_or_text(scan, p, &number);
  if (!end) return NULL;
  if (number.exponent != 0 || number.mantissa > 1) return no_fit(scan);
  *flag = number.mantissa == 1;
  return end;
}
