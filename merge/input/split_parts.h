/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts that tb_split made of one trace, by the mark that each begins with: part 0 has all that others repeat so that
 * they can be read alone. Behind it they have what is theirs, and the trace is what it was.
 */
#ifndef TB_MERGE_INPUT_SPLIT_PARTS_H
#define TB_MERGE_INPUT_SPLIT_PARTS_H

#include "merge/input/part_order.h"

/* Links those that are of one split, each once, by their numbers. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_split_parts_link(struct tb_merger *m, struct tb_part_link *links);

/* Copies a part behind another of its trace to the end of the copy, which has *len bytes: without what it repeats. */
TB_MUST_CHECK enum tb_status tb_split_parts_append(struct tb_merger *m, const struct tb_source *part,
                                                   const struct tb_source *head, uint64_t *len);

/* Copies the Perfetto trace that was made of joined parts of another format, and sets *trace to the copy: without what
 * is said of all of it again, as each part says it. Errors as of tb_merge. */
TB_MUST_CHECK enum tb_status tb_split_parts_say_once(struct tb_merger *m, const char *name,
                                                     struct tb_input_place *trace);

#endif
