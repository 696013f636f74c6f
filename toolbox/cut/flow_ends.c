/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/cut/flow_ends.h"

#include "base/search.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"

enum { FLOW_ENDS_MAX = 1 << 28 };

void tb_flow_ends_init(struct tb_flow_ends *ends, const struct tb_allocator *allocator) {
  *ends = (struct tb_flow_ends){.allocator = allocator};
}

void tb_flow_ends_free(struct tb_flow_ends *ends) {
  tb_free(ends->allocator, ends->items, ends->capacity * sizeof(*ends->items));
}

enum tb_status tb_flow_ends_add(struct tb_flow_ends *ends, const struct tb_walk *walk,
                                const struct tb_flow_end *event) {
  struct tb_wire_cursor cursor = tb_wire_cursor(walk->packet.head.payload);
  struct tb_wire_field field;
  enum tb_status status = TB_OK;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number != TB_TRACK_EVENT_TERMINATING_FLOW_IDS && field.number != TB_TRACK_EVENT_TERMINATING_FLOW_IDS_OLD)
      continue;
    void *items = ends->items;
    status =
        tb_grow_array(ends->allocator, &items, &ends->capacity, ends->count + 1, sizeof(*ends->items), FLOW_ENDS_MAX);
    ends->items = items;
    if (status != TB_OK) return status;
    ends->items[ends->count] = *event;
    ends->items[ends->count++].id = field.value;
  }
  return status;
}

/* By machine and id, then in the order of time, which at one time is that of the file. */
static int compare(const void *one, const void *other) {
  const struct tb_flow_end *a = one, *b = other;
  if (a->machine != b->machine) return a->machine < b->machine ? -1 : 1;
  if (a->id != b->id) return a->id < b->id ? -1 : 1;
  if (a->time != b->time) return a->time < b->time ? -1 : 1;
  return a->number < b->number ? -1 : a->number > b->number;
}

void tb_flow_ends_settle(struct tb_flow_ends *ends, bool (*stays)(const void *ctx, const struct tb_flow_end *end),
                         const void *ctx) {
  size_t left = 0;
  for (size_t i = 0; i < ends->count; i++)
    if (!stays(ctx, &ends->items[i])) ends->items[left++] = ends->items[i];
  ends->count = left;
  if (left) qsort(ends->items, left, sizeof(*ends->items), compare);
}

/* The first place whose item is not before `end`. */
static size_t place_of(const struct tb_flow_ends *ends, const struct tb_flow_end *end) {
  size_t at = 0;
  TB_LOWER_BOUND(at, ends->count, i, compare(&ends->items[i], end) < 0);
  return at;
}

uint64_t tb_flow_ends_id(const struct tb_flow_ends *ends, const struct tb_flow_end *here) {
  size_t at = place_of(ends, here);
  if (!at || ends->items[at - 1].id != here->id || ends->items[at - 1].machine != here->machine) return here->id;
  const struct tb_flow_end first = {.id = here->id, .machine = here->machine, .time = INT64_MIN};
  return tb_mix64(here->id ^ tb_mix64(at - place_of(ends, &first)));
}
