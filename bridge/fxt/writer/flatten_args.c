/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments for FXT records: trees made flat, of FXT's types, at most fifteen, with what else of the event is
 * there.
 */
#include <inttypes.h>
#include <stdio.h>

#include "fxt/writer/writer.h"
#include "json/emitter.h"
#include "model/arg_lookup.h"
#include "model/fxt_blobs.h"

enum { MAX_DEPTH = 128, MAX_BLOB = 16000 };

/* ---- one value --------------------------------------------------------------------------------------------------- */

static uint8_t integer_type(const struct tb_arg *arg, char letter) {
  if (letter == 'k') return TB_FXT_ARG_KOID;
  if (letter == 'I') return TB_FXT_ARG_INT64;
  if (letter == 'U') return TB_FXT_ARG_UINT64;
  if (arg->type == TB_ARG_INT)
    return arg->width != 64 && arg->i >= INT32_MIN && arg->i <= INT32_MAX ? TB_FXT_ARG_INT32 : TB_FXT_ARG_INT64;
  return arg->width != 64 && arg->u <= UINT32_MAX ? TB_FXT_ARG_UINT32 : TB_FXT_ARG_UINT64;
}

static struct tb_fxt_flat flat_of(const struct tb_arg *arg, struct tb_str name, char letter) {
  struct tb_fxt_flat flat = {.name = name, .value = arg->u};
  if (letter == 'n') {
    flat.type = TB_FXT_ARG_NULL;
    return flat;
  }
  switch ((enum tb_arg_type)arg->type) {
    case TB_ARG_NULL:
      flat.type = TB_FXT_ARG_NULL;
      break;
    case TB_ARG_BOOL:
      flat.type = TB_FXT_ARG_BOOL;
      break;
    case TB_ARG_INT:
    case TB_ARG_UINT:
      flat.type = integer_type(arg, letter);
      break;
    case TB_ARG_DOUBLE:
      flat.type = TB_FXT_ARG_DOUBLE;
      memcpy(&flat.value, &arg->d, sizeof(arg->d));
      break;
    case TB_ARG_POINTER:
      flat.type = letter == 'k' ? TB_FXT_ARG_KOID : TB_FXT_ARG_POINTER;
      break;
    case TB_ARG_KOID:
      flat.type = TB_FXT_ARG_KOID;
      break;
    case TB_ARG_STRING:
    case TB_ARG_JSON:
    case TB_ARG_DICT:
    case TB_ARG_ARRAY:
      flat.type = letter == 'b' ? TB_FXT_ARG_BLOB : TB_FXT_ARG_STRING;
      flat.text = arg->text;
      break;
    case TB_ARG_BLOB:
      flat.type = TB_FXT_ARG_BLOB;
      flat.text = arg->text;
      break;
  }
  return flat;
}

/* ---- the list ---------------------------------------------------------------------------------------------------- */

static void add(struct tb_fxt_writer *w, const struct tb_fxt_flat *flat) {
  if (flat->type == TB_FXT_ARG_BLOB && flat->text.len > MAX_BLOB) {
    tb_fxt_lose_event(w, "a blob argument of more than 16,000 bytes", NULL);
    return;
  }
  if (w->args.count < TB_FXT_MAX_ARGS)
    w->args.items[w->args.count++] = *flat;
  else
    tb_fxt_lose_event(w, "an argument past the fifteenth", NULL);
}

static void add_text(struct tb_fxt_writer *w, struct tb_str name, struct tb_str text) {
  add(w, &(struct tb_fxt_flat){.name = name, .text = text, .type = TB_FXT_ARG_STRING});
}

/* A text in scratch, made of two. */
static struct tb_str join(struct tb_fxt_writer *w, struct tb_str a, struct tb_str b) {
  char *text = tb_arena_alloc(&w->scratch, a.len + b.len);
  if (!text) {
    tb_fxt_fail(w, TB_NO_MEMORY);
    return (struct tb_str){NULL, 0};
  }
  if (a.len) memcpy(text, a.ptr, a.len);
  if (b.len) memcpy(text + a.len, b.ptr, b.len);
  return (struct tb_str){text, a.len + b.len};
}

/* ---- trees ------------------------------------------------------------------------------------------------------- */

static bool is_tree(const struct tb_arg *arg) {
  return (arg->type == TB_ARG_DICT || arg->type == TB_ARG_ARRAY) && arg->span > 1;
}

