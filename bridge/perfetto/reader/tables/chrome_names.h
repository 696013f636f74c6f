/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of Chrome's kinds of processes and threads, for tracks whose descriptor says the kind alone. They are the trace
 * processor's, but for zygotes and sandbox helpers, which it takes for each other's.
 */
#ifndef TB_PERFETTO_READER_TABLES_CHROME_NAMES_H
#define TB_PERFETTO_READER_TABLES_CHROME_NAMES_H

#include "tracebridge/base.h"

/* Empty where the kind is not known. */
struct tb_str tb_chrome_process_name(int32_t type);
struct tb_str tb_chrome_thread_name(int32_t type);

#endif
