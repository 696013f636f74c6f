/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/split/split_part.h"

#include "base/error.h"
#include "perfetto/packet/packet_times.h"
#include "protos/field_numbers.h"

/* ---- what is in several parts ------------------------------------------------------------------------------------ */

static uint8_t decide_row(void *ctx, const struct tb_ftrace_bundle *bundle, const struct tb_ftrace_row *row) {
  const struct tb_split_writing *w = ctx;
  return tb_split_plan_row(w->plan, bundle, row) == w->part ? TB_FTRACE_KEEP : TB_FTRACE_DROP;
}

static enum tb_status decide_bundle(struct tb_split_writing *w, struct tb_cut_order *order) {
  struct tb_split_plan *plan = w->plan;
  struct tb_ftrace_bundle bundle;
  enum tb_ftrace_part part = TB_FTRACE_ALL;
  tb_ftrace_bundle_read(&bundle, plan->walk);
  enum tb_status status = tb_ftrace_decide(&bundle, decide_row, w, &plan->fates, &part);
  if (!plan->fates.len && w->part) part = TB_FTRACE_NONE; /* it says something of a processor alone */
  if (status == TB_OK) status = tb_ftrace_write_first(&bundle, part, &w->begun);
  if (part == TB_FTRACE_NONE) order->fate = TB_CUT_DROP;
  if (status != TB_OK || part != TB_FTRACE_SOME) return status;
  w->buffer.len = 0;
  status = tb_ftrace_append_part(&bundle, plan->walk->packet.packet, &plan->fates, &w->buffer);
  order->replaced = (struct tb_str){w->buffer.data, w->buffer.len};
  return status;
}

static bool keeps_etw(void *ctx, struct tb_str event) {
  const struct tb_split_writing *w = ctx;
  return tb_split_plan_etw(w->plan, event) == w->part;
}

static enum tb_status decide_etw(struct tb_split_writing *w, struct tb_cut_order *order) {
  size_t kept = 0, left = 0;
  w->buffer.len = 0;
  enum tb_status status = tb_etw_append_part(w->plan->walk, keeps_etw, w, &w->buffer, &kept, &left);
  if (!kept && (left || w->part)) order->fate = TB_CUT_DROP;
  if (kept && left) order->replaced = (struct tb_str){w->buffer.data, w->buffer.len};
  return status;
}

static bool is_in_part(const void *ctx, const struct tb_whose *whose) {
  const struct tb_split_writing *w = ctx;
  return tb_split_plan_whose(w->plan, whose) == w->part;
}

static bool is_named(const void *ctx, const struct tb_whose *whose) {
  const struct tb_split_writing *w = ctx;
  return tb_split_plan_names(w->plan, w->part, whose);
}

/* The elements of a list that are the part's; the first part has what else the list says. */
static enum tb_status decide_list(struct tb_split_writing *w, const struct tb_owned_list *list,
                                  bool (*keeps)(const void *ctx, const struct tb_whose *whose),
                                  struct tb_cut_order *order) {
  const struct tb_raw_packet *packet = &w->plan->walk->packet;
  struct tb_owned_list_part part = {list, packet->head.machine, keeps, w, 0, 0};
  tb_owned_list_count(&part, packet->head.payload);
  if (!part.kept && w->part) order->fate = TB_CUT_DROP;
  if (!part.left_out || order->fate == TB_CUT_DROP) return TB_OK;
  w->buffer.len = 0;
  enum tb_status status = tb_owned_list_append(&part, packet->packet, &w->buffer);
  order->replaced = (struct tb_str){w->buffer.data, w->buffer.len};
  return status;
}

static enum tb_status decide_mixed(struct tb_split_writing *w, struct tb_cut_order *order) {
  const struct tb_owned_list *list = tb_owned_list_find(w->plan->walk->packet.head.kind);
  if (w->plan->walk->packet.head.kind == TB_TRACE_PACKET_ETW_EVENTS) return decide_etw(w, order);
  return list ? decide_list(w, list, is_in_part, order) : decide_bundle(w, order);
}

/* What says something of the whole: a part has it where that needs it. */
static enum tb_status decide_common(struct tb_split_writing *w, struct tb_cut_order *order) {
  const struct tb_split_plan *plan = w->plan;
  bool by_owner = plan->by == TB_SPLIT_PROCESS || plan->by == TB_SPLIT_THREAD;
  if (!w->part) return TB_OK;
  if (by_owner && plan->walk->packet.head.kind == tb_owned_tree.kind)
    return decide_list(w, &tb_owned_tree, is_named, order);
  if (!tb_split_plan_needs(plan, w->part)) order->fate = TB_CUT_DROP;
  return TB_OK;
}

