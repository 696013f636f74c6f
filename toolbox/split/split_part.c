/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/split/split_part.h"

#include <string.h>

#include "base/error.h"
#include "perfetto/packet/packet_times.h"
#include "protos/field_numbers.h"

/* ---- what is in several parts ------------------------------------------------------------------------------------ */

static uint8_t find_part(void *ctx, const struct tb_ftrace_bundle *bundle, const struct tb_ftrace_row *row) {
  struct tb_split_group *group = ctx;
  size_t part = tb_split_plan_row(group->plan, bundle, row);
  uint32_t place = group->plan->pieces[part].place;
  if (place < group->count) group->writings[place].rows++;
  if (tb_buffer_append(&group->row_parts, &part, sizeof(part)) != TB_OK) group->plan->failed = TB_NO_MEMORY;
  return TB_FTRACE_DROP;
}

/* Which parts the events of a bundle are in. */
static enum tb_status find_parts(struct tb_split_group *group) {
  struct tb_ftrace_bundle bundle;
  enum tb_ftrace_part part;
  for (size_t i = 0; i < group->count; i++) group->writings[i].rows = 0;
  group->row_parts.len = 0;
  tb_ftrace_bundle_read(&bundle, group->plan->walk);
  enum tb_status status = tb_ftrace_decide(&bundle, find_part, group, &group->plan->fates, &part);
  return status == TB_OK ? group->plan->failed : status;
}

struct row_choice {
  const struct tb_split_writing *w;
  size_t row;
};

static uint8_t decide_row(void *ctx, const struct tb_ftrace_bundle *bundle, const struct tb_ftrace_row *row) {
  struct row_choice *choice = ctx;
  const struct tb_split_group *group = choice->w->group;
  size_t part;
  (void)bundle, (void)row;
  memcpy(&part, group->row_parts.data + choice->row++ * sizeof(part), sizeof(part));
  return part == choice->w->part ? TB_FTRACE_KEEP : TB_FTRACE_DROP;
}

static enum tb_status decide_bundle(struct tb_split_writing *w, struct tb_cut_order *order) {
  struct tb_split_plan *plan = w->group->plan;
  struct tb_ftrace_bundle bundle;
  struct row_choice choice = {w, 0};
  enum tb_ftrace_part part = TB_FTRACE_ALL;
  tb_ftrace_bundle_read(&bundle, plan->walk);
  enum tb_status status = tb_ftrace_decide(&bundle, decide_row, &choice, &plan->fates, &part);
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
  return tb_split_plan_etw(w->group->plan, event) == w->part;
}

static enum tb_status decide_etw(struct tb_split_writing *w, struct tb_cut_order *order) {
  size_t kept = 0, left = 0;
  w->buffer.len = 0;
  enum tb_status status = tb_etw_append_part(w->group->plan->walk, keeps_etw, w, &w->buffer, &kept, &left);
  if (!kept && (left || w->part)) order->fate = TB_CUT_DROP;
  if (kept && left) order->replaced = (struct tb_str){w->buffer.data, w->buffer.len};
  return status;
}

static bool is_in_part(const void *ctx, const struct tb_whose *whose) {
  const struct tb_split_writing *w = ctx;
  return tb_split_plan_whose(w->group->plan, whose) == w->part;
}

static bool is_named(const void *ctx, const struct tb_whose *whose) {
  const struct tb_split_writing *w = ctx;
  return tb_split_plan_names(w->group->plan, w->part, whose);
}

/* The elements of a list that are the part's; the first part has what else the list says. */
static enum tb_status decide_list(struct tb_split_writing *w, const struct tb_owned_list *list,
                                  bool (*keeps)(const void *ctx, const struct tb_whose *whose),
                                  struct tb_cut_order *order) {
  const struct tb_raw_packet *packet = &w->group->plan->walk->packet;
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
  const struct tb_owned_list *list = tb_owned_list_find(w->group->plan->walk->packet.head.kind);
  if (w->group->plan->walk->packet.head.kind == TB_TRACE_PACKET_ETW_EVENTS) return decide_etw(w, order);
  return list ? decide_list(w, list, is_in_part, order) : decide_bundle(w, order);
}

