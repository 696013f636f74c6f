/* SPDX-License-Identifier: Apache-2.0 */
#include "base/losses.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

/* Reasons are words; what they have in common says their code: the first phrase that fits. tests/lint/loss_codes.py
 * checks that no reason of the library is without. */
static const struct {
  const char *phrase;
  enum tb_loss_kind kind;
} phrases[] = {
    /* notes */
    {"in the same file", TB_LOSS_SECOND_TRACE},
    {"other trace", TB_LOSS_UNREAD},
    {"member of the archive", TB_LOSS_UNREAD},
    {"are incomplete: there are too many", TB_LOSS_UNREAD},
    {"are left out", TB_LOSS_UNREAD},
    {"taken for", TB_LOSS_ASSUMED},
    {"read as its first", TB_LOSS_ASSUMED},
    {"read as the last", TB_LOSS_ASSUMED},
    {"kept at the time", TB_LOSS_ASSUMED},
    {"one sample off", TB_LOSS_ASSUMED},
    {"are too early", TB_LOSS_ASSUMED},
    /* losses */
    {"ends in the middle", TB_LOSS_CUT},
    {"ends inside", TB_LOSS_CUT},
    {"ends early", TB_LOSS_CUT},
    {"ends too early", TB_LOSS_CUT},
    {"cut off", TB_LOSS_CUT},
    {"on a clock that nothing relates", TB_LOSS_CLOCK},
    {"contradicts itself", TB_LOSS_CLOCK_BACKWARDS},
    {"runs backwards", TB_LOSS_CLOCK_BACKWARDS},
    {"on a track that is no counter", TB_LOSS_COUNTER_NO_TRACK},
    {"without its begin", TB_LOSS_UNPAIRED},
    {"without a start", TB_LOSS_UNPAIRED},
    {"interned entries that were not sent", TB_LOSS_INTERNED_MISSING},
    {"incremental state", TB_LOSS_STATE},
    {"not sent", TB_LOSS_STATE},
    {"never set", TB_LOSS_STATE},
    {"nothing describes", TB_LOSS_STATE},
    {"ends before it begins", TB_LOSS_NEGATIVE_DURATION},
    {"before time 0", TB_LOSS_NEGATIVE_TIME},
    {"overlap others", TB_LOSS_OVERLAP},
    {"comes late", TB_LOSS_LATE},
    {"of the same name", TB_LOSS_DUPLICATE},
    {"has no place for", TB_LOSS_NO_PLACE},
    {"has no records for", TB_LOSS_NO_PLACE},
    {"has none", TB_LOSS_NO_PLACE},
    {"cannot hold", TB_LOSS_NO_PLACE},
    {"value that is no number", TB_LOSS_NO_PLACE},
    {"on no thread", TB_LOSS_NO_PLACE},
    {"called otherwise", TB_LOSS_NO_PLACE},
    {"in addition to their ids", TB_LOSS_NO_PLACE},
    {"no timestamp", TB_LOSS_NO_TIME},
    {"without a timestamp", TB_LOSS_NO_TIME},
    {"without a time", TB_LOSS_NO_TIME},
    {"of no track", TB_LOSS_NO_TRACK},
    {"has no thread", TB_LOSS_NO_TRACK},
    {"without cookie", TB_LOSS_INCOMPLETE},
    {"without its pointer", TB_LOSS_INCOMPLETE},
    {"without its koid", TB_LOSS_INCOMPLETE},
    {"without its thread", TB_LOSS_INCOMPLETE},
    {"without ticks", TB_LOSS_INCOMPLETE},
    {"of 0 ticks", TB_LOSS_INCOMPLETE},
    {"limit", TB_LOSS_LIMIT},
    {"longer than", TB_LOSS_LIMIT},
    {"of more than", TB_LOSS_LIMIT},
    {"or more, or with too long", TB_LOSS_LIMIT},
    {"too deep", TB_LOSS_LIMIT},
    {"deeper than", TB_LOSS_LIMIT},
    {"inside compressed packets", TB_LOSS_LIMIT},
    {"far more than", TB_LOSS_LIMIT},
    {"than are read", TB_LOSS_LIMIT},
    {"than a record", TB_LOSS_LIMIT},
    {"past the fifteenth", TB_LOSS_LIMIT},
    {"of fifteen arguments", TB_LOSS_LIMIT},
    {"past 1023", TB_LOSS_LIMIT},
    {"past the range", TB_LOSS_LIMIT},
    {"does not fit", TB_LOSS_LIMIT},
    {"damaged", TB_LOSS_DAMAGED},
    {"malformed", TB_LOSS_DAMAGED},
    {"garbage", TB_LOSS_DAMAGED},
    {"is no JSON", TB_LOSS_DAMAGED},
    {"is no UTF-8", TB_LOSS_DAMAGED},
    {"no JSON object", TB_LOSS_DAMAGED},
    {"that is no object", TB_LOSS_DAMAGED},
    {"no line of ftrace", TB_LOSS_DAMAGED},
    {"text is wrong", TB_LOSS_DAMAGED},
    {"cannot be read", TB_LOSS_DAMAGED},
    {"runs past", TB_LOSS_DAMAGED},
    {"too short", TB_LOSS_DAMAGED},
    {"fewer arguments", TB_LOSS_DAMAGED},
    {"of size 0", TB_LOSS_DAMAGED},
    {"are no record", TB_LOSS_DAMAGED},
    {"to where records go on", TB_LOSS_DAMAGED},
    {"without its header", TB_LOSS_DAMAGED},
    {"without its size", TB_LOSS_DAMAGED},
    {"holds no packets", TB_LOSS_DAMAGED},
    {"of unknown type", TB_LOSS_UNKNOWN},
    {"of unknown kind", TB_LOSS_UNKNOWN},
    {"of unknown number", TB_LOSS_UNKNOWN},
    {"no known type", TB_LOSS_UNKNOWN},
    {"does not know", TB_LOSS_UNKNOWN},
};

