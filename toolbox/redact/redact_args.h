/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments and further members of events, with pseudonyms for their texts.
 */
#ifndef TB_TOOLBOX_REDACT_REDACT_ARGS_H
#define TB_TOOLBOX_REDACT_REDACT_ARGS_H

#include "toolbox/redact/redact_event.h"

/* Both replace what *event points to, which lasts until the next event. `source`: the event as it was, by whose name
 * words are the format's own. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_redact_args(struct tb_redactor *redactor, const struct tb_event *source,
                                            struct tb_event *event);
TB_MUST_CHECK enum tb_status tb_redact_members(struct tb_redactor *redactor, const struct tb_event *source,
                                               struct tb_event *event);

#endif
