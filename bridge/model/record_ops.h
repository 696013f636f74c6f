/* SPDX-License-Identifier: Apache-2.0
 *
 * The records of a source for dump and info, which see them before they are read and do not know their format.
 */
#ifndef TB_MODEL_RECORD_OPS_H
#define TB_MODEL_RECORD_OPS_H

#include "json/emitter.h"
#include "tracebridge/base.h"

enum { TB_RECORD_KINDS_MAX = 32 };

/* What is counted of a record, and what it says of the provider that wrote it. */
struct tb_record_note {
  unsigned kind;         /* below TB_RECORD_KINDS_MAX */
  const char *kind_name; /* a constant */
  uint64_t bytes;
  bool has_provider, has_ticks_per_second, has_provider_name;
  bool is_loss; /* the provider lost events here */
  uint32_t provider;
  uint64_t ticks_per_second;
  struct tb_str provider_name; /* valid as long as the record */
};

/* `record` is of a type of the format's own. */
struct tb_record_ops {
  /* All that it says as a line of text. */
  void (*describe)(struct tb_json_emit *text, const void *record);
  /* Fills *note, which is all zero. */
  void (*note)(const void *record, struct tb_record_note *note);
};

/* Who sees the records. */
struct tb_record_watch {
  void (*take)(void *ctx, const void *record); /* NULL: nobody */
  void *ctx;
};

#endif
