/* SPDX-License-Identifier: Apache-2.0
 *
 * The sync report in writing.
 */
#ifndef TB_MERGE_REPORT_RENDER_H
#define TB_MERGE_REPORT_RENDER_H

#include "merge/report/report.h"

TB_MUST_CHECK enum tb_status tb_render_text(const struct tb_merge_report *report, struct tb_buffer *out);
TB_MUST_CHECK enum tb_status tb_render_json(const struct tb_merge_report *report, struct tb_buffer *out);

#endif
