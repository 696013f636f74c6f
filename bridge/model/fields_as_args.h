/* SPDX-License-Identifier: Apache-2.0
 *
 * What fields of slices and instants are called among the arguments, where a format has no place for them.
 */
#ifndef TB_MODEL_FIELDS_AS_ARGS_H
#define TB_MODEL_FIELDS_AS_ARGS_H

#include "base/memory.h"
#include "tracebridge/event.h"

#define TB_ARG_LOG_LEVEL "log_level"
#define TB_ARG_CORRELATION "correlation_id"
#define TB_ARG_INSTRUCTIONS "thread_instruction_count"
#define TB_ARG_INSTRUCTIONS_AT_END "thread_instruction_count_at_end" /* of the end, where begin and end are one event */
#define TB_ARG_SOURCE_LOCATION "source_location"                     /* a dict */
#define TB_ARG_FUNCTION_NAME "function_name"
#define TB_ARG_FILE_NAME "file_name"
#define TB_ARG_LINE_NUMBER "line_number"

/* The word for a level; empty where there is none. */
static inline struct tb_str tb_log_level_name(uint8_t level) {
  static const char *const levels[] = {NULL, NULL, "VERBOSE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"};
  const char *name = levels[level <= TB_LOG_FATAL ? level : TB_LOG_NONE];
  return tb_str_from(name ? name : "");
}

#endif
