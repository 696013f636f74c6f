/* SPDX-License-Identifier: Apache-2.0 */
#include "base/intern.h"

enum { FIRST_SLOTS = 64, RECENT_BYTES = sizeof(struct tb_intern_recent) << TB_INTERN_RECENT_BITS };

void tb_intern_init(struct tb_intern *table, const struct tb_allocator *allocator) {
  *table = (struct tb_intern){.allocator = allocator};
  tb_arena_init(&table->arena, allocator, 0);
}

void tb_intern_free(struct tb_intern *table) {
  tb_free(table->allocator, table->recent, RECENT_BYTES);
  tb_free(table->allocator, table->slots, table->slot_count * sizeof(*table->slots));
  tb_free(table->allocator, table->texts, table->text_capacity * sizeof(*table->texts));
  tb_arena_free(&table->arena);
  *table = (struct tb_intern){.allocator = table->allocator};
}

static void place(struct tb_intern_slot *slots, size_t count, struct tb_intern_slot slot) {
  size_t i = slot.hash & (count - 1);
  while (slots[i].id) i = (i + 1) & (count - 1);
  slots[i] = slot;
}

static bool grow_slots(struct tb_intern *table) {
  if (!table->recent) table->recent = tb_calloc(table->allocator, RECENT_BYTES);
  if (!table->recent) return false;
  size_t to = table->slot_count ? table->slot_count * 2 : FIRST_SLOTS;
  struct tb_intern_slot *slots = tb_calloc(table->allocator, to * sizeof(*slots));
  if (!slots) return false;
  for (size_t i = 0; i < table->slot_count; i++)
    if (table->slots[i].id) place(slots, to, table->slots[i]);
  tb_free(table->allocator, table->slots, table->slot_count * sizeof(*slots));
  table->slots = slots;
  table->slot_count = to;
  return true;
}

uint32_t tb_intern_add(struct tb_intern *table, struct tb_str text, uint32_t hash) {
  if ((table->count + 1) * 4 > table->slot_count * 3 && !grow_slots(table)) return 0;
  void *texts = table->texts;
  if (tb_grow_array(table->allocator, &texts, &table->text_capacity, table->count + 1, sizeof(*table->texts),
                    UINT32_MAX - 1) != TB_OK)
    return 0;
  table->texts = texts;
  struct tb_str copy = tb_arena_copy(&table->arena, text);
  if (!copy.ptr) return 0;
  table->texts[table->count++] = copy;
  uint32_t id = (uint32_t)table->count;
  place(table->slots, table->slot_count, (struct tb_intern_slot){hash, id});
  return id;
}

/* Where another text took its slot. */
uint32_t tb_intern_find_moved(const struct tb_intern *table, struct tb_str text) {
  size_t slot;
  const struct tb_intern_recent known = tb_intern_recent_of(text, &slot);
  return tb_intern_look_at(table, &table->recent[slot ^ 1], &known, text);
}

uint32_t tb_intern_id_slow(struct tb_intern *table, struct tb_str text) {
  uint32_t hash = tb_intern_hash(text);
  uint32_t id = tb_intern_find(table, text, hash);
  if (!id) id = tb_intern_add(table, text, hash);
  if (id) tb_intern_note_recent(table, text, id);
  return id;
}
