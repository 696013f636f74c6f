/* SPDX-License-Identifier: Apache-2.0
 *
 * What the phases of the Trace Event Format mean.
 */
#ifndef TB_MODEL_PHASES_H
#define TB_MODEL_PHASES_H

#include "tracebridge/event.h"

/* The type of the events of a phase; TB_EVENT_OTHER for an unknown one. */
enum tb_event_type tb_phase_event_type(char phase);

#endif
