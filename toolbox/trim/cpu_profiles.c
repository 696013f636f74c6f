/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/trim/cpu_profiles.h"

#include <string.h>

#include "json/document.h"
#include "json/text.h"
#include "perfetto/packet/profile_event.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"

enum { PROFILES_MAX = 1 << 20, NS_OF_US = 1000, ARRAYS = 4 };

void tb_cpu_profiles_init(struct tb_cpu_profiles *profiles, const struct tb_allocator *allocator) {
  *profiles = (struct tb_cpu_profiles){.allocator = allocator};
  tb_map_init(&profiles->index, allocator);
  tb_arena_init(&profiles->arena, allocator, 0);
  tb_buffer_init(&profiles->text, allocator, 0);
}

void tb_cpu_profiles_free(struct tb_cpu_profiles *profiles) {
  if (!profiles->allocator) return;
  tb_map_free(&profiles->index);
  tb_free(profiles->allocator, profiles->items, profiles->capacity * sizeof(*profiles->items));
  tb_arena_free(&profiles->arena);
  tb_buffer_free(&profiles->text);
}

static struct tb_cpu_profile *get_profile(struct tb_cpu_profiles *profiles, uint64_t pid, uint64_t id) {
  uint32_t place;
  if (tb_map_get(&profiles->index, id, pid, &place)) return &profiles->items[place];
  void *items = profiles->items;
  enum tb_status status = tb_grow_array(profiles->allocator, &items, &profiles->capacity, profiles->count + 1,
                                        sizeof(*profiles->items), PROFILES_MAX);
  profiles->items = items;
  if (status != TB_OK || tb_map_put(&profiles->index, id, pid, profiles->count) != TB_OK) return NULL;
  profiles->items[profiles->count] = (struct tb_cpu_profile){0, 0};
  return &profiles->items[profiles->count++];
}

/* ---- the event --------------------------------------------------------------------------------------------------- */

/* An array with a number for each sample. */
struct array {
  const struct tb_doc *first; /* NULL: there is none, or an empty one */
  size_t count;
};

static struct array read_array(const struct tb_doc *doc, const char *name) {
  const struct tb_doc *member = tb_doc_member(doc, name);
  struct array array = {member && member->type == TB_DOC_ARRAY ? member->first : NULL, 0};
  for (const struct tb_doc *item = array.first; item; item = item->next, array.count++)
    if (!item->is_integer) return (struct array){NULL, 0};
  return array;
}

/* ---- what stays of it -------------------------------------------------------------------------------------------- */

/* A chunk whose samples are looked at one by one. */
struct chunk {
  struct tb_str text;
  struct array arrays[ARRAYS]; /* in their order in the text; all have as many numbers */
  const struct tb_doc *deltas; /* which of them has the times */
  size_t count;                /* of samples */
  bool *stays;                 /* of each sample */
};

static int64_t time_of(const struct tb_walk *walk, int64_t us) {
  struct tb_input_clocks *clocks = &walk->source->prescan.clocks;
  int64_t ns = (int64_t)((uint64_t)us * NS_OF_US);
  if (clocks->primary != TB_CLOCK_MONOTONIC)
    (void)tb_input_clocks_convert(clocks, walk->packet.head.machine, TB_CLOCK_MONOTONIC, ns, &ns);
  return ns;
}

/* Sets which samples are in the window; returns how many are. */
static size_t choose(struct tb_cpu_profile *profile, const struct tb_walk *walk, const struct tb_window *window,
                     struct chunk *chunk) {
  size_t kept = 0, i = 0;
  for (const struct tb_doc *delta = chunk->deltas; delta; delta = delta->next, i++) {
    profile->reached_us = (int64_t)((uint64_t)profile->reached_us + (uint64_t)delta->integer);
    chunk->stays[i] = tb_window_has(window, time_of(walk, profile->reached_us));
    kept += chunk->stays[i];
  }
  return kept;
}

static bool append(struct tb_buffer *b, struct tb_str text, size_t from, size_t to) {
  return tb_buffer_append(b, text.ptr + from, to - from) == TB_OK;
}

static bool append_number(struct tb_buffer *b, int64_t number, bool is_first) {
  if (tb_buffer_reserve(b, 1 + TB_JSON_INTEGER_MAX) != TB_OK) return false;
  if (!is_first) b->data[b->len++] = ',';
  b->len = (size_t)(tb_json_put_int(b->data + b->len, number) - b->data);
  return true;
}

/* Appends the numbers of an array that stay; *left is what of the times is not made up for. */
static bool append_array(struct tb_buffer *b, const struct chunk *chunk, const struct array *array, int64_t *left) {
  const bool has_times = array->first == chunk->deltas;
  size_t i = 0;
  bool ok = true, is_first = true;
  for (const struct tb_doc *item = array->first; item && ok; item = item->next, i++) {
    uint64_t number = (uint64_t)item->integer;
    if (has_times) number += (uint64_t)*left;
    if (has_times) *left = chunk->stays[i] ? 0 : (int64_t)number;
    if (!chunk->stays[i]) continue;
    ok = append_number(b, (int64_t)number, is_first);
    is_first = false;
  }
  return ok;
}

