/* SPDX-License-Identifier: Apache-2.0 */
#include "tracebridge/merge.h"

#include <sys/resource.h>

#include "base/error.h"
#include "base/options.h"
#include "base/threads.h"
#include "merge/merger.h"
#include "tracebridge/file.h"

enum { FILES_SPARE = 16, FILES_LEAST = 4, FILES_MOST = 4096 };

/* No clock of a computer runs so much faster than another's; from the second on, a clock would run backwards. */
enum { MAX_DRIFT_PPM = 200, DRIFT_PPM_LIMIT = 1000000 };

static unsigned files_at_a_time(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > FILES_MOST) return FILES_MOST;
  return limit.rlim_cur > FILES_SPARE + FILES_LEAST ? (unsigned)limit.rlim_cur - FILES_SPARE : FILES_LEAST;
}

static enum tb_status spare(struct tb_merger *m, const char *out, const char *input) {
  if (!tb_file_overwrites_input(out, input)) return TB_OK;
  return tb_fail(&m->error, TB_REFUSED, TB_NO_OFFSET, "the output would overwrite an input; choose another name");
}

static enum tb_status check(struct tb_merger *m, const struct tb_merge_input *inputs, size_t count, const char *out) {
  if (count == 0 || !inputs) return tb_fail(&m->error, TB_INVALID, TB_NO_OFFSET, "there is nothing to merge");
  for (size_t i = 0; i < count; i++) {
    if (!inputs[i].path) return tb_fail(&m->error, TB_INVALID, TB_NO_OFFSET, "the path of input %zu is NULL", i);
    if (inputs[i].reserved[0] || inputs[i].reserved[1])
      return tb_fail(&m->error, TB_INVALID, TB_NO_OFFSET, "`reserved` of input %zu is not NULL", i);
  }
  if (m->options.max_drift_ppm >= DRIFT_PPM_LIMIT)
    return tb_fail(&m->error, TB_INVALID, TB_NO_OFFSET, "the largest drift must be below %d ppm", DRIFT_PPM_LIMIT);
  if (m->options.dry_run) return TB_OK;
  if (!out) return tb_fail(&m->error, TB_INVALID, TB_NO_OFFSET, "there is no output");
  enum tb_status status = TB_OK;
  if (m->options.manifest) status = spare(m, out, m->options.manifest);
  for (size_t i = 0; i < count && status == TB_OK; i++) status = spare(m, out, inputs[i].path);
  if (status != TB_OK) tb_error_set_file(&m->error, out);
  return status;
}

static void fill_options(struct tb_merger *m) {
  if (!m->options.allocator) m->options.allocator = tb_default_allocator();
  if (m->options.align_messages) m->options.share_flows = true;
  if (!m->options.max_open_files) m->options.max_open_files = files_at_a_time();
  if (!m->options.threads) m->options.threads = tb_default_threads();
  if (!m->options.max_drift_ppm) m->options.max_drift_ppm = MAX_DRIFT_PPM;
  if (!m->options.max_junk_bytes) m->options.max_junk_bytes = TB_JUNK_MAX;
}

static enum tb_status create_tables(struct tb_merger *m) {
  m->report = tb_merge_report_create(m->options.allocator);
  if (!m->report) return TB_NO_MEMORY;
  m->allocator = m->report->allocator;
  tb_arena_init(&m->arena, m->allocator, 0);
  m->store.directory = m->options.temporary_directory;
  tb_sync_graph_init(&m->graph, m->allocator);
  tb_marks_init(&m->marks, m->allocator);
  tb_map_init(&m->clock_owner, m->allocator);
  tb_map_init(&m->new_machines, m->allocator);
  tb_map_init(&m->configured, m->allocator);
  tb_map_init(&m->starters, m->allocator);
  tb_map_init(&m->zero_freed, m->allocator);
  return TB_OK;
}