/* Packets of wakelocks count from those of other parts, and merged, each part's state begins anew. */
static enum tb_status decide_wakelocks(struct tb_split_writing *w, size_t part, struct tb_cut_order *order) {
  const struct tb_walk *walk = w->plan->walk;
  if (tb_track_events_lack_state(w->plan->events, walk)) return TB_OK;
  enum tb_status status = tb_wakelocks_take(&w->wakelocks, walk);
  if (status != TB_OK || part != w->part || tb_wakelocks_say(&w->wakelocks, walk)) return status;
  w->buffer.len = 0;
  status = tb_wakelocks_append(&w->wakelocks, walk, walk->host_time, &w->buffer);
  order->replaced = (struct tb_str){w->buffer.data, w->buffer.len};
  return status;
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

static enum tb_status take_packet(struct tb_split_writing *w, struct tb_cut *cut) {
  struct tb_split_plan *plan = w->plan;
  const struct tb_walk *walk = plan->walk;
  struct tb_cut_order order = {.fate = TB_CUT_KEEP};
  struct tb_split_mark mark;
  size_t part;
  /* in a merge, clocks of sequences are where part 0 left them; of a part that is converted no clock is left, and only
   * increments say times below zero */
  order.absolute =
      w->part && !w->plan->other_format && walk->time.resolved && walk->node && tb_clock_of_sequence(walk->time.clock);
  if (!walk->packet.packet.ptr) return w->part ? TB_OK : tb_cut_packet(cut, &order);
  if (tb_split_mark_read(walk->packet.head.kind, walk->packet.head.payload, &mark))
    return TB_OK; /* a part is split again */
  enum tb_status status = tb_split_plan_packet(plan, &part);
  if (plan->has_view) order.view = plan->view;
  if (w->wakelocks.count && walk->packet.head.cleared) tb_wakelocks_take_clear(&w->wakelocks, walk);
  if (status == TB_OK && walk->packet.head.kind == TB_TRACE_PACKET_KERNEL_WAKELOCK_DATA)
    status = decide_wakelocks(w, part, &order);
  if (status == TB_OK && part == TB_SPLIT_ALL)
    status = decide_common(w, &order);
  else if (status == TB_OK && part == TB_SPLIT_MIXED)
    status = decide_mixed(w, &order);
  else if (part != w->part) {
    order.fate = TB_CUT_DROP;
    order.keep = tb_packet_describing_field(walk->packet.head.kind);
  }
  if (status != TB_OK) return tb_fail(&plan->walk->merger.error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
  return tb_cut_packet(cut, &order);
}

/* What makes a merge take the parts for one trace. */
static enum tb_status write_mark(struct tb_split_writing *w) {
  struct tb_split_mark mark = {w->recording, (uint32_t)w->part};
  w->buffer.len = 0;
  enum tb_status status = tb_split_mark_append(&mark, !w->plan->other_format, &w->buffer);
  return status == TB_OK ? tb_walk_write(w->plan->walk, (struct tb_str){w->buffer.data, w->buffer.len}) : status;
}

enum tb_status tb_split_part_write(void *writing) {
  struct tb_split_writing *w = writing;
  struct tb_walk *walk = w->plan->walk;
  struct tb_cut cut;
  tb_split_plan_rewind(w->plan);
  tb_cut_init(&cut, walk, w->plan->events);
  tb_buffer_init(&w->buffer, walk->merger.allocator, 0);
  tb_wakelocks_init(&w->wakelocks, walk->merger.allocator);
  tb_map_init(&w->begun, walk->merger.allocator);
  enum tb_status status = write_mark(w);
  if (status == TB_OK) status = tb_walk_start(walk);
  while (status == TB_OK) {
    status = tb_walk_next(walk);
    if (status == TB_OK) status = take_packet(w, &cut);
  }
  w->packets_in = walk->next;
  tb_cut_free(&cut);
  tb_buffer_free(&w->buffer);
  tb_wakelocks_free(&w->wakelocks);
  tb_map_free(&w->begun);
  return status == TB_END ? TB_OK : status;
}
