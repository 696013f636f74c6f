/* SPDX-License-Identifier: Apache-2.0
 *
 * Aligning inputs by the messages between them.
 */
#include "base/error.h"
#include "merge/align/linear_program.h"
#include "merge/merger.h"

/* A host's line as an alignment with its root. */
static enum tb_status keep_host(struct tb_merger *m, uint32_t source, struct tb_network_host *host) {
  if (host->root == source) return TB_OK;
  struct tb_alignment alignment = {.source = source,
                                   .other = host->root,
                                   .kind = TB_PLACEMENT_MESSAGES,
                                   .fit = {.x0 = host->x0,
                                           .offset = host->offset,
                                           .drift = host->drift,
                                           .span_ns = tb_time_subtract(host->last, host->first),
                                           .used = host->messages - host->unmet,
                                           .outliers = host->unmet},
                                   .bound = host->bound,
                                   .one_way = host->one_way};
  host->bound = (struct tb_time_bound){0};
  return tb_merger_keep_alignment(m, &alignment);
}

enum tb_status tb_merger_align_messages(struct tb_merger *m) {
  enum tb_status status = tb_marks_messages(&m->marks, &m->messages);
  if (status != TB_OK || !m->messages.count) return status;
  if (!tb_linear_program_available())
    return tb_fail(
        &m->error, TB_UNSUPPORTED, TB_NO_OFFSET,
        "tb_merge_options.align_messages needs COIN-OR's CLP, which is not installed (Debian: coinor-libclp1)");
  struct tb_network_host *hosts = tb_calloc(m->allocator, m->source_count * sizeof(*hosts));
  if (!hosts) return TB_NO_MEMORY;
  status = tb_message_network_solve(m->allocator, m->messages.items, m->messages.count, hosts, m->source_count,
                                    m->options.max_drift_ppm * 1e-6);
  if (status == TB_UNSUPPORTED)
    status = tb_fail(&m->error, TB_UNSUPPORTED, TB_NO_OFFSET,
                     "tb_merge_options.align_messages: no clocks were found that meet the messages; "
                     "tb_merge_input.offset_ns places inputs by hand");
  for (uint32_t i = 0; i < m->source_count && status == TB_OK; i++) status = keep_host(m, i, &hosts[i]);
  for (size_t i = 0; i < m->source_count; i++) tb_time_bound_free(&hosts[i].bound, m->allocator);
  tb_free(m->allocator, hosts, m->source_count * sizeof(*hosts));
  return status;
}
