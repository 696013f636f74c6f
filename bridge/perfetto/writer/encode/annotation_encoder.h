/* SPDX-License-Identifier: Apache-2.0
 *
 * An argument as a DebugAnnotation. Names that readers would change go as levels, or the value as JSON text.
 */
#ifndef TB_PERFETTO_WRITER_ENCODE_ANNOTATION_ENCODER_H
#define TB_PERFETTO_WRITER_ENCODE_ANNOTATION_ENCODER_H

#include "json/emitter.h"
#include "model/carried_fields.h"
#include "perfetto/writer/encode/intern_tables.h"
#include "tracebridge/event.h"

/* What the encoding of one event's body shares. `ok` turns false when memory or depth runs out, and all then do nothing
 * that matters. */
struct tb_body_encoding {
  struct tb_interned *interned;
  struct tb_interned_uses *uses;
  struct tb_json_emit *json;
  bool ok;
  bool own_carried; /* an argument is named as the carried fields are */
  bool odd;         /* a name that readers would change came up */
};

/* Each that returns a place writes at `at` and returns what is behind it; the caller has reserved the room. */

/* The argument, called `name`, as the field of that number. `depth`: how many messages it is in. */
char *tb_encode_annotation(struct tb_body_encoding *e, char *at, uint32_t field, struct tb_str name,
                           const struct tb_arg *arg, unsigned depth);
/* Members or items of a dict or array. */
char *tb_encode_children(struct tb_body_encoding *e, char *at, const struct tb_arg *arg, unsigned depth);
char *tb_encode_annotation_name(struct tb_body_encoding *e, char *at, struct tb_str name);

/* The levels of a name: parts between dots, the last of them `[0]` where it is that of a first item. 1: the name is no
 * path that levels say. */
unsigned tb_annotation_levels(struct tb_str name);
/* Whether the argument's name is the only odd one in it, and one that levels say. */
bool tb_annotation_fits_levels(const struct tb_arg *arg, unsigned levels);
/* The argument as levels, the first of which says how many there are: `a.b` is `a` with the one entry `b`. */
char *tb_encode_annotation_levels(struct tb_body_encoding *e, char *at, uint32_t field, struct tb_str name,
                                  const struct tb_arg *arg, unsigned levels, bool first);

/* Whether an argument with an odd name goes as it is: a value by itself, which the trace processor drops as JSON
 * text. */
bool tb_annotation_stays_plain(const struct tb_arg *arg);
/* An argument with an odd name somewhere: its value as JSON text, whose names readers leave alone. The part of its
 * own name before the first dot is the annotation's, or that before `[0]`. The text is in e->json until the next
 * one. */
struct tb_arg tb_annotation_as_json(struct tb_body_encoding *e, const struct tb_arg *arg);

#endif
