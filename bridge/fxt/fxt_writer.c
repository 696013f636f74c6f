/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "event/writer_ops.h"

static enum tb_status create(struct tb_writer *writer) {
  return tb_fail(&writer->error, TB_UNSUPPORTED, TB_NO_OFFSET, "writing this format is not supported yet");
}

const struct tb_writer_ops tb_fxt_writer_ops = {.format = TB_FORMAT_FXT, .create = create};
