/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/name_pattern.h"

#include <ctype.h>
#include <stdio.h>

#include "base/utf8.h"

enum { MATCHED_BITS = 64, NUMBER_TEXT = 24 };

/* ---- globs: as fnmatch has them, but by characters of UTF-8 in any locale ---------------------------------------- */

/* A glob, or a name, from here on. */
struct characters {
  const char *at, *end;
};

/* A byte that is of no character is one by itself, and equals no other. */
static uint32_t take_character(struct characters *text) {
  static const uint32_t no_character = 0x110000;
  size_t skip, length = tb_utf8_character(text->at, text->end, &skip);
  uint32_t c = length ? tb_utf8_decode(text->at, length) : no_character + (unsigned char)*text->at;
  text->at += length ? length : 1;
  return c;
}

/* The same of a glob, where a backslash is before what is meant as it is. */
static uint32_t take_meant(struct characters *glob) {
  if (*glob->at == '\\' && glob->end - glob->at > 1) glob->at++;
  return take_character(glob);
}

/* Takes `[:NAME:]` where the set goes on with it; *found where the character is of that class. */
static bool take_class(struct characters *glob, uint32_t c, bool *found) {
  static const struct {
    const char *name;
    int (*is_in)(int c);
  } classes[] = {{"alpha", isalpha}, {"digit", isdigit}, {"alnum", isalnum}, {"upper", isupper},
                 {"lower", islower}, {"space", isspace}, {"blank", isblank}, {"punct", ispunct},
                 {"print", isprint}, {"graph", isgraph}, {"cntrl", iscntrl}, {"xdigit", isxdigit}};
  const size_t left = (size_t)(glob->end - glob->at);
  const char *close = left > 2 && glob->at[1] == ':' ? memmem(glob->at + 2, left - 2, ":]", 2) : NULL;
  if (*glob->at != '[' || !close) return false;
  const struct tb_str name = {glob->at + 2, (size_t)(close - glob->at) - 2};
  for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
    if (c < 0x80 && tb_str_equal(name, tb_str_from(classes[i].name)) && classes[i].is_in((int)c)) *found = true;
  glob->at = close + 2;
  return true;
}

/* Takes a set, `[a-z]` or `[!a-z]`; false where there is none. */
static bool take_set(struct characters *glob, uint32_t c, bool *is_in) {
  struct characters set = {glob->at + 1, glob->end};
  if (*glob->at != '[') return false;
  bool is_not = set.at < set.end && (*set.at == '!' || *set.at == '^'), found = false;
  set.at += is_not;
  for (bool first = true; set.at < set.end && (first || *set.at != ']'); first = false) {
    if (take_class(&set, c, &found)) continue;
    uint32_t from = take_meant(&set), to = from;
    if (set.end - set.at > 1 && set.at[0] == '-' && set.at[1] != ']') {
      set.at++;
      to = take_meant(&set);
    }
    if (from <= c && c <= to) found = true;
  }
  if (set.at == set.end) return false; /* the bracket is meant as it is */
  glob->at = set.at + 1;
  *is_in = found != is_not;
  return true;
}

/* Whether the glob's next character or set is the name's next character: both are taken. */
static bool take_both(struct characters *glob, struct characters *name) {
  bool is_in;
  if (glob->at == glob->end) return false;
  uint32_t c = take_character(name);
  if (take_set(glob, c, &is_in)) return is_in;
  if (*glob->at != '?') return take_meant(glob) == c;
  glob->at++;
  return true;
}

/* A star takes as little as it may; where what is behind it does not match, the last one takes a character more. */
static bool matches(const char *pattern, const char *text) {
  struct characters glob = {pattern, pattern + strlen(pattern)}, name = {text, text + strlen(text)};
  struct characters behind_star = {NULL, NULL}, taken = name;
  while (name.at < name.end) {
    if (glob.at < glob.end && *glob.at == '*') {
      glob.at++;
      behind_star = glob;
      taken = name;
    } else if (!take_both(&glob, &name)) {
      if (!behind_star.at) return false;
      (void)take_character(&taken);
      name = taken;
      glob = behind_star;
    }
  }
  while (glob.at < glob.end && *glob.at == '*') glob.at++;
  return glob.at == glob.end;
}

/* ---- patterns ---------------------------------------------------------------------------------------------------- */

bool tb_name_patterns_are_there(const struct tb_name_patterns *patterns) {
  for (size_t i = 0; i < patterns->count; i++)
    if (!patterns->globs || !patterns->globs[i]) return false;
  return true;
}

bool tb_name_patterns_want_all(const struct tb_name_patterns *patterns) {
  for (size_t i = 0; i < patterns->count; i++)
    if (patterns->globs[i][0] != '!') return false;
  return true;
}

static void judge(const struct tb_name_patterns *patterns, const char *name, struct tb_name_verdict *verdict) {
  for (size_t i = 0; i < patterns->count; i++) {
    bool refuses = patterns->globs[i][0] == '!';
    if (!matches(patterns->globs[i] + refuses, name)) continue;
    if (patterns->matched && i < MATCHED_BITS) *patterns->matched |= UINT64_C(1) << i;
    if (refuses)
      verdict->refused = true;
    else
      verdict->wanted = true;
  }
}

enum tb_status tb_name_judge(const struct tb_name_patterns *patterns, struct tb_str name, struct tb_buffer *scratch,
                             struct tb_name_verdict *verdict) {
  scratch->len = 0;
  if (tb_buffer_append(scratch, name.ptr, name.len) != TB_OK || tb_buffer_append(scratch, "", 1) != TB_OK)
    return TB_NO_MEMORY;
  judge(patterns, scratch->data, verdict);
  return TB_OK;
}

struct tb_name_verdict tb_name_judge_number(const struct tb_name_patterns *patterns, int64_t number) {
  char text[NUMBER_TEXT];
  struct tb_name_verdict verdict = {tb_name_patterns_want_all(patterns), false};
  if (!patterns->count) return verdict;
  (void)snprintf(text, sizeof(text), "%lld", (long long)number);
  judge(patterns, text, &verdict);
  return verdict;
}

enum tb_status tb_name_is_chosen(const struct tb_name_patterns *patterns, struct tb_str name, struct tb_buffer *scratch,
                                 bool *chosen) {
  *chosen = true;
  if (!patterns->count) return TB_OK;
  struct tb_name_verdict verdict = {tb_name_patterns_want_all(patterns), false};
  enum tb_status status = tb_name_judge(patterns, name, scratch, &verdict);
  *chosen = tb_name_verdict_is_chosen(verdict);
  return status;
}