/* Appends the chunk's JSON with the samples that stay. */
static bool append_chunk(struct tb_buffer *b, const struct chunk *chunk, struct tb_cpu_profile *profile) {
  size_t copied = 0;
  bool ok = true;
  for (size_t i = 0; i < ARRAYS && ok; i++) {
    const struct array *array = &chunk->arrays[i];
    if (!array->first) continue;
    const struct tb_doc *last = array->first;
    while (last->next) last = last->next;
    const char *end = memchr(chunk->text.ptr + last->at, ']', chunk->text.len - (size_t)last->at);
    ok = append(b, chunk->text, copied, (size_t)array->first->at) && append_array(b, chunk, array, &profile->left_us);
    copied = end ? (size_t)(end - chunk->text.ptr) : chunk->text.len;
  }
  return ok && append(b, chunk->text, copied, chunk->text.len);
}

static void sort_arrays(struct array *arrays) {
  for (size_t i = 1; i < ARRAYS; i++)
    for (size_t j = i;
         j > 0 && arrays[j].first && (!arrays[j - 1].first || arrays[j].first->at < arrays[j - 1].first->at); j--) {
      struct array other = arrays[j];
      arrays[j] = arrays[j - 1];
      arrays[j - 1] = other;
    }
}

/* False where its arrays are not as long as each other, which readers do not take either. */
static bool read_chunk(struct tb_cpu_profiles *profiles, struct tb_str text, const struct tb_doc *doc,
                       struct chunk *chunk) {
  const struct tb_doc *profile = tb_doc_member(doc, "cpuProfile");
  const struct array samples = read_array(profile, "samples"), deltas = read_array(doc, "timeDeltas");
  *chunk = (struct chunk){.text = text,
                          .arrays = {samples, deltas, read_array(doc, "lines"), read_array(doc, "columns")},
                          .deltas = deltas.first,
                          .count = samples.count};
  if (!samples.count || samples.count != deltas.count) return false;
  for (size_t i = 2; i < ARRAYS; i++)
    if (chunk->arrays[i].count != samples.count) chunk->arrays[i] = (struct array){NULL, 0};
  sort_arrays(chunk->arrays);
  chunk->stays = tb_arena_alloc(&profiles->arena, samples.count);
  return true;
}

/* Writes the field anew. */
static enum tb_status put_in_place(struct tb_cpu_profiles *profiles, const struct chunk *chunk,
                                   struct tb_cpu_profile *profile, struct tb_cpu_profile_part *part) {
  struct tb_buffer *b = &profiles->text;
  enum tb_status status = tb_wire_buffer_open(b, TB_DEBUG_ANNOTATION_LEGACY_JSON_VALUE);
  size_t start = b->len;
  if (status != TB_OK || !append_chunk(b, chunk, profile)) return TB_NO_MEMORY;
  status = tb_wire_buffer_close(b, start);
  part->of = chunk->text;
  part->in_place = (struct tb_str){b->data, b->len};
  return status;
}

static enum tb_status take_chunk(struct tb_cpu_profiles *profiles, struct tb_cpu_profile *profile,
                                 const struct tb_walk *walk, const struct tb_window *window, struct tb_str text,
                                 const struct tb_doc *doc, struct tb_cpu_profile_part *part) {
  struct chunk chunk;
  part->nodes = tb_doc_member(tb_doc_member(doc, "cpuProfile"), "nodes") != NULL;
  if (!read_chunk(profiles, text, doc, &chunk)) return TB_OK;
  if (!chunk.stays) return TB_NO_MEMORY;
  size_t kept = choose(profile, walk, window, &chunk);
  part->samples = kept != 0;
  return kept == chunk.count && !profile->left_us ? TB_OK : put_in_place(profiles, &chunk, profile, part);
}

enum tb_status tb_cpu_profiles_take(struct tb_cpu_profiles *profiles, const struct tb_walk *walk, uint64_t pid,
                                    const struct tb_window *window, struct tb_cpu_profile_part *part) {
  uint64_t offset;
  struct tb_doc *doc;
  struct tb_profile_event event;
  tb_profile_event_read(walk->packet.head.payload, &event);
  struct tb_str text = tb_wire_text(&event.json);
  *part = (struct tb_cpu_profile_part){.is_profile = false};
  if (!text.len) return TB_OK;
  tb_arena_reset(&profiles->arena);
  profiles->text.len = 0;
  enum tb_status status = tb_doc_parse(&profiles->arena, text, &doc, &offset);
  if (status != TB_OK) return status == TB_NO_MEMORY ? status : TB_OK;
  const struct tb_doc *start = tb_doc_member(doc, "startTime");
  part->starts = start && start->is_integer;
  part->is_profile = part->starts || tb_doc_member(doc, "cpuProfile");
  if (!part->is_profile) return TB_OK;
  struct tb_cpu_profile *profile = get_profile(profiles, pid, event.id);
  if (!profile) return TB_NO_MEMORY;
  if (!part->starts) return take_chunk(profiles, profile, walk, window, text, doc, part);
  *profile = (struct tb_cpu_profile){start->integer, 0};
  return TB_OK;
}
