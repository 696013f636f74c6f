/* SPDX-License-Identifier: Apache-2.0
 *
 * What is said of inputs of one boot whose wall clock does not show that they are.
 */
#include <inttypes.h>

#include "merge/merger.h"

static const char *reason_of(const struct tb_boot_link *link) {
  if (link->other && link->evidence == TB_BOOT_BY_SLEEP)
    return "same clocks: its machine had slept as long, to the microsecond; a guess";
  if (link->other && link->evidence == TB_BOOT_BY_NAME) return "same clocks: the machine's name says that it is one";
  return NULL;
}

/* The input on whose clock the merged trace is may be the one that is linked to the others. */
const char *tb_source_boot_reason(const struct tb_merger *m, const struct tb_source *s) {
  const char *own = reason_of(&s->boot_link);
  return own || m->reference == UINT32_MAX ? own : reason_of(&m->sources[m->reference].boot_link);
}

void tb_merger_note_boot(struct tb_merger *m, const struct tb_source *s) {
  const struct tb_boot_link *link = &s->boot_link;
  if (!link->other || link->evidence == TB_BOOT_BY_WALL) return;
  if (link->evidence == TB_BOOT_UNCLEAR) {
    tb_merge_report_add_note(
        m->report, TB_MERGE_NOTE_BOOT_UNCLEAR, s->index,
        "its machine had slept as long as that of %s, but both recorded at one time by their wall "
        "clocks: taken for two boots (tb_merge_input.machine with one name for both makes them one)",
        link->other->name);
    return;
  }
  struct tb_merge_note note = {.code = TB_MERGE_NOTE_CLOCK_STEP,
                               .input = s->index,
                               .has_time = true,
                               .time_ns = tb_source_reading_time(m, s, link->clock, link->between),
                               .size_ns = link->set_by_ns};
  tb_merge_report_add_timed_note(
      m->report, &note, "the wall clock was set by %+.6f s between it and %s, which are of one boot%s",
      (double)link->set_by_ns / 1e9, link->other->name,
      link->evidence == TB_BOOT_BY_NAME
          ? ""
          : ", as is guessed: their machine had slept as long (tb_merge_input.machine with two names makes them two)");
}
