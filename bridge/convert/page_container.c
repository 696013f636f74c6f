/* SPDX-License-Identifier: Apache-2.0
 *
 * HTML pages with traces in them as containers. Three generations of tools wrote them:
 *
 *   systrace, the first      <script> var linuxPerfData = "# tracer: nop\n\ ..." </script>, a string of JavaScript
 *   systrace, later          <script class="trace-data" type="application/text"> the text itself, or base64 </script>
 *   trace2html               <script id="viewer-data" type="..."> base64 of gzip, in lines </script>
 *
 * All else in the page is the viewer, which may be megabytes of JavaScript on few lines. The page is read through a
 * window, so that it may be of any size. As in a browser, what is inside a script ends at "</script", whatever it is.
 */
#include <strings.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/memory.h"
#include "convert/containers.h"

enum { WINDOW_BYTES = 64 * 1024, TAG_MAX = 1024, BASE64_LOOK = 12 };

static const char SCRIPT[] = "<script", SCRIPT_END[] = "</script", VARIABLE[] = "linuxPerfData";

enum page_place { OUTSIDE, IN_SCRIPT };
enum page_encoding { AS_IT_IS, IN_BASE64, IN_STRING };

struct page_state {
  const struct tb_allocator *allocator;
  struct tb_input *input;
  char *window; /* bytes not yet used are [at, len) of it */
  size_t at, len;
  bool at_end;
  enum tb_status failed; /* of the input; and *error */
  struct tb_error error;
  enum page_place place;
  bool in_part;
  enum page_encoding encoding;
  uint32_t bits; /* of base64, not yet given: the last `bit_count` */
  unsigned bit_count;
  bool bad; /* something in the part was no base64 */
};

static size_t skip_blanks(const char *data, size_t len, size_t at) {
  while (at < len && (data[at] == ' ' || (data[at] >= '\t' && data[at] <= '\r'))) at++;
  return at;
}

static bool is_at(const char *data, size_t len, const char *word) {
  size_t n = strlen(word);
  return len >= n && strncasecmp(data, word, n) == 0;
}

static bool detect(const char *data, size_t len) {
  static const char bom[] = "\xef\xbb\xbf";
  size_t at = len >= 3 && memcmp(data, bom, 3) == 0 ? 3 : 0;
  at = skip_blanks(data, len, at);
  return is_at(data + at, len - at, "<!DOCTYPE html") || is_at(data + at, len - at, "<html");
}

/* ---- the window -------------------------------------------------------------------------------------------------- */

/* Sees that `n` bytes are there to be used, or all that there are. Returns how many are. */
static size_t see(struct page_state *p, size_t n) {
  if (p->len - p->at < n && p->at) {
    memmove(p->window, p->window + p->at, p->len - p->at);
    p->len -= p->at;
    p->at = 0;
  }
  while (p->len - p->at < n && !p->at_end) {
    size_t got = 0;
    enum tb_status status = tb_input_read(p->input, p->window + p->len, WINDOW_BYTES - p->len, &got, &p->error);
    p->len += got;
    p->at_end = status != TB_OK;
    if (p->at_end && status != TB_END) p->failed = status;
  }
  return p->len - p->at;
}

static bool is_next(struct page_state *p, const char *word) {
  size_t n = see(p, strlen(word));
  return is_at(p->window + p->at, n, word);
}

/* Goes to the first place where one of the words is (`other` may be NULL). Returns which, NULL for none. */
static const char *go_to(struct page_state *p, const char *word, const char *other) {
  for (; see(p, TAG_MAX); p->at++) {
    while (p->at < p->len && p->window[p->at] != word[0] && (!other || p->window[p->at] != other[0])) p->at++;
    if (is_next(p, word)) return word;
    if (other && is_next(p, other)) return other;
    if (p->at == p->len) p->at--; /* the loop goes on one further */
  }
  return NULL;
}

/* ---- from one trace to the next ---------------------------------------------------------------------------------- */

