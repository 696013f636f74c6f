/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/diff/uncompared.h"

enum when { ALWAYS, OF_PACKETS, ACROSS };

static const struct {
  enum when when;
  const char *text;
} TEXTS[] = {
    {ALWAYS, "sort indexes"},
    {ALWAYS, "colors"},
    {ALWAYS, "units of counters"},
    {ALWAYS, "who wakes a thread"},
    {ALWAYS, "clocks"},
    {OF_PACKETS, "users, parents and command lines of processes"},
    {OF_PACKETS, "packages"},
    {OF_PACKETS, "CPUs of ftrace events but switches"},
    {ACROSS, "which of a thread's slices a flow joins"},
    {ACROSS, "which of a thread's slices of one name ends"},
    {ACROSS, "pointers as such"},
    {ACROSS, "priorities of threads"},
    {ACROSS, "libraries and lines of frames"},
    {ACROSS, "stacks at ends"},
};

size_t tb_diff_uncompared(bool has_packets, bool is_across, const char *texts[TB_DIFF_UNCOMPARED_MAX]) {
  const bool holds[] = {[ALWAYS] = true, [OF_PACKETS] = has_packets, [ACROSS] = is_across};
  size_t count = 0;
  for (size_t i = 0; i < sizeof(TEXTS) / sizeof(TEXTS[0]); i++)
    if (holds[TEXTS[i].when]) texts[count++] = TEXTS[i].text;
  return count;
}
