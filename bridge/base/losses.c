/* SPDX-License-Identifier: Apache-2.0 */
#include "base/losses.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

/* Phrases that reasons of a kind have; the first that fits counts. */
static const struct {
  const char *phrase;
  enum tb_loss_kind kind;
} phrases[] = {
    {"ends in the middle", TB_LOSS_CUT},
    {"ends inside", TB_LOSS_CUT},
    {"ends early", TB_LOSS_CUT},
    {"ends too early", TB_LOSS_CUT},
    {"cut off", TB_LOSS_CUT},
    {"on a clock that nothing relates", TB_LOSS_CLOCK},
    {"clock snapshot", TB_LOSS_CLOCK},
    {"no timestamp", TB_LOSS_CLOCK},
    {"without a timestamp", TB_LOSS_CLOCK},
    {"without its begin", TB_LOSS_UNPAIRED},
    {"without a start", TB_LOSS_UNPAIRED},
    {"incremental state", TB_LOSS_STATE},
    {"not sent", TB_LOSS_STATE},
    {"never set", TB_LOSS_STATE},
    {"limit", TB_LOSS_LIMIT},
    {"longer than", TB_LOSS_LIMIT},
    {"of more than", TB_LOSS_LIMIT},
    {"too deep", TB_LOSS_LIMIT},
    {"deeper than", TB_LOSS_LIMIT},
    {"than are read", TB_LOSS_LIMIT},
    {"past the fifteenth", TB_LOSS_LIMIT},
    {"does not fit", TB_LOSS_LIMIT},
    {"has no place for", TB_LOSS_NO_PLACE},
    {"has no records for", TB_LOSS_NO_PLACE},
    {"has none", TB_LOSS_NO_PLACE},
    {"cannot hold", TB_LOSS_NO_PLACE},
    {"damaged", TB_LOSS_DAMAGED},
    {"malformed", TB_LOSS_DAMAGED},
    {"is no JSON", TB_LOSS_DAMAGED},
    {"no JSON object", TB_LOSS_DAMAGED},
    {"that is no object", TB_LOSS_DAMAGED},
    {"cannot be read", TB_LOSS_DAMAGED},
};

static enum tb_loss_kind kind_of(const char *reason) {
  for (size_t i = 0; i < sizeof(phrases) / sizeof(phrases[0]); i++)
    if (strstr(reason, phrases[i].phrase)) return phrases[i].kind;
  return TB_LOSS_OTHER;
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
    *entry = (struct tb_loss){.first_offset = offset, .kind = kind_of(reason)};
  }
  snprintf(entry->reason, sizeof(entry->reason), "%s", reason);
  return entry;
}

void tb_losses_add(struct tb_losses *losses, const char *reason, uint64_t offset) {
  struct tb_loss *entry = find_or_add(losses, reason, offset);
  entry->count++;
  if (offset < entry->first_offset) entry->first_offset = offset;
}

void tb_losses_add_all(struct tb_losses *losses, const struct tb_losses *from) {
  for (size_t i = 0; i < from->count; i++) {
    struct tb_loss *entry = find_or_add(losses, from->entries[i].reason, from->entries[i].first_offset);
    entry->count += from->entries[i].count;
    if (from->entries[i].first_offset < entry->first_offset) entry->first_offset = from->entries[i].first_offset;
  }
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
