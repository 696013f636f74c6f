/* SPDX-License-Identifier: Apache-2.0
 *
 * The packet that leads a trace whose first bytes readers would take for another format's.
 */
#ifndef TB_PERFETTO_LEAD_H
#define TB_PERFETTO_LEAD_H

#include "base/output.h"

/* For tb_output_options. */
size_t tb_perfetto_lead(const char *start, size_t len, char lead[TB_OUTPUT_LEAD_MAX]);

#endif
