/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts the records of FXT for tb_info: by kind, and by the provider that wrote them.
 */
#include "inspect/info_state.h"

static struct tb_info_provider *find_provider(struct tb_info_state *s, uint32_t id) {
  uint32_t place;
  if (tb_map_get(&s->provider_ids, id, 0, &place)) return &s->providers[place];
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
static void take_particulars(struct tb_info_state *s, const struct tb_fxt_raw_record *record,
                             struct tb_info_provider *provider) {
  struct tb_fxt_cursor cursor = {record->bytes.ptr + TB_FXT_WORD, record->bytes.ptr + record->bytes.len};
  uint64_t header = record->header, type = tb_fxt_field(header, 16, 19);
  if ((header & 15) == TB_FXT_INITIALIZATION) {
    (void)tb_fxt_take_word(&cursor, &provider->ticks_per_second);
  } else if ((header & 15) == TB_FXT_METADATA && type == TB_FXT_PROVIDER_EVENT) {
    provider->losses++;
  } else if ((header & 15) == TB_FXT_METADATA && type == TB_FXT_PROVIDER_INFO) {
    struct tb_str name;
    if (!tb_fxt_take_stream(&cursor, (size_t)tb_fxt_field(header, 52, 59), &name)) return;
    provider->name = tb_arena_copy(&s->arena, name);
    if (!provider->name.ptr) s->out_of_memory = true;
  }
}

/* The provider whose record it is: the current one, or the one that a metadata record names. */
static uint32_t provider_of(const struct tb_fxt_raw_record *record) {
  if ((record->header & 15) == TB_FXT_METADATA) return (uint32_t)tb_fxt_field(record->header, 20, 51);
  return record->tables->provider->id;
}

void tb_info_count_record(void *state, const void *watched) {
  struct tb_info_state *s = state;
  const struct tb_fxt_raw_record *record = watched;
  unsigned kind = tb_fxt_record_kind(record->header);
  s->info.record_count++;
  s->record_kinds[kind].kind = tb_fxt_kind_name(kind);
  s->record_kinds[kind].count++;
  s->record_kinds[kind].bytes += record->bytes.len;
  if (record->header == TB_FXT_MAGIC) return;
  struct tb_info_provider *provider = find_provider(s, provider_of(record));
  if (!provider) return;
  provider->records++;
  provider->bytes += record->bytes.len;
  take_particulars(s, record, provider);
}
