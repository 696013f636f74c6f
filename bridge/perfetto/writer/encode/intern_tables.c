/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/writer/encode/intern_tables.h"

#include "perfetto/writer/encode/track_event_packet.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"

enum {
  ONCE_SLOTS = 1 << 15, /* a newer text takes an older one's place: memory is bounded, and stays in the cache */
  STRING_SHORTEST = 4,  /* shorter ones take no more room in place */
  STRING_LONG =
      64, /* interned when it comes first: the reference is small compared to it, and interned data is compressed */
  STRING_LONGEST = 64 * 1024,
  STRINGS_AT_ONCE = 16 << 20, /* bytes of interned strings: with more, long ones have to come again, too */
  STRINGS_MOST = 32 << 20     /* with more, none is interned: they have to be held to the end */
};

void tb_interned_init(struct tb_interned *in, const struct tb_allocator *allocator) {
  *in = (struct tb_interned){.allocator = allocator};
  for (size_t i = 0; i < TB_INTERNED_KINDS; i++) tb_intern_init(&in->tables[i], allocator);
  tb_intern_init(&in->lists, allocator);
}

static size_t encoded_capacity(const struct tb_category_list *list) {
  return (size_t)list->count * (1 + TB_WIRE_VARINT_MAX) + TB_PACKET_BYTES_AHEAD;
}

static void free_list(struct tb_interned *in, const struct tb_category_list *list) {
  tb_free(in->allocator, list->iids, list->count * sizeof(*list->iids));
  tb_free(in->allocator, list->encoded, encoded_capacity(list));
}

void tb_interned_free(struct tb_interned *in) {
  for (size_t i = 0; i < TB_INTERNED_KINDS; i++) tb_intern_free(&in->tables[i]);
  for (size_t i = 0; i < in->lists.count; i++) free_list(in, &in->list_entries[i]);
  tb_intern_free(&in->lists);
  tb_free(in->allocator, in->path_arg_names, in->path_capacity);
  tb_free(in->allocator, in->list_entries, in->list_capacity * sizeof(*in->list_entries));
  tb_free(in->allocator, in->once, ONCE_SLOTS * sizeof(*in->once));
}

void tb_interned_free_uses(struct tb_interned_uses *uses, const struct tb_allocator *allocator) {
  for (size_t i = 0; i < TB_INTERNED_KINDS; i++) {
    struct tb_interned_use *use = &uses->kinds[i];
    tb_free(allocator, use->seen, use->seen_words * sizeof(*use->seen));
    tb_free(allocator, use->iids, use->capacity * sizeof(*use->iids));
  }
  tb_free(allocator, uses->lists.seen, uses->lists.seen_words * sizeof(*uses->lists.seen));
  tb_free(allocator, uses->lists.iids, uses->lists.capacity * sizeof(*uses->lists.iids));
  *uses = (struct tb_interned_uses){0};
}

static void clear_use(struct tb_interned_use *use) {
  for (size_t i = 0; i < use->count; i++) use->seen[use->iids[i] / 64] = 0;
  use->count = 0;
}

void tb_interned_clear_uses(struct tb_interned_uses *uses) {
  for (size_t i = 0; i < TB_INTERNED_KINDS; i++) clear_use(&uses->kinds[i]);
  clear_use(&uses->lists);
}

enum tb_status tb_interned_use_slow(const struct tb_allocator *allocator, struct tb_interned_use *use, uint32_t iid) {
  size_t before = use->seen_words, word = iid / 64;
  void *seen = use->seen, *iids = use->iids;
  if (tb_grow_array(allocator, &seen, &use->seen_words, word + 1, sizeof(*use->seen), UINT32_MAX) != TB_OK)
    return TB_NO_MEMORY;
  use->seen = seen;
  if (use->seen_words > before) memset(use->seen + before, 0, (use->seen_words - before) * sizeof(*use->seen));
  if (tb_grow_array(allocator, &iids, &use->capacity, use->count + 1, sizeof(*use->iids), UINT32_MAX) != TB_OK)
    return TB_NO_MEMORY;
  use->iids = iids;
  use->iids[use->count++] = iid;
  use->seen[word] |= (uint64_t)1 << (iid % 64);
  return TB_OK;
}

/* ---- names of arguments ------------------------------------------------------------------------------------------ */

static bool has_path_chars(struct tb_str name) {
  for (size_t i = 0; i < name.len; i++)
    if (name.ptr[i] == '.' || name.ptr[i] == '[' || name.ptr[i] == ']') return true;
  return false;
}

uint32_t tb_interned_add_arg_name(struct tb_interned *in, struct tb_str name) {
  struct tb_intern *table = &in->tables[TB_INTERNED_ARG_NAMES];
  uint32_t hash = tb_intern_hash(name);
  uint32_t iid = tb_intern_find(table, name, hash);
  if (!iid) {
    void *flags = in->path_arg_names;
    if (tb_grow_array(in->allocator, &flags, &in->path_capacity, table->count + 1, 1, UINT32_MAX) != TB_OK) return 0;
    in->path_arg_names = flags;
    iid = tb_intern_add(table, name, hash);
    if (!iid) return 0;
    in->path_arg_names[iid - 1] = has_path_chars(name);
  }
  tb_intern_note_recent(table, name, iid);
  return iid;
}

