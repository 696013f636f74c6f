/* SPDX-License-Identifier: Apache-2.0
 *
 * Rewriting when V8's CPU profiles begin, from where their samples count: in whole microseconds.
 */
#include "merge/rewrite/rewrite_internal.h"
#include "tracebridge/event.h"

bool tb_find_profile_start(struct tb_str event, struct tb_profile_start *start) {
  tb_profile_event_read(event, &start->event);
  return start->event.is_sample && start->event.at &&
         tb_profile_start(start->event.json.bytes, &start->digits, &start->ns);
}

enum tb_status tb_edit_profile_start(struct tb_edit *e, const struct tb_profile_start *start) {
  const struct tb_profile_event *event = &start->event;
  struct tb_message_patches_mark of_annotation, of_json;
  int64_t to = tb_profile_start_us(e->map->time(e->map->ctx, e->packet->machine_in, TB_CLOCK_MONOTONIC, start->ns));
  if (to == tb_profile_start_us(start->ns) || to < 0) return TB_OK;
  e->map->times_changed++;
  enum tb_status status = tb_message_patches_begin(e->patches, &event->annotation, &of_annotation);
  if (status == TB_OK) status = tb_message_patches_begin(e->patches, &event->json, &of_json);
  if (status == TB_OK) status = tb_message_patches_decimal(e->patches, start->digits, (uint64_t)to);
  if (status != TB_OK) return status;
  tb_message_patches_end(e->patches, &event->json, &of_json);
  tb_message_patches_end(e->patches, &event->annotation, &of_annotation);
  return TB_OK;
}