/* Behind "<script": whether the rest of the tag says that a trace is inside. */
static bool is_trace_tag(struct page_state *p) {
  size_t n = see(p, TAG_MAX);
  const char *tag = p->window + p->at, *end = memchr(tag, '>', n);
  if (!end) return false;
  n = (size_t)(end - tag);
  p->at += n + 1;
  return memmem(tag, n, "trace-data", 10) || memmem(tag, n, "viewer-data", 11);
}

/* Whether what follows is base64 of something compressed, or of JSON or ftrace text. */
static bool is_base64(struct page_state *p) {
  char bytes[BASE64_LOOK];
  size_t n = see(p, TAG_MAX), at = skip_blanks(p->window + p->at, n, 0), len;
  if (n - at < BASE64_LOOK) return false;
  struct tb_str text = {p->window + p->at + at, BASE64_LOOK};
  if (tb_base64_decode(text, bytes, &len) != TB_OK || len < 2) return false;
  return (bytes[0] == '\x1f' && bytes[1] == '\x8b') || bytes[0] == '\x78' || memchr("{[#", bytes[0], 3);
}

/* Behind the variable's name: whether it gets a string. The string's first byte is then next. */
static bool is_assignment(struct page_state *p) {
  size_t n = see(p, TAG_MAX);
  const char *data = p->window + p->at;
  size_t at = skip_blanks(data, n, 0);
  if (at == n || data[at] != '=') return false;
  at = skip_blanks(data, n, at + 1);
  if (at == n || data[at] != '"') return false;
  p->at += at + 1;
  return true;
}

static void begin_part(struct page_state *p, enum page_encoding encoding) {
  p->in_part = true;
  p->encoding = encoding;
  p->bits = p->bit_count = 0;
  p->bad = false;
}

static void look_in_script(struct page_state *p) {
  const char *found = go_to(p, VARIABLE, SCRIPT_END);
  p->place = found == VARIABLE ? IN_SCRIPT : OUTSIDE;
  if (found != VARIABLE) return;
  p->at += sizeof(VARIABLE) - 1;
  if (is_assignment(p)) begin_part(p, IN_STRING);
}

static void look_for_script(struct page_state *p) {
  if (!go_to(p, SCRIPT, NULL)) return;
  p->at += sizeof(SCRIPT) - 1;
  if (is_trace_tag(p))
    begin_part(p, is_base64(p) ? IN_BASE64 : AS_IT_IS);
  else
    p->place = IN_SCRIPT;
}

static enum tb_status read_part(void *state, char *to, size_t capacity, size_t *got, struct tb_error *error);

static enum tb_status next_part(void *state, const char **name, struct tb_error *error) {
  struct page_state *p = state;
  char ignored[TAG_MAX];
  size_t got;
  while (p->in_part) /* how it ends is of no interest: it is passed over */
    if (read_part(p, ignored, sizeof(ignored), &got, error) != TB_OK) break;
  while (!p->in_part && see(p, 1))
    if (p->place == IN_SCRIPT)
      look_in_script(p);
    else
      look_for_script(p);
  *name = NULL;
  if (p->in_part) return TB_OK;
  if (p->failed != TB_IO && p->failed != TB_NO_MEMORY) return TB_END;
  if (error && error->code == TB_OK) *error = p->error;
  return p->failed;
}

/* ---- what is in a part ------------------------------------------------------------------------------------------- */

/* Bytes up to the next '<'; with it, where it ends nothing. */
static size_t read_text(struct page_state *p, char *to, size_t capacity) {
  size_t n = see(p, sizeof(SCRIPT_END) - 1);
  if (n && is_next(p, SCRIPT_END)) p->in_part = false;
  if (!n || !p->in_part) return 0;
  const char *from = p->window + p->at, *stop = n > 1 ? memchr(from + 1, '<', n - 1) : NULL;
  size_t len = stop ? (size_t)(stop - from) : n;
  if (len > capacity) len = capacity;
  memcpy(to, from, len);
  p->at += len;
  return len;
}