static uint32_t count_leaves(const struct tb_arg *args, uint32_t count) {
  uint32_t leaves = 0;
  for (uint32_t i = 0; i < count; i++) leaves += !is_tree(&args[i]);
  return leaves;
}

struct tb_str tb_fxt_as_json(struct tb_fxt_writer *w, const struct tb_arg *args, uint32_t count, bool members) {
  struct tb_json_emit text;
  tb_json_emit_init(&text, w->writer->allocator);
  text.hex_pointers = true;
  if (members)
    tb_json_emit_object(&text, args, count);
  else
    tb_json_emit_value(&text, args);
  struct tb_str copy = {NULL, 0};
  if (text.too_deep) {
    tb_fxt_lose_event(w, "an argument nested too deep", NULL);
  } else {
    if (text.status == TB_OK) copy = tb_arena_copy(&w->scratch, (struct tb_str){text.buffer.data, text.buffer.len});
    tb_fxt_fail(w, text.status == TB_OK && !copy.ptr ? TB_NO_MEMORY : text.status);
  }
  tb_json_emit_free(&text);
  return copy;
}

/* A value that is no flat one, as JSON text under NAME:json. */
static void add_json(struct tb_fxt_writer *w, const struct tb_arg *arg, struct tb_str name) {
  struct tb_str text = arg->type == TB_ARG_JSON ? arg->text : tb_fxt_as_json(w, arg, arg->span, false);
  if (!text.ptr) return;
  add_text(w, join(w, name, TB_STR(TB_FXT_JSON_SUFFIX)), text);
}

static void add_leaf(struct tb_fxt_writer *w, const struct tb_arg *arg, struct tb_str name, char letter) {
  if (arg->type == TB_ARG_JSON || arg->type == TB_ARG_DICT || arg->type == TB_ARG_ARRAY) {
    add_json(w, arg, name);
    return;
  }
  struct tb_fxt_flat flat = flat_of(arg, name, letter);
  add(w, &flat);
}

/* Every leaf under a name that spells its path, as the trace processor spells it: a.b[2].c */
static void add_leaves(struct tb_fxt_writer *w, const struct tb_arg *arg, struct tb_str name, unsigned depth) {
  if (!is_tree(arg) || depth == MAX_DEPTH) {
    add_leaf(w, arg, name, '.');
    return;
  }
  uint32_t item = 0;
  for (uint32_t i = 1; i < arg->span && w->status == TB_OK; i += arg[i].span) {
    char index[16];
    struct tb_str path;
    if (arg->type == TB_ARG_ARRAY) {
      int len = snprintf(index, sizeof(index), "[%" PRIu32 "]", item++);
      path = join(w, name, (struct tb_str){index, (size_t)len});
    } else {
      path = join(w, join(w, name, TB_STR(".")), arg[i].name);
    }
    add_leaves(w, &arg[i], path, depth + 1);
  }
}

/* ---- what else of an event is in arguments ------------------------------------------------------------------- */

static void add_field(void *ctx, enum tb_carried_id id, struct tb_arg *arg) {
  struct tb_fxt_flat flat = flat_of(arg, arg->name, '.');
  (void)id;
  add(ctx, &flat);
}

void tb_fxt_carry_there(struct tb_fxt_writer *w, const struct tb_event *event, uint64_t fields) {
  tb_carried_put(fields, event, add_field, w);
}

void tb_fxt_carry_text(struct tb_fxt_writer *w, enum tb_carried_id id, struct tb_str text) {
  add_text(w, tb_carried_path(id), text);
}

void tb_fxt_carry_id(struct tb_fxt_writer *w, const struct tb_id *id) {
  if (!id->is_number) {
    tb_fxt_carry_text(w, TB_CARRIED_ID, id->text);
    return;
  }
  struct tb_fxt_flat flat = {.name = tb_carried_path(TB_CARRIED_ID), .value = id->value, .type = TB_FXT_ARG_UINT64};
  if (w->args.count < TB_FXT_MAX_ARGS) w->args.items[w->args.count++] = flat;
}

void tb_fxt_carry_id_kind(struct tb_fxt_writer *w, const struct tb_id *id) {
  if (id->kind == TB_ID_LOCAL) tb_fxt_carry_text(w, TB_CARRIED_ID2, TB_STR("local"));
  if (id->kind == TB_ID_GLOBAL) tb_fxt_carry_text(w, TB_CARRIED_ID2, TB_STR("global"));
}