/* ---- string values ----------------------------------------------------------------------------------------------- */

/* Whether a text with this hash was seen not long ago; notes it otherwise. Two texts of one hash do no harm: the
 * second is interned a time too early. */
static bool seen_before(struct tb_interned *in, uint64_t hash) {
  if (!in->once) {
    in->once = tb_calloc(in->allocator, ONCE_SLOTS * sizeof(*in->once));
    if (!in->once) return false;
  }
  uint64_t *slot = &in->once[hash >> 32 & (ONCE_SLOTS - 1)];
  if (*slot == hash) return true;
  *slot = hash;
  return false;
}

uint32_t tb_interned_string(struct tb_interned *in, struct tb_interned_uses *uses, struct tb_str text) {
  if (text.len < STRING_SHORTEST || text.len > STRING_LONGEST) return 0;
  struct tb_intern *table = &in->tables[TB_INTERNED_ARG_STRINGS];
  uint32_t iid = tb_intern_find_recent(table, text);
  if (!iid) {
    uint64_t hash = XXH3_64bits(text.ptr, text.len);
    iid = tb_intern_find(table, text, (uint32_t)hash);
    size_t held = table->arena.total;
    if (!iid && (text.len < STRING_LONG || held > STRINGS_AT_ONCE) && !seen_before(in, hash)) return 0;
    if (!iid && held <= STRINGS_MOST) iid = tb_intern_add(table, text, (uint32_t)hash);
    if (!iid) return 0;
    tb_intern_note_recent(table, text, iid);
  }
  return tb_interned_use_iid(in->allocator, &uses->kinds[TB_INTERNED_ARG_STRINGS], iid) == TB_OK ? iid : 0;
}

/* ---- categories -------------------------------------------------------------------------------------------------- */

static uint32_t count_parts(struct tb_str text) {
  uint32_t n = 1;
  bool empty_part = text.len == 0 || text.ptr[0] == ',' || text.ptr[text.len - 1] == ',';
  for (size_t i = 0; i < text.len; i++) {
    if (text.ptr[i] != ',') continue;
    n++;
    if (i && text.ptr[i - 1] == ',') empty_part = true;
  }
  return empty_part ? 1 : n; /* a list that could not be put together again stays one category */
}

static bool split(struct tb_interned *in, struct tb_str text, struct tb_category_list *list) {
  list->count = count_parts(text);
  list->iids = tb_alloc(in->allocator, list->count * sizeof(*list->iids));
  list->encoded = tb_calloc(in->allocator, encoded_capacity(list));
  if (!list->iids || !list->encoded) return false;
  char *to = list->encoded;
  const char *at = text.ptr, *end = text.ptr + text.len;
  for (uint32_t i = 0; i < list->count; i++) {
    const char *comma = list->count == 1 ? NULL : memchr(at, ',', (size_t)(end - at));
    const char *stop = comma ? comma : end;
    uint32_t iid = tb_intern_id(&in->tables[TB_INTERNED_CATEGORIES], (struct tb_str){at, (size_t)(stop - at)});
    if (!iid) return false;
    list->iids[i] = iid;
    to = tb_wire_put_uint(to, TB_TRACK_EVENT_CATEGORY_IIDS, iid);
    at = stop + 1;
  }
  list->encoded_len = (uint32_t)(to - list->encoded);
  return true;
}

static uint32_t add_list(struct tb_interned *in, struct tb_str text, uint32_t hash) {
  void *entries = in->list_entries;
  if (tb_grow_array(in->allocator, &entries, &in->list_capacity, in->lists.count + 1, sizeof(*in->list_entries),
                    UINT32_MAX) != TB_OK)
    return 0;
  in->list_entries = entries;
  struct tb_category_list list = {0};
  uint32_t id = split(in, text, &list) ? tb_intern_add(&in->lists, text, hash) : 0;
  if (id) {
    in->list_entries[id - 1] = list;
    return id;
  }
  free_list(in, &list);
  return 0;
}

static enum tb_status use_list(struct tb_interned *in, struct tb_interned_uses *uses, uint32_t id) {
  const struct tb_category_list *list = &in->list_entries[id - 1];
  for (uint32_t i = 0; i < list->count; i++)
    if (tb_interned_use_iid(in->allocator, &uses->kinds[TB_INTERNED_CATEGORIES], list->iids[i]) != TB_OK)
      return TB_NO_MEMORY;
  return tb_interned_use_iid(in->allocator, &uses->lists, id);
}

const struct tb_category_list *tb_interned_categories(struct tb_interned *in, struct tb_interned_uses *uses,
                                                      struct tb_str text, uint32_t *id) {
  *id = tb_intern_find_recent(&in->lists, text);
  if (!*id) {
    uint32_t hash = tb_intern_hash(text);
    *id = tb_intern_find(&in->lists, text, hash);
    if (!*id) *id = add_list(in, text, hash);
    if (!*id) return NULL;
    tb_intern_note_recent(&in->lists, text, *id);
  }
  if (!tb_interned_is_used(&uses->lists, *id) && use_list(in, uses, *id) != TB_OK) return NULL;
  return &in->list_entries[*id - 1];
}
