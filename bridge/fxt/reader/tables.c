/* SPDX-License-Identifier: Apache-2.0 */
#include "fxt/reader/tables.h"

#include "model/tracks.h"

static uint64_t as_value(const void *pointer) { return (uint64_t)(uintptr_t)pointer; }

enum tb_status tb_fxt_tables_init(struct tb_fxt_tables *tables, const struct tb_allocator *allocator,
                                  size_t max_bytes) {
  *tables = (struct tb_fxt_tables){.allocator = allocator};
  tb_arena_init(&tables->arena, allocator, max_bytes);
  tables->texts.arena = &tables->arena;
  struct tb_map *const maps[] = {&tables->providers,         &tables->processes,       &tables->process_providers,
                                 &tables->other_threads,     &tables->unowned_threads, &tables->latest_others,
                                 &tables->counters,          &tables->thread_objects,  &tables->kernel_objects,
                                 &tables->userspace_objects, &tables->packet_streams};
  tb_narrow_ids_init(&tables->ids, allocator);
  tb_fxt_init_threads(tables);
  for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) maps[i]->allocator = allocator;
  return tb_fxt_use_provider(tables, 0, false);
}

static void free_objects(struct tb_fxt_tables *tables, struct tb_map *map) {
  size_t at = 0;
  for (struct tb_map_entry entry; tb_map_next(map, &at, &entry);) {
    struct tb_fxt_object_entry *object = (void *)(uintptr_t)entry.value;
    tb_free(tables->allocator, object->args, object->arg_count * sizeof(*object->args));
  }
  tb_map_free(map);
}

static void free_packet_streams(struct tb_map *map) {
  size_t at = 0;
  for (struct tb_map_entry entry; tb_map_next(map, &at, &entry);)
    tb_buffer_free((struct tb_buffer *)(uintptr_t)entry.value);
  tb_map_free(map);
}

void tb_fxt_tables_free(struct tb_fxt_tables *tables) {
  free_objects(tables, &tables->kernel_objects);
  free_objects(tables, &tables->userspace_objects);
  free_packet_streams(&tables->packet_streams);
  tb_map_free(&tables->providers);
  tb_map_free(&tables->processes);
  tb_map_free(&tables->process_providers);
  tb_fxt_free_threads(tables);
  tb_map_free(&tables->counters);
  tb_narrow_ids_free(&tables->ids);
  tb_map_free(&tables->thread_objects);
  tb_fxt_intern_free(&tables->texts);
  tb_arena_free(&tables->arena);
}

/* Why the arena gave nothing. */
static enum tb_status arena_status(const struct tb_fxt_tables *tables) {
  return tables->arena.max_total ? TB_LIMIT : TB_NO_MEMORY;
}

enum tb_status tb_fxt_own_details(struct tb_fxt_tables *tables, struct tb_track *track,
                                  struct tb_track_details **details) {
  *details = tb_track_own_details(&tables->arena, track);
  return *details ? TB_OK : arena_status(tables);
}

enum tb_status tb_fxt_tables_alloc(struct tb_fxt_tables *tables, size_t size, void **block) {
  *block = tb_arena_alloc(&tables->arena, size);
  if (!*block) return arena_status(tables);
  memset(*block, 0, size);
  return TB_OK;
}

/* ---- providers ----------------------------------------------------------------------------------------------------
 */

/* Forgets all strings but the empty one. */
static void empty_pages(struct tb_fxt_tables *tables, struct tb_fxt_provider *provider) {
  for (size_t i = 0; i < TB_FXT_PAGES; i++)
    if (provider->pages[i] != &tables->no_strings) memset(provider->pages[i], 0, sizeof(*provider->pages[i]));
  provider->pages[0]->strings[0] = (struct tb_str){"", 0};
}

static void empty_provider(struct tb_fxt_tables *tables, struct tb_fxt_provider *provider) {
  provider->name = (struct tb_str){NULL, 0};
  provider->rate = tb_fxt_rate_of(TB_FXT_NS_PER_SECOND);
  if (provider->pages) empty_pages(tables, provider);
  if (provider->threads == tables->leading_threads)
    provider->threads = NULL;
  else if (provider->threads)
    memset(provider->threads, 0, (TB_FXT_THREAD_ENTRIES + 1) * sizeof(*provider->threads));
}

/* The first provider comes: the threads that records set before it are kept. */
static void leave_leading(struct tb_fxt_tables *tables) {
  if (tables->has_providers || !tables->provider) return;
  tables->has_providers = true;
  tables->leading_threads = tables->provider->threads;
}

const struct tb_track *tb_fxt_thread_at(const struct tb_fxt_tables *tables, uint32_t index) {
  const struct tb_track *const *own = tables->provider->threads, *const *leading = tables->leading_threads;
  if (own && own[index]) return own[index];
  return leading ? leading[index] : NULL;
}

