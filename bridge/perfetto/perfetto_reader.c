/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "event/reader_ops.h"

static enum tb_status create(struct tb_reader *reader) {
  return tb_fail(&reader->error, TB_UNSUPPORTED, TB_NO_OFFSET, "reading this format is not supported yet");
}

const struct tb_reader_ops tb_perfetto_reader_ops = {.format = TB_FORMAT_PERFETTO, .create = create};
