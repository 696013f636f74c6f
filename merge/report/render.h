/* SPDX-License-Identifier: Apache-2.0
 *
 * The sync report in writing.
 */
#ifndef TB_MERGE_REPORT_RENDER_H
#define TB_MERGE_REPORT_RENDER_H

#include "json/emitter.h"
#include "merge/report/report.h"

/* Each adds to `out`, whose status says whether they did. */
void tb_render_text(const struct tb_merge_report *report, struct tb_json_emit *out);
void tb_render_json(const struct tb_merge_report *report, struct tb_json_emit *out);
void tb_render_html(const struct tb_merge_report *report, struct tb_json_emit *out);

#endif
