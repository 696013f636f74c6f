/* SPDX-License-Identifier: Apache-2.0 */
#include "convert/match.h"

#include "convert/registry.h"

void tb_match_source(struct tb_writer *writer, const struct tb_writer_ops *ops) {
  const struct tb_reader_ops *source = tb_registry_reader(writer->options.source);
  if (source) writer->source = source->source;
  writer->is_own_source = writer->options.source == ops->format;
  writer->target = ops->target;
}

void tb_match_target(struct tb_reader *reader, const struct tb_writer *writer) { reader->target = writer->target; }