enum tb_status tb_fxt_use_provider(struct tb_fxt_tables *tables, uint32_t id, bool anew) {
  leave_leading(tables);
  struct tb_fxt_provider *provider = tb_map_find_pointer(&tables->providers, id, 0);
  if (!provider) {
    void *block;
    enum tb_status status = tb_fxt_tables_alloc(tables, sizeof(*provider), &block);
    if (status == TB_OK) status = tb_map_put(&tables->providers, id, 0, as_value(block));
    if (status != TB_OK) return status;
    provider = block;
    provider->id = id;
    anew = true;
  }
  if (anew) empty_provider(tables, provider);
  tables->provider = provider;
  return TB_OK;
}

static enum tb_status add_pages(struct tb_fxt_tables *tables, struct tb_fxt_provider *provider) {
  void *pages, *first;
  enum tb_status status = tb_fxt_tables_alloc(tables, TB_FXT_PAGES * sizeof(*provider->pages), &pages);
  if (status == TB_OK) status = tb_fxt_tables_alloc(tables, sizeof(**provider->pages), &first);
  if (status != TB_OK) return status;
  provider->pages = pages;
  provider->pages[0] = first;
  for (size_t i = 1; i < TB_FXT_PAGES; i++) provider->pages[i] = &tables->no_strings;
  empty_pages(tables, provider);
  return TB_OK;
}

enum tb_status tb_fxt_set_string(struct tb_fxt_tables *tables, uint32_t index, struct tb_str text) {
  struct tb_fxt_provider *provider = tables->provider;
  enum tb_status status = provider->pages ? TB_OK : add_pages(tables, provider);
  if (status != TB_OK) return status;
  void *block;
  struct tb_fxt_string_page **page = &provider->pages[index / TB_FXT_PAGE_STRINGS];
  if (*page == &tables->no_strings) {
    status = tb_fxt_tables_alloc(tables, sizeof(**page), &block);
    if (status != TB_OK) return status;
    *page = block;
  }
  return tb_fxt_intern(&tables->texts, text, &(*page)->strings[index % TB_FXT_PAGE_STRINGS]);
}

enum tb_status tb_fxt_set_thread(struct tb_fxt_tables *tables, uint32_t index, const struct tb_track *thread) {
  struct tb_fxt_provider *provider = tables->provider;
  if (!provider->threads) {
    void *block;
    enum tb_status status =
        tb_fxt_tables_alloc(tables, (TB_FXT_THREAD_ENTRIES + 1) * sizeof(*provider->threads), &block);
    if (status != TB_OK) return status;
    provider->threads = block;
  }
  provider->threads[index] = thread;
  return TB_OK;
}

/* ---- objects ------------------------------------------------------------------------------------------------------
 */

static enum tb_status intern_args(struct tb_fxt_tables *tables, struct tb_arg *args, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    enum tb_status status = tb_fxt_intern(&tables->texts, args[i].name, &args[i].name);
    bool has_text = args[i].type == TB_ARG_STRING || args[i].type == TB_ARG_BLOB;
    if (status == TB_OK && has_text) status = tb_fxt_intern(&tables->texts, args[i].text, &args[i].text);
    if (status != TB_OK) return status;
  }
  return TB_OK;
}

static enum tb_status find_or_add(struct tb_fxt_tables *tables, struct tb_map *map, uint64_t a, uint64_t b,
                                  struct tb_fxt_object_entry **object) {
  *object = tb_map_find_pointer(map, a, b);
  if (*object) return TB_OK;
  void *block;
  enum tb_status status = tb_fxt_tables_alloc(tables, sizeof(**object), &block);
  if (status != TB_OK) return status;
  *object = block;
  return tb_map_put(map, a, b, as_value(block));
}

enum tb_status tb_fxt_set_object(struct tb_fxt_tables *tables, struct tb_map *map, uint64_t a, uint64_t b,
                                 struct tb_str name, const struct tb_arg *args, uint32_t arg_count) {
  struct tb_fxt_object_entry *object;
  enum tb_status status = find_or_add(tables, map, a, b, &object);
  if (status != TB_OK) return status;
  tb_free(tables->allocator, object->args, object->arg_count * sizeof(*object->args));
  object->args = NULL;
  object->arg_count = 0;
  status = tb_fxt_intern(&tables->texts, name, &object->name);
  if (status != TB_OK || arg_count == 0) return status;
  object->args = tb_alloc(tables->allocator, arg_count * sizeof(*args));
  if (!object->args) return TB_NO_MEMORY;
  memcpy(object->args, args, arg_count * sizeof(*args));
  object->arg_count = arg_count;
  return intern_args(tables, object->args, arg_count);
}