void tb_fxt_carry_json(struct tb_fxt_writer *w, enum tb_carried_id id, struct tb_str text) {
  add_text(w, join(w, tb_carried_path(id), TB_STR(TB_FXT_JSON_SUFFIX)), text);
}

/* Records of events have a name, be it an empty one; that of an end is its begin's. */
static bool lacks_name(const struct tb_event *event) {
  if (event->has & TB_HAS_NAME || event->type == TB_EVENT_SLICE_END || event->type == TB_EVENT_COUNTER) return false;
  return event->type <= TB_EVENT_MEMORY_DUMP || event->type == TB_EVENT_OTHER;
}

/* The event's arguments as its source had them, where Perfetto's names of them are others: a further member. */
static const struct tb_arg *own_args(const struct tb_event *event) {
  if (!event->extra_count) return NULL;
  const struct tb_arg *args = tb_find_member(event->extra, event->extra_count, tb_carried_key(TB_CARRIED_ARGS));
  return args && args->type == TB_ARG_DICT ? args : NULL;
}

/* Times are in the record, or have been carried by then; what is of a sample comes last. `args` are no member then. */
static void add_carried(struct tb_fxt_writer *w, const struct tb_event *event, const struct tb_arg *args) {
  if (lacks_name(event))
    add(w, &(struct tb_fxt_flat){.name = tb_carried_path(TB_CARRIED_NAME), .type = TB_FXT_ARG_NULL});
  const uint64_t times = TB_CARRIED_BIT(TS) | TB_CARRIED_BIT(DUR);
  const uint64_t of_sample = TB_CARRIED_BIT(CPU) | TB_CARRIED_BIT(WEIGHT);
  tb_fxt_carry(w, event, tb_carried_by_fxt() & ~(times | of_sample));
  if (event->type == TB_EVENT_SAMPLE) tb_fxt_carry(w, event, tb_carried_by_fxt() & of_sample);
  tb_fxt_carry_stacks(w, event);
  for (uint32_t i = 0; i < event->extra_count; i += event->extra[i].span) {
    if (args && args == &event->extra[i]) continue;
    if (!tb_carried_is_of_fxt(event->extra[i].name))
      add_leaf(w, &event->extra[i], join(w, TB_STR(TB_CARRIED_PREFIX), event->extra[i].name), '.');
  }
}

char tb_fxt_type_letter(const struct tb_event *event, uint32_t index) {
  for (uint32_t i = 0; i < event->extra_count; i += event->extra[i].span) {
    const struct tb_arg *extra = &event->extra[i];
    if (extra->type != TB_ARG_STRING || !tb_str_equal(extra->name, tb_carried_key(TB_CARRIED_FXT_TYPES))) continue;
    return index < extra->text.len ? extra->text.ptr[index] : '.';
  }
  return '.';
}

static bool is_derived(const struct tb_event *event, const struct tb_arg *arg, uint32_t index) {
  return arg->flags & TB_ARG_DERIVED || tb_fxt_type_letter(event, index) == '-';
}

static bool is_path_part(struct tb_str name) {
  for (size_t i = 0; i < name.len; i++)
    if (memchr(".[]", name.ptr[i], 3)) return false;
  return name.len > 0;
}

/* Whether the names in a tree, whose own is one of them where it has one, can be read back from the paths that they
 * are in. */
static bool spells_path(const struct tb_arg *tree, unsigned depth) {
  if (!is_tree(tree)) return true;
  if (depth == MAX_DEPTH) return false;
  for (uint32_t i = 1; i < tree->span; i += tree[i].span)
    if ((tree->type == TB_ARG_DICT && !is_path_part(tree[i].name)) || !spells_path(&tree[i], depth + 1)) return false;
  return true;
}

static bool is_spelled(const struct tb_arg *tree) { return is_path_part(tree->name) && spells_path(tree, 0); }

