/* SPDX-License-Identifier: Apache-2.0
 *
 * Bundles of ftrace events, and ftrace text: what lasts from bundle to bundle, and what makes their events.
 */
#ifndef TB_PERFETTO_READER_FTRACE_IMPORTER_H
#define TB_PERFETTO_READER_FTRACE_IMPORTER_H

#include "base/map.h"
#include "ftrace/event_text.h"
#include "json/emitter.h"
#include "tracebridge/event.h"

struct tb_perfetto_reader;

enum { TB_PERFETTO_COMM_MAX = 16 }; /* names of Linux's tasks are no longer */

/* A thread that runs on a cpu; tid -1: none is known to. */
struct tb_perfetto_running {
  int64_t tid;
  int32_t priority;
  size_t comm_len;
  char comm[TB_PERFETTO_COMM_MAX];
};

struct tb_reader_ftrace {
  struct tb_map running_on; /* cpu, machine -> which of `running` runs there, as ftrace says */
  struct tb_perfetto_running *running;
  size_t running_count, running_capacity;
  struct tb_perfetto_running bundle_first; /* the one that ran as the current bundle began */
  enum tb_ftrace_states states;            /* as the kernel's version says */
  struct tb_json_emit line;                /* of the system's events as text, while it grows */
  struct tb_map texts;                     /* sequences that have had ftrace as text */
  struct tb_map makers;                    /* of threads whose process was not known: tid, machine -> tid */
};

/* `limited` bounds what is kept of the trace; `allocator` is for a line. */
void tb_reader_ftrace_init(struct tb_reader_ftrace *ftrace, const struct tb_allocator *limited,
                           const struct tb_allocator *allocator);
void tb_reader_ftrace_free(struct tb_reader_ftrace *ftrace);

/* Payloads: as those of perfetto/reader/importers.h. */
enum tb_status tb_perfetto_ftrace(struct tb_perfetto_reader *r, struct tb_str payload);
enum tb_status tb_perfetto_ftrace_text(struct tb_perfetto_reader *r, struct tb_str payload);

/* Whether the current packet was made of ftrace text. */
bool tb_perfetto_made_of_text(const struct tb_perfetto_reader *r);
/* Whether it was, and the text was given to a target that takes it. */
bool tb_perfetto_is_in_text(struct tb_perfetto_reader *r);

#endif
