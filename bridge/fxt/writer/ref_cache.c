/* SPDX-License-Identifier: Apache-2.0 */
#include "fxt/writer/ref_cache.h"

#include "fxt/strings.h"

enum { FIRST_ENTRIES = 64, MISSES_MAX = 64 };

void tb_fxt_ref_cache_init(struct tb_fxt_ref_cache *table, const struct tb_allocator *allocator, uint16_t max_count,
                           size_t max_bytes) {
  *table = (struct tb_fxt_ref_cache){.allocator = allocator, .max_count = max_count, .max_bytes = max_bytes};
}

static bool is_near(size_t len) { return len <= TB_FXT_REF_CACHE_NEAR; }

/* Valid while the table does not change. */
static struct tb_str text_of(const struct tb_fxt_ref_cache_entry *entry) {
  return (struct tb_str){is_near(entry->len) ? entry->near : entry->block, entry->len};
}

static void free_text(struct tb_fxt_ref_cache *table, struct tb_fxt_ref_cache_entry *entry) {
  table->bytes -= entry->len;
  if (!is_near(entry->len)) tb_free(table->allocator, entry->block, entry->len);
  entry->len = 0;
}

void tb_fxt_ref_cache_free(struct tb_fxt_ref_cache *table) {
  for (size_t i = 1; i <= table->count; i++) free_text(table, &table->entries[i]);
  tb_free(table->allocator, table->entries, table->capacity * sizeof(*table->entries));
  tb_free(table->allocator, table->buckets, table->bucket_count * sizeof(*table->buckets));
  tb_fxt_ref_cache_init(table, table->allocator, table->max_count, table->max_bytes);
}

/* ---- the list by time of use ------------------------------------------------------------------------------------- */

static void unlink_entry(struct tb_fxt_ref_cache *table, uint16_t index) {
  struct tb_fxt_ref_cache_entry *e = table->entries;
  e[e[index].newer].older = e[index].older;
  e[e[index].older].newer = e[index].newer;
}

static void link_as_newest(struct tb_fxt_ref_cache *table, uint16_t index) {
  struct tb_fxt_ref_cache_entry *e = table->entries;
  e[index].older = e[0].older; /* the head's `older` is the newest entry, its `newer` the oldest */
  e[index].newer = 0;
  e[e[0].older].newer = index;
  e[0].older = index;
}

/* ---- the buckets ------------------------------------------------------------------------------------------------- */

static uint16_t *bucket_of(const struct tb_fxt_ref_cache *table, uint64_t hash) {
  return &table->buckets[tb_fxt_hash_slot(hash, table->bucket_count)];
}

static void add_to_bucket(struct tb_fxt_ref_cache *table, uint16_t index) {
  uint16_t *bucket = bucket_of(table, table->entries[index].hash);
  table->entries[index].next = *bucket;
  *bucket = index;
}

static void remove_from_bucket(struct tb_fxt_ref_cache *table, uint16_t index) {
  uint16_t *at = bucket_of(table, table->entries[index].hash);
  while (*at != index) at = &table->entries[*at].next;
  *at = table->entries[index].next;
}

/* ---- room -------------------------------------------------------------------------------------------------------- */

static enum tb_status grow(struct tb_fxt_ref_cache *table) {
  size_t capacity = table->capacity ? table->capacity * 2 : FIRST_ENTRIES;
  if (capacity > (size_t)table->max_count + 1) capacity = (size_t)table->max_count + 1;
  size_t bucket_count = table->bucket_count ? table->bucket_count * 2 : FIRST_ENTRIES;
  uint16_t *buckets = tb_calloc(table->allocator, bucket_count * sizeof(*buckets));
  if (!buckets) return TB_NO_MEMORY;
  struct tb_fxt_ref_cache_entry *entries =
      tb_realloc(table->allocator, table->entries, table->capacity * sizeof(*entries), capacity * sizeof(*entries));
  if (!entries) {
    tb_free(table->allocator, buckets, bucket_count * sizeof(*buckets));
    return TB_NO_MEMORY;
  }
  if (!table->capacity) entries[0] = (struct tb_fxt_ref_cache_entry){0};
  tb_free(table->allocator, table->buckets, table->bucket_count * sizeof(*buckets));
  table->entries = entries;
  table->capacity = capacity;
  table->buckets = buckets;
  table->bucket_count = bucket_count;
  for (uint16_t i = 1; i <= table->count; i++)
    if (entries[i].len) add_to_bucket(table, i);
  return TB_OK;
}

