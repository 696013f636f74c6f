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

enum tb_status tb_reader_set_target(struct tb_reader *reader, const struct tb_writer *writer) {
  if (!reader || !writer || reader->options.shape != TB_SHAPE_SOURCE || reader->fills) return TB_INVALID;
  tb_match_target(reader, writer);
  return TB_OK;
}

/* Text says all of the system's events, instants less. */
static bool takes_less(const struct tb_target_traits *a, const struct tb_target_traits *b) {
  return a->packets != b->packets ? b->packets : a->system_as_events && !b->system_as_events;
}

void tb_match_readers(struct tb_reader *first, struct tb_reader *second) {
  if (tb_reader_format(first) == tb_reader_format(second)) return;
  const struct tb_writer_ops *a = tb_registry_writer(tb_reader_format(first));
  const struct tb_writer_ops *b = tb_registry_writer(tb_reader_format(second));
  const struct tb_writer_ops *less = !a || (b && takes_less(&b->target, &a->target)) ? b : a;
  if (less && !less->target.packets) first->target = second->target = less->target;
}