enum tb_loss_kind tb_loss_kind_of(const char *reason) {
  for (size_t i = 0; i < sizeof(phrases) / sizeof(phrases[0]); i++)
    if (strstr(reason, phrases[i].phrase)) return phrases[i].kind;
  return TB_LOSS_OTHER;
}

const char *tb_loss_kind_name(enum tb_loss_kind kind) {
  static const char *const names[] = {
#define LOSS_NAME(code, name) name,
      TB_LOSS_LIST(LOSS_NAME)
#undef LOSS_NAME
  };
  return (unsigned)kind < sizeof(names) / sizeof(names[0]) ? names[kind] : names[TB_LOSS_OTHER];
}

static struct tb_loss *find_or_add(struct tb_losses *losses, const char *reason, uint64_t offset) {
  for (size_t i = 0; i < losses->count; i++)
    if (strncmp(losses->entries[i].reason, reason, TB_LOSS_REASON_MAX - 1) == 0) return &losses->entries[i];
  struct tb_loss *entry = &losses->entries[losses->count];
  if (losses->count == TB_LOSSES_MAX) {
    reason = "other reasons";
    entry--;
    entry->kind = TB_LOSS_OTHER;
  } else {
    losses->count++;
    *entry = (struct tb_loss){.first_offset = offset, .kind = tb_loss_kind_of(reason)};
  }
  snprintf(entry->reason, sizeof(entry->reason), "%s", reason);
  return entry;
}

void tb_losses_add_many(struct tb_losses *losses, const char *reason, uint64_t count, uint64_t offset) {
  struct tb_loss *entry = find_or_add(losses, reason, offset);
  entry->count += count;
  if (offset < entry->first_offset) entry->first_offset = offset;
}

void tb_losses_add(struct tb_losses *losses, const char *reason, uint64_t offset) {
  tb_losses_add_many(losses, reason, 1, offset);
}

void tb_losses_add_all(struct tb_losses *losses, const struct tb_losses *from) {
  for (size_t i = 0; i < from->count; i++)
    tb_losses_add_many(losses, from->entries[i].reason, from->entries[i].count, from->entries[i].first_offset);
}

void tb_losses_add_kind(struct tb_losses *losses, const char *reason, struct tb_str kind, uint64_t offset) {
  char whole[TB_LOSS_REASON_MAX];
  if (kind.len == 0) kind = TB_STR("unknown");
  snprintf(whole, sizeof(whole), "%s: %.*s", reason, (int)(kind.len < sizeof(whole) ? kind.len : sizeof(whole)),
           kind.ptr);
  tb_losses_add(losses, whole, offset);
}

bool tb_loss_is_cut(const struct tb_loss *loss) { return loss->kind == TB_LOSS_CUT; }

enum tb_status tb_losses_end(const struct tb_losses *losses, const char *format, bool forced, struct tb_error *error) {
  if (!losses->count) return TB_END;
  return tb_fail(error, TB_BAD_DATA, losses->entries[0].first_offset, "nothing in it can be read as %s%s: %s", format,
                 forced ? " (leave out tb_reader_options.format to have the format detected)" : "",
                 losses->entries[0].reason);
}

enum tb_status tb_fail_junk(struct tb_error *error, const char *format, uint64_t offset, size_t max) {
  unsigned shift = max % (1 << 20) == 0 ? 20 : max % (1 << 10) == 0 ? 10 : 0;
  const char *unit = shift == 20 ? "MiB" : shift ? "KiB" : "bytes";
  return tb_fail(error, TB_BAD_DATA, offset,
                 "no event so far, and the next %zu %s are not %s (tb_reader_options.format names another "
                 "format, tb_reader_options.max_junk_bytes allows more)",
                 max >> shift, unit, format);
}
