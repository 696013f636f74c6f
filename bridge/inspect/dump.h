/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of tb_dump give each other.
 */
#ifndef TB_INSPECT_DUMP_H
#define TB_INSPECT_DUMP_H

#include "json/emitter.h"
#include "tracebridge/dump.h"

/* Where text goes: gathered, and handed to the sink when it is much. */
struct tb_dump {
  struct tb_guard guard; /* of what is not the reader's */
  struct tb_json_emit text;
  tb_text_sink sink;
  void *ctx;
  const struct tb_dump_options *options;
  uint64_t kinds_met; /* a bit for each of the first 64 kinds that are wanted */
  struct tb_error *error;
};

/* Hands the text to the sink, if it is much or `all`. TB_OK, TB_CANCELLED or TB_NO_MEMORY. */
enum tb_status tb_dump_flush(struct tb_dump *dump, bool all);

/* Whether the options want what is of that kind and sequence and happened then; `ts` is NULL where nobody knows. */
bool tb_dump_wants(struct tb_dump *dump, struct tb_str kind, uint32_t sequence, const int64_t *ts);

/* One event as one line. */
void tb_dump_event(struct tb_json_emit *text, const struct tb_event *event);

#endif