static size_t read_base64(struct page_state *p, char *to, size_t capacity) {
  size_t len = 0;
  while (len < capacity && see(p, 1)) {
    char c = p->window[p->at];
    int value = tb_base64_digit(c);
    if (c == '<') break;
    p->at++;
    if (c == '=') p->bit_count = 0;
    if (value < 0) {
      p->bad |= c != '=' && skip_blanks(&c, 1, 0) == 0;
      continue;
    }
    p->bits = p->bits << 6 | (uint32_t)value;
    p->bit_count += 6;
    if (p->bit_count < 8) continue;
    p->bit_count -= 8;
    to[len++] = (char)(p->bits >> p->bit_count & 0xff);
  }
  if (!len) p->in_part = false;
  return len;
}

static int hex_value(const char *digits, size_t count) {
  int value = 0;
  for (size_t i = 0; i < count; i++) {
    char c = (char)(digits[i] | 0x20);
    if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) return -1;
    value = value << 4 | (c <= '9' ? c - '0' : c - 'a' + 10);
  }
  return value;
}

/* Behind a backslash. Returns the byte that the escape stands for, -1 for none: the end of a line, or what no ftrace
 * text has. */
static int read_escape(struct page_state *p) {
  static const char letters[] = "ntrbfv", bytes[] = "\n\t\r\b\f\v";
  size_t n = see(p, 5);
  if (!n) return -1;
  const char *from = p->window + p->at;
  const char *letter = *from ? strchr(letters, *from) : NULL;
  size_t digits = *from == 'x' ? 2 : *from == 'u' ? 4 : 0;
  int value = digits && n > digits ? hex_value(from + 1, digits) : -1;
  p->at += 1 + (value >= 0 ? digits : 0);
  if (value >= 0) return value < 0x100 ? value : '?';
  if (letter) return bytes[letter - letters];
  return *from == '\n' || *from == '\r' ? -1 : *from;
}

static size_t read_string(struct page_state *p, char *to, size_t capacity) {
  size_t len = 0;
  while (len < capacity && see(p, 1)) {
    char c = p->window[p->at++];
    if (c == '"') {
      p->in_part = false;
      break;
    }
    int byte = c == '\\' ? read_escape(p) : (unsigned char)c;
    if (byte >= 0) to[len++] = (char)byte;
  }
  return len;
}

/* A page that is cut has its last trace cut. */
static enum tb_status read_part(void *state, char *to, size_t capacity, size_t *got, struct tb_error *error) {
  struct page_state *p = state;
  *got = 0;
  if (!p->in_part) return p->bad ? TB_TRUNCATED : TB_END;
  if (p->encoding == AS_IT_IS)
    *got = read_text(p, to, capacity);
  else if (p->encoding == IN_BASE64)
    *got = read_base64(p, to, capacity);
  else
    *got = read_string(p, to, capacity);
  if (*got) return TB_OK;
  bool ended = !p->in_part;
  p->in_part = false;
  if (p->bad) return TB_TRUNCATED;
  if (p->failed == TB_OK) return ended || p->at_end ? TB_END : TB_TRUNCATED;
  if (p->failed != TB_TRUNCATED && error && error->code == TB_OK) *error = p->error;
  return p->failed;
}

/* ---- open and close ---------------------------------------------------------------------------------------------- */

static void close_page(void *state) {
  struct page_state *p = state;
  tb_free(p->allocator, p->window, WINDOW_BYTES);
  tb_free(p->allocator, p, sizeof(*p));
}

static enum tb_status open_page(struct tb_input *input, const struct tb_allocator *allocator, void **state,
                                struct tb_error *error) {
  struct page_state *p = tb_calloc(allocator, sizeof(*p));
  char *window = p ? tb_alloc(allocator, WINDOW_BYTES) : NULL;
  if (!window) {
    tb_free(allocator, p, sizeof(*p));
    return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  }
  p->allocator = allocator;
  p->input = input;
  p->window = window;
  *state = p;
  return TB_OK;
}

const struct tb_container_ops tb_page_container = {
    .what = "page", .detect = detect, .open = open_page, .next = next_part, .read = read_part, .close = close_page};