/* What says something of the whole: a part has it where that needs it. */
static enum tb_status decide_common(struct tb_split_writing *w, struct tb_cut_order *order) {
  const struct tb_split_plan *plan = w->group->plan;
  bool by_owner = plan->by == TB_SPLIT_PROCESS || plan->by == TB_SPLIT_THREAD;
  if (!w->part) return TB_OK;
  if (by_owner && plan->walk->packet.head.kind == tb_owned_tree.kind)
    return decide_list(w, &tb_owned_tree, is_named, order);
  if (!tb_split_plan_needs(plan, w->part)) order->fate = TB_CUT_DROP;
  return TB_OK;
}

/* Packets of wakelocks count from those of other parts, and merged, each part's state begins anew. */
static enum tb_status decide_wakelocks(struct tb_split_writing *w, size_t part, struct tb_cut_order *order) {
  const struct tb_walk *walk = w->group->plan->walk;
  if (tb_track_events_lack_state(w->group->plan->events, walk)) return TB_OK;
  enum tb_status status = tb_wakelocks_take(&w->wakelocks, walk);
  if (status != TB_OK || part != w->part || tb_wakelocks_say(&w->wakelocks, walk)) return status;
  w->buffer.len = 0;
  status = tb_wakelocks_append(&w->wakelocks, walk, walk->host_time, &w->buffer);
  order->replaced = (struct tb_str){w->buffer.data, w->buffer.len};
  return status;
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

/* In a merge, clocks of sequences are where part 0 left them; of a part that is converted no clock is left, and only
 * increments say times below zero. */
static bool has_absolute_time(const struct tb_split_writing *w) {
  const struct tb_walk *walk = w->group->plan->walk;
  return w->part && !w->group->plan->other_format && walk->time.resolved && walk->node &&
         tb_clock_of_sequence(walk->time.clock);
}

/* Whether a packet says something to parts that do not have it: to its sequence, which packets that stay may need. */
static bool is_for_all(const struct tb_split_group *group) {
  const struct tb_walk *walk = group->plan->walk;
  const struct tb_packet_header *head = &walk->packet.head;
  return head->cleared || head->dropped || head->first || head->has_defaults || head->interned_count || walk->counted ||
         head->kind == TB_TRACE_PACKET_KERNEL_WAKELOCK_DATA || tb_packet_describing_field(head->kind);
}

/* The same of the part, whose packets count their time on from the packet's. */
static bool is_counted_from(const struct tb_split_writing *w) {
  const struct tb_walk *walk = w->group->plan->walk;
  return walk->packet.head.has_timestamp && walk->node && walk->node->incremental && !has_absolute_time(w);
}

/* Whether the bundle is the first one of its processor, which all parts have to see. */
static bool is_new_processor(const struct tb_split_group *group) {
  struct tb_ftrace_bundle bundle;
  tb_ftrace_bundle_read(&bundle, group->plan->walk);
  return !tb_map_find(&group->writings[0].begun, bundle.machine, bundle.cpu);
}

static enum tb_status write_packet(struct tb_split_writing *w, size_t part) {
  struct tb_split_plan *plan = w->group->plan;
  const struct tb_walk *walk = plan->walk;
  struct tb_cut_order order = {.fate = TB_CUT_KEEP, .absolute = has_absolute_time(w)};
  enum tb_status status = TB_OK;
  plan->walk->merger.output = w->file->output;
  if (plan->has_view) order.view = plan->view;
  if (w->wakelocks.count && walk->packet.head.cleared) tb_wakelocks_take_clear(&w->wakelocks, walk);
  if (walk->packet.head.kind == TB_TRACE_PACKET_KERNEL_WAKELOCK_DATA) status = decide_wakelocks(w, part, &order);
  if (status == TB_OK && part == TB_SPLIT_ALL)
    status = decide_common(w, &order);
  else if (status == TB_OK && part == TB_SPLIT_MIXED)
    status = decide_mixed(w, &order);
  else if (part != w->part) {
    order.fate = TB_CUT_DROP;
    order.keep = tb_packet_describing_field(walk->packet.head.kind);
  }
  if (status != TB_OK) return tb_fail(&plan->walk->merger.error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
  status = tb_missed_values_add_up(&w->group->missed, &w->seen_values, &w->cut);
  return status == TB_OK ? tb_cut_packet(&w->cut, &order) : status;
}

/* What is not a packet is in the first part. */
static enum tb_status write_other(const struct tb_split_group *group) {
  const struct tb_cut_order order = {.fate = TB_CUT_KEEP};
  struct tb_split_writing *first = &group->writings[0];
  if (first->part) return TB_OK;
  group->plan->walk->merger.output = first->file->output;
  return tb_cut_packet(&first->cut, &order);
}

/* To the parts that have it, or count on from it. */
static enum tb_status write_to_some(struct tb_split_group *group, size_t part) {
  const struct tb_walk *walk = group->plan->walk;
  bool is_counted = walk->packet.head.has_timestamp && walk->node && walk->node->incremental;
  enum tb_status status = TB_OK;
  if (part < group->plan->count && !is_counted) {
    uint32_t place = group->plan->pieces[part].place;
    return place < group->count ? write_packet(&group->writings[place], part) : TB_OK;
  }
  for (size_t i = 0; i < group->count && status == TB_OK; i++) {
    struct tb_split_writing *w = &group->writings[i];
    bool has_some = part == TB_SPLIT_MIXED ? w->rows != 0 : w->part == part;
    if (has_some || is_counted_from(w)) status = write_packet(w, part);
  }
  return status;
}

static enum tb_status write_to_all(struct tb_split_group *group, size_t part) {
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < group->count && status == TB_OK; i++) status = write_packet(&group->writings[i], part);
  return status;
}

static enum tb_status take_packet(struct tb_split_group *group) {
  struct tb_split_plan *plan = group->plan;
  struct tb_walk *walk = plan->walk;
  struct tb_split_mark mark;
  size_t part;
  if (!walk->packet.packet.ptr) return write_other(group);
  if (tb_split_mark_read(walk->packet.head.kind, walk->packet.head.payload, &mark))
    return TB_OK; /* a part is split again */
  enum tb_status status = tb_split_plan_packet(plan, &part);
  bool all = is_for_all(group) || part == TB_SPLIT_ALL || part == TB_SPLIT_MIXED;
  if (status == TB_OK && part == TB_SPLIT_MIXED && walk->packet.head.kind == TB_TRACE_PACKET_FTRACE_EVENTS) {
    status = find_parts(group);
    all = is_for_all(group) || !group->row_parts.len || is_new_processor(group);
  }
  const struct tb_event_view *view = plan->has_view ? &plan->view : NULL;
  if (status == TB_OK) status = tb_missed_values_look(&group->missed, plan->events, walk, view);
  if (status == TB_OK) status = all ? write_to_all(group, part) : write_to_some(group, part);
  if (status == TB_OK) status = tb_missed_values_pass(&group->missed);
  return status == TB_OK ? TB_OK : tb_fail(&walk->merger.error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

/* Begins with a mark, which makes a merge take the parts for one trace. */
static enum tb_status begin_part(struct tb_split_group *group, struct tb_split_writing *w) {
  struct tb_walk *walk = group->plan->walk;
  struct tb_split_mark mark = {group->recording, (uint32_t)w->part};
  w->group = group;
  tb_cut_init(&w->cut, walk, group->plan->events);
  tb_buffer_init(&w->buffer, walk->merger.allocator, 0);
  tb_wakelocks_init(&w->wakelocks, walk->merger.allocator);
  tb_map_init(&w->begun, walk->merger.allocator);
  tb_map_init(&w->seen_values, walk->merger.allocator);
  enum tb_status status = tb_split_mark_append(&mark, !group->plan->other_format, &w->buffer);
  walk->merger.output = w->file->output;
  return status == TB_OK ? tb_walk_write(walk, (struct tb_str){w->buffer.data, w->buffer.len}) : status;
}

static void free_part(struct tb_split_writing *w) {
  tb_cut_free(&w->cut);
  tb_buffer_free(&w->buffer);
  tb_wakelocks_free(&w->wakelocks);
  tb_map_free(&w->begun);
  tb_map_free(&w->seen_values);
}

enum tb_status tb_split_group_write(void *ctx) {
  struct tb_split_group *group = ctx;
  struct tb_walk *walk = group->plan->walk;
  enum tb_status status = TB_OK;
  size_t begun = 0;
  tb_split_plan_rewind(group->plan);
  tb_buffer_init(&group->row_parts, walk->merger.allocator, 0);
  tb_missed_values_init(&group->missed, walk->merger.allocator);
  while (begun < group->count && status == TB_OK) status = begin_part(group, &group->writings[begun++]);
  if (status == TB_OK) status = tb_walk_start(walk);
  while (status == TB_OK) {
    status = tb_walk_next(walk);
    if (status == TB_OK) status = take_packet(group);
  }
  group->packets_in = walk->next;
  for (size_t i = 0; i < begun; i++) free_part(&group->writings[i]);
  tb_buffer_free(&group->row_parts);
  tb_missed_values_free(&group->missed);
  return status == TB_END ? TB_OK : status;
}
