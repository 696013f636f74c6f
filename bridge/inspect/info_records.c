/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts the records of the source for tb_info: by kind, and by the provider that wrote them.
 */
#include "inspect/info_state.h"

static struct tb_info_provider *find_provider(struct tb_info_state *s, uint32_t id) {
  uint32_t index;
  if (tb_map_get(&s->provider_ids, id, 0, &index)) return &s->providers[index];
  void *providers = s->providers;
  if (tb_grow_array(s->allocator, &providers, &s->provider_capacity, s->provider_count + 1, sizeof(*s->providers),
                    UINT32_MAX - 1) != TB_OK ||
      tb_map_put(&s->provider_ids, id, 0, (uint32_t)s->provider_count) != TB_OK) {
    s->out_of_memory = true;
    s->providers = providers;
    return NULL;
  }
  s->providers = providers;
  s->providers[s->provider_count] = (struct tb_info_provider){.id = id};
  return &s->providers[s->provider_count++];
}

/* What a record says of its provider. */
static void take_particulars(struct tb_info_state *s, const struct tb_record_note *note,
                             struct tb_info_provider *provider) {
  if (note->has_ticks_per_second) provider->ticks_per_second = note->ticks_per_second;
  provider->losses += note->is_loss;
  if (!note->has_provider_name) return;
  provider->name = tb_arena_copy(&s->arena, note->provider_name);
  if (!provider->name.ptr) s->out_of_memory = true;
}

void tb_info_count_record(void *state, const struct tb_record_note *note) {
  struct tb_info_state *s = state;
  struct tb_info_records *kind = &s->record_kinds[note->kind];
  s->info.record_count++;
  kind->kind = note->kind_name;
  kind->count++;
  kind->bytes += note->bytes;
  struct tb_info_provider *provider = note->has_provider ? find_provider(s, note->provider) : NULL;
  if (!provider) return;
  provider->records++;
  provider->bytes += note->bytes;
  take_particulars(s, note, provider);
}
