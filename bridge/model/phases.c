/* SPDX-License-Identifier: Apache-2.0 */
#include "model/phases.h"

enum tb_event_type tb_phase_event_type(char phase) {
  switch (phase) {
    case 'B':
      return TB_EVENT_SLICE_BEGIN;
    case 'E':
      return TB_EVENT_SLICE_END;
    case 'X':
      return TB_EVENT_SLICE_COMPLETE;
    case 'i':
    case 'I':
    case 'R':
    case 'P':
      return TB_EVENT_INSTANT;
    case 'C':
      return TB_EVENT_COUNTER;
    case 'b':
    case 'S':
      return TB_EVENT_ASYNC_BEGIN;
    case 'n':
    case 'T':
    case 'p':
      return TB_EVENT_ASYNC_INSTANT;
    case 'e':
    case 'F':
      return TB_EVENT_ASYNC_END;
    case 's':
      return TB_EVENT_FLOW_BEGIN;
    case 't':
      return TB_EVENT_FLOW_STEP;
    case 'f':
      return TB_EVENT_FLOW_END;
    case 'N':
      return TB_EVENT_OBJECT_CREATE;
    case 'O':
      return TB_EVENT_OBJECT_SNAPSHOT;
    case 'D':
      return TB_EVENT_OBJECT_DELETE;
    case '(':
      return TB_EVENT_CONTEXT_ENTER;
    case ')':
      return TB_EVENT_CONTEXT_LEAVE;
    case '=':
      return TB_EVENT_ID_LINK;
    case 'c':
      return TB_EVENT_CLOCK_SYNC;
    case 'V':
    case 'v':
      return TB_EVENT_MEMORY_DUMP;
    case 'M':
      return TB_EVENT_METADATA;
    default:
      return TB_EVENT_OTHER;
  }
}