/* Says which arguments are a tree's, so that our reader makes it again, and of which trees there is JSON text too. */
static void note_trees(struct tb_fxt_writer *w, const struct tb_event *event) {
  char letters[TB_FXT_MAX_ARGS];
  size_t count = 0;
  uint32_t seen = 0;
  for (uint32_t i = 0; i < event->arg_count; i += event->args[i].span) {
    const struct tb_arg *arg = &event->args[i];
    if (is_derived(event, arg, seen++)) continue;
    char letter = !is_tree(arg) ? TB_FXT_PLAIN_NAME : is_spelled(arg) ? TB_FXT_NESTED_PATH : TB_FXT_SAID_IN_REST;
    for (uint32_t n = count_leaves(arg, arg->span); n-- > 0 && count < sizeof(letters);) letters[count++] = letter;
  }
  add_text(w, TB_STR(TB_CARRIED_PREFIX TB_FXT_NESTED), tb_arena_copy(&w->scratch, (struct tb_str){letters, count}));
}

/* Whether an argument's name would be taken for that of a carried field, or of JSON text. */
static bool has_reserved_name(const struct tb_arg *arg) {
  enum { SUFFIX = sizeof(TB_FXT_JSON_SUFFIX) - 1 };
  struct tb_str name = arg->name;
  if (tb_carried_is_path(name) || (is_tree(arg) && tb_str_equal(name, TB_STR(TB_CARRIED_ANNOTATION)))) return true;
  return name.len > SUFFIX && memcmp(name.ptr + name.len - SUFFIX, TB_FXT_JSON_SUFFIX, SUFFIX) == 0;
}

/* Whether members of one dict have one name: the last counts, but paths of both would be one tree. */
static bool has_doubled_names(const struct tb_arg *args, uint32_t count) {
  for (uint32_t i = 0; i < count; i += args[i].span) {
    for (uint32_t k = i + args[i].span; k < count; k += args[k].span)
      if (args[i].name.len && tb_str_equal(args[k].name, args[i].name)) return true;
    if (is_tree(&args[i]) && has_doubled_names(&args[i + 1], args[i].span - 1)) return true;
  }
  return false;
}

/* Trees whose paths are ambiguous, once more as JSON text, by which our reader makes them again. */
static void add_unspelled(struct tb_fxt_writer *w, const struct tb_event *event) {
  struct tb_arg *trees = tb_arena_alloc(&w->scratch, event->arg_count * sizeof(*trees));
  uint32_t count = 0, seen = 0;
  if (!trees) tb_fxt_fail(w, TB_NO_MEMORY);
  for (uint32_t i = 0; trees && i < event->arg_count; i += event->args[i].span) {
    const struct tb_arg *arg = &event->args[i];
    if (is_derived(event, arg, seen++) || !is_tree(arg) || is_spelled(arg)) continue;
    memcpy(&trees[count], arg, arg->span * sizeof(*trees));
    count += arg->span;
  }
  struct tb_str text = count ? tb_fxt_as_json(w, trees, count, true) : (struct tb_str){NULL, 0};
  if (text.ptr) tb_fxt_carry_json(w, TB_CARRIED_ARGS, text);
}

/* The arguments themselves: all leaves where they fit; else each top-level one, trees as JSON text; else as many, and
 * the others as one JSON object, with which those begin whose name means something else. */
static void add_args(struct tb_fxt_writer *w, const struct tb_event *event) {
  /* what an end ends may have to be said, too */
  uint32_t most = event->type == TB_EVENT_SLICE_END ? TB_FXT_MAX_ARGS - 1 : TB_FXT_MAX_ARGS;
  uint32_t room = most > w->args.count ? most - w->args.count : 0, top = 0, seen = 0, trees = 0, unspelled = 0;
  bool reserved = false;
  for (uint32_t i = 0; i < event->arg_count; i += event->args[i].span) {
    bool own = !is_derived(event, &event->args[i], seen++);
    bool tree = own && is_tree(&event->args[i]);
    trees += tree;
    unspelled += tree && !is_spelled(&event->args[i]);
    reserved |= own && has_reserved_name(&event->args[i]);
    top += own;
  }
  bool all_leaves = count_leaves(event->args, event->arg_count) + (trees > 0) + (unspelled > 0) <= room;
  if (all_leaves && trees) all_leaves = !has_doubled_names(event->args, event->arg_count);
  if (reserved && unspelled) all_leaves = false; /* each has the rest of the arguments for itself */
  if (all_leaves && trees) note_trees(w, event);
  if (all_leaves && unspelled) add_unspelled(w, event);
  seen = 0;
  for (uint32_t i = 0; i < event->arg_count && w->status == TB_OK; i += event->args[i].span) {
    const struct tb_arg *arg = &event->args[i];
    char letter = tb_fxt_type_letter(event, seen);
    if (is_derived(event, arg, seen++)) continue;
    if (has_reserved_name(arg) || (top > room && w->args.count + 1 >= most)) {
      struct tb_str rest = tb_fxt_as_json(w, arg, event->arg_count - i, true);
      if (rest.ptr) tb_fxt_carry_json(w, TB_CARRIED_ARGS, rest);
      return;
    }
    if (all_leaves) {
      if (is_tree(arg))
        add_leaves(w, arg, arg->name, 0);
      else
        add_leaf(w, arg, arg->name, letter);
    } else {
      add_leaf(w, arg, arg->name, letter);
    }
  }
}

