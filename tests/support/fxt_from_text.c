/* SPDX-License-Identifier: Apache-2.0
 *
 * fxt_from_text IN OUT: makes an FXT archive of the text IN, a record a line, as `tracebridge dump` prints them. So
 * traces for tests are text. A line is an offset, which is not looked at and may be left out, the record's kind, and
 * `key=value` for its parts; arguments are `type:"name"=value`. A value is a number (decimal, 0x… or -…), "text"
 * with \" \\ \n \xHH, or a reference #INDEX, behind which anything may be in parentheses. Empty lines and those that
 * begin with # are passed over.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORDS = 1 << 16, MAX_TOKENS = 64, MAX_LINE = 1 << 18, INLINE = 0x8000 };

struct token {
  char *key; /* up to the '=', which is a zero now; NULL where there is none */
  char *value;
  bool used;
};

static uint64_t words[MAX_WORDS];
static size_t word_count;
static struct token tokens[MAX_TOKENS];
static size_t token_count;
static unsigned line_number;

static void die(const char *what, const char *which) {
  fprintf(stderr, "line %u: %s%s%s\n", line_number, what, which ? " " : "", which ? which : "");
  exit(1);
}

/* ---- tokens ------------------------------------------------------------------------------------------------------ */

/* The end of the part that begins at `at`, and its first '=' outside of texts, NULL where it has none. */
static char *end_of_part(char *at, char **equals) {
  bool in_text = false, in_brackets = false;
  *equals = NULL;
  for (; *at && (in_text || in_brackets || (*at != ' ' && *at != '\n')); at++) {
    if (in_text && *at == '\\' && at[1])
      at++;
    else if (*at == '"')
      in_text = !in_text;
    else if (!in_text && (*at == '(' || *at == ')'))
      in_brackets = *at == '(';
    else if (!in_text && *at == '=' && !*equals)
      *equals = at;
  }
  return at;
}

static void split(char *line) {
  for (token_count = 0;; token_count++) {
    while (*line == ' ' || *line == '\n') line++;
    if (!*line) return;
    if (token_count == MAX_TOKENS) die("too many parts", NULL);
    char *equals, *end = end_of_part(line, &equals);
    tokens[token_count] = (struct token){.key = equals ? line : NULL, .value = equals ? equals + 1 : line};
    if (equals) *equals = '\0';
    line = *end ? end + 1 : end;
    *end = '\0';
  }
}

static char *find(const char *key) {
  for (size_t i = 0; i < token_count; i++)
    if (tokens[i].key && strcmp(tokens[i].key, key) == 0) {
      tokens[i].used = true;
      return tokens[i].value;
    }
  return NULL;
}

static uint64_t number_of(const char *text) {
  char *end;
  uint64_t value = strtoull(text, &end, 0);
  if (end == text || (*end && *end != '(')) die("no number:", text);
  return value;
}

static uint64_t number(const char *key) {
  char *text = find(key);
  if (!text) die("no", key);
  return number_of(text);
}

static uint64_t number_or(const char *key, uint64_t otherwise) { return find(key) ? number(key) : otherwise; }

/* ---- words ------------------------------------------------------------------------------------------------------- */

static void put(uint64_t word) {
  if (word_count == MAX_WORDS) die("too long a record", NULL);
  words[word_count++] = word;
}

static void put_stream(const char *bytes, size_t len) {
  for (size_t i = 0; i < len; i += 8) {
    uint64_t word = 0;
    memcpy(&word, bytes + i, len - i < 8 ? len - i : 8);
    put(word);
  }
}

/* Undoes escapes in place; the length is returned. */
static size_t unquote(char *text, char **from) {
  if (*text != '"') die("no text:", text);
  char *to = ++text;
  *from = text;
  for (; *text && *text != '"'; text++) {
    if (*text != '\\') {
      *to++ = *text;
    } else if (*++text == 'x') {
      const char digits[] = {text[1], text[2], '\0'};
      *to++ = (char)strtoul(digits, NULL, 16);
      text += 2;
    } else {
      *to++ = *text == 'n' ? '\n' : *text;
    }
  }
  return (size_t)(to - *from);
}

struct text {
  uint64_t ref;
  char *bytes;
  size_t len;
};

/* The reference that stands for a text's value: 0 where there is none. */
static struct text text_of(char *value) {
  struct text text = {0};
  if (!value) return text;
  if (*value == '#') {
    text.ref = number_of(value + 1);
  } else {
    text.len = unquote(value, &text.bytes);
    text.ref = text.len || *value != '"' ? INLINE | text.len : 0;
  }
  return text;
}

static void put_text(const struct text *text) {
  if (text->ref & INLINE) put_stream(text->bytes, text->len);
}

/* PROCESS/THREAD or #INDEX. */
struct thread {
  uint64_t ref, process, koid;
};

