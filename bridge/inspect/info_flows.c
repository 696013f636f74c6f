/* SPDX-License-Identifier: Apache-2.0
 *
 * How many arrows the flows of a trace are: one from each of their ends to the next. Ends come in any order of time, so
 * that they are counted, and not followed:
 *
 *   a flow that slices name by its id    its ends, less one for each time that it begins anew behind one that ends it
 *   a flow of begins, steps and ends     its steps and ends, where there is a begin
 *
 * Memory is bounded: flows beyond a limit are not counted.
 */
#include "inspect/info_state.h"

enum { FLOWS_MAX = 1 << 20 };
#define HAS_BEGIN (UINT64_C(1) << 63) /* of a flow of begins, steps and ends; the rest counts what came before it */

static uint64_t hash_of_id(const struct tb_event *event, const struct tb_id *id) {
  uint64_t hash = id->is_number ? tb_mix_word(1, id->value) : tb_str_hash(id->text, 2);
  if (id->kind == TB_ID_LOCAL && event->track) hash = tb_mix_word(hash, (uint64_t)event->track->pid);
  return hash;
}

/* By what readers know the flow of a flow event. */
static uint64_t key_of_event(const struct tb_event *event) {
  uint64_t hash = hash_of_id(event, &event->id);
  if (event->has & TB_HAS_ID_ONLY_MATCH) return hash;
  hash = tb_mix_word(hash, tb_str_hash(event->categories, 3));
  return tb_mix_word(hash, tb_str_hash(event->name, 4));
}

enum { BY_EVENT, BY_BIND_ID, BY_FLOW_ID }; /* the second number of a key */

/* What is counted of the flow, 0 at first; NULL where it is not counted. */
static uint64_t *flow_of(struct tb_info_state *s, uint64_t key, uint64_t way, bool *is_new) {
  uint64_t *known = tb_map_find(&s->flows, key, way);
  *is_new = !known;
  if (known) return known;
  if (s->flows.count >= FLOWS_MAX) {
    s->names_left_out = true;
    return NULL;
  }
  if (tb_map_put(&s->flows, key, way, 0) != TB_OK) s->out_of_memory = true;
  return tb_map_find(&s->flows, key, way);
}

static void count_id(struct tb_info_state *s, uint64_t id, bool terminates) {
  bool is_new;
  uint64_t *terminations = flow_of(s, id, BY_FLOW_ID, &is_new);
  if (!terminations) return;
  bool begins = is_new;
  if (terminates && ++*terminations > 1) begins = true;
  s->info.flow_arrows += !begins;
}

static void count_end(struct tb_info_state *s, uint64_t key, uint64_t way, bool begins) {
  bool is_new;
  uint64_t *waiting = flow_of(s, key, way, &is_new);
  if (!waiting) return;
  if (begins && !(*waiting & HAS_BEGIN)) {
    s->info.flow_arrows += *waiting;
    *waiting = HAS_BEGIN;
  } else if (!begins) {
    if (*waiting & HAS_BEGIN)
      s->info.flow_arrows++;
    else
      ++*waiting;
  }
}

void tb_info_count_flows(struct tb_info_state *s, const struct tb_event *event) {
  s->info.flows += (uint64_t)event->flow_count + event->terminating_flow_count;
  for (uint32_t i = 0; i < event->flow_count; i++) count_id(s, event->flow_ids[i], false);
  for (uint32_t i = 0; i < event->terminating_flow_count; i++) count_id(s, event->terminating_flow_ids[i], true);
  if (event->has & TB_HAS_FLOWS_DUPLICATED) return; /* counted by their ids */
  if (event->type >= TB_EVENT_FLOW_BEGIN && event->type <= TB_EVENT_FLOW_END) {
    s->info.flows++;
    count_end(s, key_of_event(event), BY_EVENT, event->type == TB_EVENT_FLOW_BEGIN);
  }
  bool in = event->has & TB_HAS_FLOW_IN, out = event->has & TB_HAS_FLOW_OUT;
  if (!in && !out) return;
  s->info.flows += (uint64_t)in + out;
  count_end(s, hash_of_id(event, &event->bind_id), BY_BIND_ID, !in);
}
