/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/cut/cut_file.h"

#include "base/error.h"
#include "tracebridge/file.h"

enum tb_status tb_cut_check_files(const char *in, const char *out, struct tb_error *error) {
  if (!in || !out) return tb_fail(error, TB_INVALID, TB_NO_OFFSET, "there is no %s", in ? "output" : "input");
  if (!tb_file_overwrites_input(out, in)) return TB_OK;
  tb_error_set_file(error, out);
  return tb_fail(error, TB_REFUSED, TB_NO_OFFSET, "the output would overwrite the input; choose another name");
}

enum tb_status tb_cut_settle(struct tb_merger *m, enum tb_status status, struct tb_error *error) {
  status = tb_guard_settle(&m->report->guard, status, &m->error);
  if (status == TB_OK) return m->partial ? TB_PARTIAL : TB_OK;
  if (status == TB_PARTIAL) return status;
  (void)tb_fail(&m->error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
  bool is_of_input = status == TB_REFUSED || status == TB_BAD_DATA || status == TB_LIMIT;
  if (is_of_input && m->source_count) tb_error_set_file(&m->error, m->sources[0].name);
  if (error && error->code == TB_OK) *error = m->error;
  return status;
}