static struct thread thread_of(const char *key) {
  struct thread thread = {0};
  char *text = find(key);
  if (!text) die("no", key);
  if (*text == '#') {
    thread.ref = number_of(text + 1);
    return thread;
  }
  char *slash = strchr(text, '/');
  if (!slash) die("no thread:", text);
  *slash = '\0';
  thread.process = number_of(text);
  thread.koid = number_of(slash + 1);
  return thread;
}

static void put_thread(const struct thread *thread) {
  if (thread->ref) return;
  put(thread->process);
  put(thread->koid);
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static const char *const arg_types[] = {"null",   "int32",   "uint32", "int64", "uint64", "double",
                                        "string", "pointer", "koid",   "bool",  "blob"};
enum { ARG_TYPES = sizeof(arg_types) / sizeof(arg_types[0]) };

static int arg_type(const struct token *token, char **name) {
  *name = token->key ? strchr(token->key, ':') : NULL;
  if (!*name) return -1;
  for (int i = 0; i < ARG_TYPES; i++)
    if (strlen(arg_types[i]) == (size_t)(*name - token->key) &&
        memcmp(arg_types[i], token->key, strlen(arg_types[i])) == 0) {
      ++*name;
      return i;
    }
  return -1;
}

static uint64_t count_args(void) {
  uint64_t count = 0;
  char *name;
  for (size_t i = 0; i < token_count; i++) count += arg_type(&tokens[i], &name) >= 0;
  return count;
}

static void put_arg(int type, char *name_text, char *value) {
  size_t start = word_count;
  struct text name = text_of(name_text), text = {0};
  uint64_t header = (uint64_t)type | name.ref << 16, word = 0;
  bool is_short = type == 1 || type == 2 || type == 9;
  if (type == 6) {
    text = text_of(value);
    header |= text.ref << 32;
  } else if (type == 10) {
    text.len = unquote(value, &text.bytes);
    header |= (uint64_t)text.len << 32;
  } else if (type == 5) {
    double number = strtod(value, NULL);
    memcpy(&word, &number, sizeof(word));
  } else if (type != 0) {
    word = strcmp(value, "true") == 0 ? 1 : strcmp(value, "false") == 0 ? 0 : number_of(value);
  }
  put(header | (is_short ? (word & UINT32_MAX) << 32 : 0));
  put_text(&name);
  if (type == 10)
    put_stream(text.bytes, text.len);
  else
    put_text(&text);
  if (type != 0 && type != 6 && type != 10 && !is_short) put(word);
  words[start] |= (uint64_t)(word_count - start) << 4;
}

static void put_args(void) {
  char *name;
  for (size_t i = 0; i < token_count; i++) {
    int type = arg_type(&tokens[i], &name);
    if (type < 0) continue;
    tokens[i].used = true;
    put_arg(type, name, tokens[i].value);
  }
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

static void begin(uint64_t type, uint64_t header) {
  word_count = 0;
  put(type | header);
}

static void make_metadata(const char *kind) {
  struct text name = text_of(find("name"));
  uint64_t type = strcmp(kind, "provider") == 0 ? 1 : strcmp(kind, "section") == 0 ? 2 : 3;
  begin(0, type << 16 | number("id") << 20 | (uint64_t)name.len << 52 | number_or("event", 0) << 52);
  put_text(&name);
}

static void make_init(void) {
  begin(1, 0);
  put(number("ticks_per_second"));
  if (!find("base_ticks")) return;
  put(number("base_ticks"));
  put(number("unix_ns"));
}

static void make_string(void) {
  struct text text = text_of(find("text"));
  begin(2, number("index") << 16 | (uint64_t)text.len << 32);
  put_text(&text);
}

static void make_thread(void) {
  begin(3, number("index") << 16);
  put(number("process"));
  put(number("thread"));
}

static void make_event(unsigned type) {
  struct thread thread = thread_of("thread");
  struct text category = text_of(find("category")), name = text_of(find("name"));
  begin(4, (uint64_t)type << 16 | count_args() << 20 | thread.ref << 24 | category.ref << 32 | name.ref << 48);
  put(number("ts"));
  put_thread(&thread);
  put_text(&category);
  put_text(&name);
  put_args();
  if (type == 4)
    put(number("end"));
  else if (type == 1 || type >= 5)
    put(number("id"));
}

static void make_blob(void) {
  struct text name = text_of(find("name")), bytes = text_of(find("bytes"));
  begin(5, name.ref << 16 | (uint64_t)bytes.len << 32 | number("type") << 48);
  put_text(&name);
  put_text(&bytes);
}

static void make_userspace_object(void) {
  const char *process = find("process");
  if (!process) die("no", "process");
  struct text name = text_of(find("name"));
  uint64_t ref = *process == '#' ? number_of(process + 1) : 0;
  begin(6, ref << 16 | name.ref << 24 | count_args() << 40);
  put(number("pointer"));
  if (!ref) put(number_of(process));
  put_text(&name);
  put_args();
}

static void make_kernel_object(void) {
  struct text name = text_of(find("name"));
  begin(7, number("type") << 16 | name.ref << 24 | count_args() << 40);
  put(number("koid"));
  put_text(&name);
  put_args();
}

static void make_switch(void) {
  begin(8, UINT64_C(1) << 60 | count_args() << 16 | number("cpu") << 20 | number("state") << 36);
  put(number("ts"));
  put(number("out"));
  put(number("in"));
  put_args();
}

static void make_wakeup(void) {
  begin(8, UINT64_C(2) << 60 | count_args() << 16 | number("cpu") << 20);
  put(number("ts"));
  put(number("thread"));
  put_args();
}

static void make_legacy_switch(void) {
  struct thread out = thread_of("out"), in = thread_of("in");
  begin(8, number("cpu") << 16 | number("state") << 24 | out.ref << 28 | in.ref << 36 | number("out_priority") << 44 |
               number("in_priority") << 52);
  put(number("ts"));
  put_thread(&out);
  put_thread(&in);
}

static void make_log(void) {
  struct thread thread = thread_of("thread");
  struct text message = text_of(find("message"));
  begin(9, (uint64_t)message.len << 16 | thread.ref << 32);
  put(number("ts"));
  put_thread(&thread);
  put_text(&message);
  put_args(); /* as our writer extends the record */
}

static void make_large_blob(void) {
  struct text category = text_of(find("category")), name = text_of(find("name")), bytes = text_of(find("bytes"));
  bool bare = !find("ts");
  struct thread thread = {0};
  if (!bare) thread = thread_of("thread");
  begin(15, (uint64_t)bare << 40);
  put(category.ref | name.ref << 16 | count_args() << 32 | thread.ref << 36);
  put_text(&category);
  put_text(&name);
  if (!bare) {
    put(number("ts"));
    put_thread(&thread);
    put_args();
  }
  put(bytes.len);
  put_text(&bytes);
}

/* As they are, malformed ones included. */
static void make_words(size_t first) {
  word_count = 0;
  for (size_t i = first; i < token_count; i++) {
    tokens[i].used = true;
    put(number_of(tokens[i].value));
  }
}

static void make(const char *kind) {
  static const char *const events[] = {"instant",    "counter",     "begin",         "end",
                                       "complete",   "async_begin", "async_instant", "async_end",
                                       "flow_begin", "flow_step",   "flow_end"};
  static const struct {
    const char *kind;
    void (*make)(void);
  } records[] = {{"init", make_init},
                 {"string", make_string},
                 {"thread", make_thread},
                 {"blob", make_blob},
                 {"userspace_object", make_userspace_object},
                 {"kernel_object", make_kernel_object},
                 {"context_switch", make_switch},
                 {"wakeup", make_wakeup},
                 {"legacy_switch", make_legacy_switch},
                 {"log", make_log},
                 {"large_blob", make_large_blob}};
  for (unsigned i = 0; i < sizeof(events) / sizeof(events[0]); i++)
    if (strcmp(kind, events[i]) == 0) {
      make_event(i);
      return;
    }
  for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++)
    if (strcmp(kind, records[i].kind) == 0) {
      records[i].make();
      return;
    }
  if (strcmp(kind, "provider") == 0 || strcmp(kind, "section") == 0 || strcmp(kind, "provider_event") == 0)
    make_metadata(kind);
  else if (strcmp(kind, "magic") == 0)
    begin(0, UINT64_C(0x0016547846040000));
  else
    die("no kind of record:", kind);
}

static void make_line(char *line, FILE *to) {
  split(line);
  size_t first = token_count > 1 && tokens[0].value[0] >= '0' && tokens[0].value[0] <= '9';
  if (token_count == 0) return;
  for (size_t i = 0; i <= first; i++) tokens[i].used = true;
  const char *kind = tokens[first].value;
  if (strcmp(kind, "words") == 0) {
    make_words(first + 1);
  } else {
    make(kind);
    words[0] |= (uint64_t)word_count << 4;
  }
  for (size_t i = 0; i < token_count; i++)
    if (!tokens[i].used) die("no part of such a record:", tokens[i].key ? tokens[i].key : tokens[i].value);
  if (fwrite(words, sizeof(*words), word_count, to) != word_count) die("cannot write", NULL);
}

int main(int argc, char **argv) {
  static char line[MAX_LINE];
  FILE *from = argc == 3 ? fopen(argv[1], "r") : NULL, *to = from ? fopen(argv[2], "wb") : NULL;
  if (!to) {
    fprintf(stderr, "usage: fxt_from_text IN OUT\n");
    return 2;
  }
  while (fgets(line, sizeof(line), from)) {
    line_number++;
    if (line[0] != '#') make_line(line, to);
  }
  fclose(from);
  return fclose(to) == 0 ? 0 : 1;
}