/* Forgets the text not used for longest and makes its index free. There is one. */
static void evict(struct tb_fxt_ref_cache *table) {
  uint16_t index = table->entries[0].newer;
  unlink_entry(table, index);
  remove_from_bucket(table, index);
  free_text(table, &table->entries[index]);
  table->entries[index].next = table->free;
  table->free = index;
}

/* An index for a text of `len` bytes. */
static enum tb_status make_room(struct tb_fxt_ref_cache *table, size_t len, uint16_t *index) {
  while (table->bytes && table->bytes + len > table->max_bytes) evict(table);
  if (!table->free && table->count == table->max_count) evict(table);
  *index = table->free;
  if (*index) {
    table->free = table->entries[*index].next;
    return TB_OK;
  }
  if ((size_t)table->count + 1 >= table->capacity) {
    enum tb_status status = grow(table);
    if (status != TB_OK) return status;
  }
  *index = ++table->count;
  table->entries[*index] = (struct tb_fxt_ref_cache_entry){0};
  return TB_OK;
}

/* Where the text is there, it is the one used last now; else 0. */
static uint16_t find(struct tb_fxt_ref_cache *table, struct tb_str text, uint64_t hash) {
  for (uint16_t i = table->bucket_count ? *bucket_of(table, hash) : 0; i; i = table->entries[i].next) {
    if (table->entries[i].hash != hash || !tb_str_equal(text_of(&table->entries[i]), text)) continue;
    unlink_entry(table, i);
    link_as_newest(table, i);
    return i;
  }
  return 0;
}

static enum tb_status add(struct tb_fxt_ref_cache *table, struct tb_str text, uint64_t hash, uint16_t *index) {
  char *block = is_near(text.len) ? NULL : tb_alloc(table->allocator, text.len);
  if (!is_near(text.len) && !block) return TB_NO_MEMORY;
  enum tb_status status = make_room(table, text.len, index);
  if (status != TB_OK) {
    tb_free(table->allocator, block, text.len);
    return status;
  }
  struct tb_fxt_ref_cache_entry *entry = &table->entries[*index];
  memcpy(block ? block : entry->near, text.ptr, text.len);
  if (block) entry->block = block;
  entry->len = (uint16_t)text.len;
  entry->hash = hash;
  table->bytes += text.len;
  add_to_bucket(table, *index);
  link_as_newest(table, *index);
  return TB_OK;
}

enum tb_status tb_fxt_ref_cache_use(struct tb_fxt_ref_cache *table, struct tb_str text, uint16_t *index, bool *added) {
  uint64_t hash = tb_fxt_text_hash(text);
  *index = find(table, text, hash);
  *added = !*index;
  return *added ? add(table, text, hash, index) : TB_OK;
}

/* Where most texts are refused, looking for them costs more than it saves: only every fourth is looked for. */
static bool misses_often(struct tb_fxt_ref_cache *table) {
  return table->misses >= MISSES_MAX / 2 && ++table->skipped % 4;
}

enum tb_status tb_fxt_ref_cache_use_optional(struct tb_fxt_ref_cache *table, struct tb_str text, uint16_t *index,
                                             bool *added) {
  *index = 0;
  *added = false;
  if (misses_often(table)) return TB_OK;
  uint64_t hash = tb_fxt_text_hash(text), *refused = &table->refused[hash % TB_FXT_REFUSED];
  bool is_full = !table->free && table->count == table->max_count;
  *index = find(table, text, hash);
  if (*index) {
    if (table->misses) table->misses--;
    return TB_OK;
  }
  *added = !is_full || *refused == hash;
  if (*added) return add(table, text, hash, index);
  if (table->misses < MISSES_MAX) table->misses++;
  *refused = hash;
  return TB_OK;
}