/* Metadata is no event whose arguments others look for: its trees whose paths are ambiguous are written as JSON
 * text. */
static struct tb_arg spellable(struct tb_fxt_writer *w, const struct tb_event *event, const struct tb_arg *arg) {
  struct tb_arg top = *arg;
  if (!top.name.len) top.name = event->name;
  if (!is_tree(arg) || (is_path_part(top.name) && spells_path(arg, 0))) return top;
  struct tb_str text = tb_fxt_as_json(w, arg, arg->span, false);
  return (struct tb_arg){.name = top.name, .text = text, .span = 1, .type = TB_ARG_JSON};
}

void tb_fxt_flatten_metadata(struct tb_fxt_writer *w, const struct tb_event *event) {
  struct tb_event copy = *event;
  struct tb_arg *args = tb_arena_alloc(&w->scratch, event->arg_count * sizeof(*args));
  if (!args) tb_fxt_fail(w, TB_NO_MEMORY);
  copy.args = args;
  copy.arg_count = 0;
  for (uint32_t i = 0; args && i < event->arg_count; i += event->args[i].span) {
    struct tb_arg *top = &args[copy.arg_count];
    memcpy(top, &event->args[i], event->args[i].span * sizeof(*top));
    *top = spellable(w, event, &event->args[i]);
    copy.arg_count += top->span;
  }
  tb_fxt_flatten(w, &copy);
}

void tb_fxt_flatten(struct tb_fxt_writer *w, const struct tb_event *event) {
  const struct tb_arg *own = own_args(event);
  add_carried(w, event, own);
  if (!own) {
    add_args(w, event);
    return;
  }
  struct tb_event as_it_was = *event;
  as_it_was.args = own + 1;
  as_it_was.arg_count = own->span - 1;
  add_args(w, &as_it_was);
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

size_t tb_fxt_args_size(const struct tb_fxt_flat *args, uint32_t count) {
  size_t size = count * sizeof(*args);
  for (uint32_t i = 0; i < count; i++) size += args[i].name.len + args[i].text.len;
  return size;
}

char *tb_fxt_copy_parts(struct tb_fxt_writer *w, const struct tb_event *event, size_t front, size_t *size) {
  size_t args_size = tb_fxt_args_size(w->args.items, w->args.count);
  *size = front + args_size + event->name.len + event->categories.len;
  char *block = tb_alloc(w->writer->allocator, *size);
  if (!block) {
    tb_fxt_fail(w, TB_NO_MEMORY);
    return NULL;
  }
  (void)tb_fxt_copy_args(w->args.items, w->args.count, block + front);
  char *texts = block + front + args_size;
  if (event->name.len) memcpy(texts, event->name.ptr, event->name.len);
  texts += event->name.len;
  if (event->categories.len) memcpy(texts, event->categories.ptr, event->categories.len);
  return block;
}

struct tb_fxt_flat *tb_fxt_copy_args(const struct tb_fxt_flat *args, uint32_t count, char *block) {
  struct tb_fxt_flat *copies = (void *)block;
  char *texts = block + count * sizeof(*args);
  for (uint32_t i = 0; i < count; i++) {
    copies[i] = args[i];
    if (args[i].name.len) memcpy(texts, args[i].name.ptr, args[i].name.len);
    copies[i].name.ptr = texts;
    texts += args[i].name.len;
    if (args[i].text.len) memcpy(texts, args[i].text.ptr, args[i].text.len);
    copies[i].text.ptr = texts;
    texts += args[i].text.len;
  }
  return copies;
}
