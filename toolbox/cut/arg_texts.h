/* SPDX-License-Identifier: Apache-2.0
 *
 * Interned entries that arguments of track events alone refer to: names, texts, log messages, places in sources. Where
 * arguments are left out they go too, but for what the annotation needs that has what other formats have of an event.
 */
#ifndef TB_TOOLBOX_CUT_ARG_TEXTS_H
#define TB_TOOLBOX_CUT_ARG_TEXTS_H

#include "base/map.h"
#include "base/memory.h"
#include "protobuf/message_patch.h"
#include "protobuf/wire.h"

/* Caller-owned; tb_arg_texts_init, then tb_arg_texts_free. */
struct tb_arg_texts {
  struct tb_map own;    /* number of a sequence -> iid of the own annotation's name */
  struct tb_map places; /* iid; field and number of a sequence -> where in `entries` what was left out is */
  struct tb_buffer entries;
  struct tb_buffer again; /* entries that the current event needs, fields of an InternedData */
};

void tb_arg_texts_init(struct tb_arg_texts *texts, const struct tb_allocator *allocator);
void tb_arg_texts_free(struct tb_arg_texts *texts);

/* Takes in what the fields of a packet introduce, before it is written without. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_arg_texts_take(struct tb_arg_texts *texts, size_t sequence, struct tb_str packet);

/* The iid of the name of the annotation of our own, 0: none is interned. */
uint64_t tb_arg_texts_own(const struct tb_arg_texts *texts, size_t sequence);

/* Finds the entries that such an annotation refers to, which stays, and appends them to `again`. */
TB_MUST_CHECK enum tb_status tb_arg_texts_need(struct tb_arg_texts *texts, size_t sequence, struct tb_str annotation);

/* The same of the text that says what a flow event of JSON is. */
TB_MUST_CHECK enum tb_status tb_arg_texts_need_kind(struct tb_arg_texts *texts, size_t sequence, uint64_t iid);

/* Whether such an annotation may refer to any. */
bool tb_arg_texts_refers(struct tb_str annotation);

/* Leaves them out of an InternedData, and appends what is needed again. */
TB_MUST_CHECK enum tb_status tb_arg_texts_edit(const struct tb_wire_field *interned, struct tb_str again,
                                               struct tb_message_patch *patches);

/* Appends an InternedData without them. */
TB_MUST_CHECK enum tb_status tb_arg_texts_append_rest(const struct tb_wire_field *interned, struct tb_buffer *buffer);

#endif