enum tb_status tb_merger_open(struct tb_merger *m, const struct tb_merge_options *options, struct tb_error *error) {
  *m = (struct tb_merger){.options = {.size = sizeof(m->options)}, .reference = UINT32_MAX};
  enum tb_status status = tb_options_take(&m->options, sizeof(m->options), options, error);
  if (status != TB_OK) return status;
  fill_options(m);
  if (create_tables(m) != TB_OK) return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  return TB_OK;
}

static enum tb_status run(struct tb_merger *m, const struct tb_merge_input *inputs, size_t count, const char *out) {
  enum tb_status status = check(m, inputs, count, out);
  if (status == TB_OK) status = tb_field_tree_grow(&m->fields, m->allocator);
  if (status == TB_OK) status = tb_merger_gather(m, inputs, count);
  if (status == TB_OK) status = tb_merger_prescan(m);
  if (status == TB_OK) tb_merger_describe_inputs(m);
  if (status == TB_OK) status = tb_merger_note_same_inputs(m);
  if (status == TB_OK && m->options.manifest)
    status = tb_merger_read_manifest(m, &(struct tb_input_place){.name = m->options.manifest});
  if (status == TB_OK) status = tb_merger_apply_manifest(m);
  if (status == TB_OK) status = tb_merger_join_parts(m);
  if (status == TB_OK) status = tb_merger_align(m);
  if (status == TB_OK) status = tb_merger_place(m);
  if (status == TB_OK) status = tb_merger_assign_ids(m);
  if (status == TB_OK) tb_merger_report_parts(m);
  if (status == TB_OK) status = tb_merger_note_flows(m);
  tb_marks_free(&m->marks);
  if (status == TB_OK && !m->options.dry_run) status = tb_merger_write_out(m, out, tb_merger_write, m);
  status = tb_guard_settle(&m->report->guard, status, &m->error);
  if (status == TB_OK) return m->partial ? TB_PARTIAL : TB_OK;
  return tb_fail(&m->error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
}

static void free_source(struct tb_merger *m, struct tb_source *s) {
  tb_raw_packet_reader_close(s->packets);
  tb_prescan_free(&s->prescan);
  tb_clock_relations_free(&s->relations, m->allocator);
  tb_time_map_free(&s->there);
  tb_time_map_free(&s->back);
  struct tb_map *const tables[] = {&s->machines, &s->sequence_map, &s->uuid_map,  &s->clock_map, &s->separate,
                                   &s->owned,    &s->pid_added,    &s->described, &s->identities};
  for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) tb_map_free(tables[i]);
}

void tb_merger_close(struct tb_merger *m) {
  for (size_t i = 0; i < m->source_count; i++) free_source(m, &m->sources[i]);
  tb_free(m->allocator, m->sources, m->source_capacity * sizeof(*m->sources));
  tb_sync_graph_free(&m->graph);
  tb_free(m->allocator, m->messages.items, m->messages.capacity * sizeof(*m->messages.items));
  for (size_t i = 0; i < m->alignment_count; i++) tb_alignment_free(&m->alignments[i], m->allocator);
  tb_free(m->allocator, m->alignments, m->alignment_capacity * sizeof(*m->alignments));
  tb_map_free(&m->clock_owner);
  tb_map_free(&m->new_machines);
  tb_map_free(&m->configured);
  tb_map_free(&m->starters);
  tb_map_free(&m->zero_freed);
  tb_field_tree_free(&m->fields, m->allocator);
  tb_arena_free(&m->arena);
  tb_copy_store_free(&m->store);
}

enum tb_status tb_merge(const struct tb_merge_input *inputs, size_t count, const char *out,
                        const struct tb_merge_options *options, struct tb_merge_report **report,
                        struct tb_error *error) {
  struct tb_merger m;
  if (report) *report = NULL;
  enum tb_status status = tb_merger_open(&m, options, error);
  if (status != TB_OK) return status;
  status = run(&m, inputs, count, out);
  if (status != TB_OK && status != TB_PARTIAL && error && error->code == TB_OK) *error = m.error;
  tb_merger_close(&m);
  if (report)
    *report = m.report;
  else
    tb_merge_report_free(m.report);
  return status;
}
