/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether an event is one that writers can take. Those of readers are; those that users make may lack something.
 */
#ifndef TB_CONVERT_EVENT_CHECK_H
#define TB_CONVERT_EVENT_CHECK_H

#include "tracebridge/event.h"

/* TB_OK; TB_INVALID, and *error says which member is wrong. Pointers that are not NULL are followed. */
TB_MUST_CHECK enum tb_status tb_event_check(const struct tb_event *event, struct tb_error *error);

#endif
