/* SPDX-License-Identifier: Apache-2.0
 *
 * References, times and arguments of FXT records.
 */
#include "base/error.h"
#include "base/utf8.h"
#include "fxt/reader/reader.h"

enum tb_status tb_fxt_resolve_string(struct tb_fxt_reader *fx, uint32_t ref, struct tb_fxt_cursor *cursor,
                                     struct tb_str *text) {
  if (ref == 0) {
    *text = (struct tb_str){"", 0};
    return TB_OK;
  }
  if (!(ref & TB_FXT_INLINE)) {
    const struct tb_fxt_provider *provider = fx->tables.provider;
    *text = provider->pages ? tb_fxt_string_at(provider, ref) : (struct tb_str){NULL, 0};
    return text->ptr ? TB_OK : tb_fxt_malformed(fx, "a string reference to an entry that was never set", NULL);
  }
  if (!tb_fxt_take_stream(cursor, ref & TB_FXT_LENGTH_MASK, text))
    return tb_fxt_malformed(fx, "an inline string runs past its record", cursor->at);
  return tb_fxt_no_memory(fx, tb_utf8_repair(&fx->batch->arena, text));
}

enum tb_status tb_fxt_resolve_thread(struct tb_fxt_reader *fx, uint32_t ref, struct tb_fxt_cursor *cursor,
                                     const struct tb_track **thread) {
  uint64_t process_koid = 0, thread_koid = 0;
  enum tb_status status = TB_OK;
  if (ref) {
    *thread = tb_fxt_thread_at(&fx->tables, ref);
    if (*thread) return TB_OK;
    /* The event itself is good: like the trace processor, give it to thread 0 of process 0. */
    status = tb_fxt_lose(fx, "a thread reference to an entry that was never set", NULL);
  } else if (cursor->end - cursor->at < 2 * TB_FXT_WORD) {
    status = tb_fxt_malformed(fx, "a record too short for its inline thread", NULL);
  } else {
    process_koid = tb_fxt_load(cursor->at);
    thread_koid = tb_fxt_load(cursor->at + TB_FXT_WORD);
    cursor->at += 2 * TB_FXT_WORD;
  }
  if (status != TB_OK) return status;
  struct tb_track *track;
  status = tb_fxt_thread_track(&fx->tables, process_koid, thread_koid, &track);
  *thread = track;
  return status == TB_OK ? tb_fxt_emit_provider(fx, track) : tb_fxt_no_memory(fx, status);
}

enum tb_status tb_fxt_take_time(struct tb_fxt_reader *fx, struct tb_fxt_cursor *cursor, int64_t *ns) {
  uint64_t ticks;
  if (!tb_fxt_take_word(cursor, &ticks)) return tb_fxt_malformed(fx, "a record too short for its time", NULL);
  if (tb_fxt_rate_ns(&fx->tables.provider->rate, ticks, ns)) return TB_OK;
  return tb_fxt_malformed(fx, "a time past the range of 63 bits of ns", NULL);
}

/* ---- arguments ------------------------------------------------------------------------------------------------------
 */

static bool has_word(unsigned type) {
  return type == TB_FXT_ARG_INT64 || type == TB_FXT_ARG_UINT64 || type == TB_FXT_ARG_DOUBLE ||
         type == TB_FXT_ARG_POINTER || type == TB_FXT_ARG_KOID;
}

/* Reads the value of an argument whose header is `header`; `value` is what follows its name. */
static enum tb_status parse_value(struct tb_fxt_reader *fx, uint64_t header, struct tb_fxt_cursor *value,
                                  struct tb_arg *arg) {
  uint64_t word = 0;
  unsigned type = header & 15;
  if (has_word(type) && !tb_fxt_take_word(value, &word))
    return tb_fxt_malformed(fx, "an argument too short for its value", value->at);
  switch (type) {
    case TB_FXT_ARG_NULL:
      arg->type = TB_ARG_NULL;
      return TB_OK;
    case TB_FXT_ARG_INT32:
      arg->type = TB_ARG_INT;
      arg->width = 32;
      arg->i = (int32_t)(uint32_t)(header >> 32);
      return TB_OK;
    case TB_FXT_ARG_UINT32:
      arg->type = TB_ARG_UINT;
      arg->width = 32;
      arg->u = header >> 32;
      return TB_OK;
    case TB_FXT_ARG_INT64:
      arg->type = TB_ARG_INT;
      arg->width = 64;
      memcpy(&arg->i, &word, sizeof(word));
      fx->args_need_types |= arg->i >= INT32_MIN && arg->i <= INT32_MAX;
      return TB_OK;
    case TB_FXT_ARG_UINT64:
      arg->type = TB_ARG_UINT;
      arg->width = 64;
      arg->u = word;
      fx->args_need_types |= word <= UINT32_MAX;
      return TB_OK;
    case TB_FXT_ARG_DOUBLE:
      arg->type = TB_ARG_DOUBLE;
      memcpy(&arg->d, &word, sizeof(word));
      return TB_OK;
    case TB_FXT_ARG_STRING:
      arg->type = TB_ARG_STRING;
      return tb_fxt_resolve_string(fx, (uint32_t)tb_fxt_field(header, 32, 47), value, &arg->text);
    case TB_FXT_ARG_POINTER:
    case TB_FXT_ARG_KOID:
      arg->type = type == TB_FXT_ARG_KOID ? TB_ARG_KOID : TB_ARG_POINTER;
      arg->u = word;
      fx->args_need_types |= type == TB_FXT_ARG_KOID;
      return TB_OK;
    case TB_FXT_ARG_BOOL:
      arg->type = TB_ARG_BOOL;
      arg->u = header >> 32 & 1;
      return TB_OK;
    case TB_FXT_ARG_BLOB:
      arg->type = TB_ARG_BLOB;
      fx->args_need_types = true;
      if (tb_fxt_take_stream(value, (size_t)(header >> 32), &arg->text)) return TB_OK;
      return tb_fxt_malformed(fx, "an argument too short for its blob", value->at);
    default:
      return TB_OK; /* the caller knows the types */
  }
}

static enum tb_status parse_arg(struct tb_fxt_reader *fx, struct tb_fxt_cursor *cursor) {
  const char *start = cursor->at;
  uint64_t header;
  if (!tb_fxt_take_word(cursor, &header)) return tb_fxt_malformed(fx, "fewer arguments than the record says", start);
  size_t size = (size_t)tb_fxt_field(header, 4, 15) * TB_FXT_WORD;
  if (size == 0) return tb_fxt_malformed(fx, "an argument of size 0", start);
  if (size > (size_t)(cursor->end - start)) return tb_fxt_malformed(fx, "an argument runs past its record", start);
  struct tb_fxt_cursor value = {cursor->at, start + size};
  cursor->at = start + size;
  struct tb_arg *arg = &fx->args[fx->arg_count];
  *arg = (struct tb_arg){.span = 1};
  enum tb_status status = tb_fxt_resolve_string(fx, (uint32_t)tb_fxt_field(header, 16, 31), &value, &arg->name);
  if (status == TB_OK && (header & 15) > TB_FXT_ARG_BLOB) return tb_fxt_lose(fx, "an argument of unknown type", start);
  if (status == TB_OK) status = parse_value(fx, header, &value, arg);
  if (status == TB_OK && arg->type == TB_ARG_STRING && fx->continuations_read < fx->continuations.len)
    status = tb_fxt_join_continuation(fx, arg);
  if (status == TB_OK) {
    fx->args_carry |= tb_fxt_is_carried(arg);
    fx->arg_count++;
  } else if (!fx->malformed_at)
    fx->malformed_at = start;
  return status;
}

enum tb_status tb_fxt_parse_args(struct tb_fxt_reader *fx, uint32_t count, struct tb_fxt_cursor *cursor) {
  fx->arg_count = 0;
  fx->args_carry = fx->args_need_types = false;
  fx->rest_count = fx->trees = 0;
  if (count == 0) return TB_OK;
  void *args = fx->args;
  enum tb_status status = tb_grow_array(fx->reader->allocator, &args, &fx->arg_capacity, TB_FXT_MAX_ARGS + 1,
                                        sizeof(*fx->args), TB_FXT_MAX_ARGS + 1);
  fx->args = args;
  if (status != TB_OK) return tb_fxt_no_memory(fx, TB_NO_MEMORY);
  for (uint32_t i = 0; i < count && status == TB_OK; i++) status = parse_arg(fx, cursor);
  fx->continuations.len = fx->continuations_read = 0;
  return status;
}

bool tb_fxt_are_args(struct tb_fxt_cursor words, uint32_t *count) {
  for (*count = 0; words.at < words.end && *count < TB_FXT_MAX_ARGS; ++*count) {
    uint64_t header = tb_fxt_load(words.at), size = tb_fxt_field(header, 4, 15) * TB_FXT_WORD;
    if (!size || (header & 15) > TB_FXT_ARG_BLOB || size > (uint64_t)(words.end - words.at)) return false;
    words.at += size;
  }
  return words.at == words.end;
}

enum tb_status tb_fxt_parse_appended_args(struct tb_fxt_reader *fx, struct tb_fxt_cursor *cursor) {
  uint32_t count;
  bool are_args = tb_fxt_are_args(*cursor, &count);
  enum tb_status status = tb_fxt_parse_args(fx, are_args ? count : 0, cursor);
  if (status != TB_BAD_DATA) return status;
  fx->malformed = NULL; /* another producer's extension of the format: not malformed */
  fx->arg_count = 0;
  return TB_OK;
}

/* ---- giving them to events ------------------------------------------------------------------------------------------
 */

static const struct tb_fxt_object_entry *object_of(const struct tb_fxt_reader *fx, const struct tb_arg *arg,
                                                   const struct tb_track *thread) {
  const struct tb_fxt_tables *tables = &fx->tables;
  if (arg->type == TB_ARG_KOID && tables->kernel_objects.count)
    return tb_map_find_pointer(&tables->kernel_objects, arg->u, 0);
  if (arg->type == TB_ARG_POINTER && tables->userspace_objects.count && thread && thread->parent)
    return tb_map_find_pointer(&tables->userspace_objects, (uint64_t)(uintptr_t)thread->parent, arg->u);
  return NULL;
}

/* Writes what is known of the object that `arg` stands for: a dict NAME:object with its name and its arguments. */
static enum tb_status give_object(struct tb_fxt_reader *fx, const struct tb_arg *arg,
                                  const struct tb_fxt_object_entry *object, struct tb_arg *to) {
  static const char suffix[] = ":object"; /* no dot: it would end the name of an annotation */
  size_t len = arg->name.len + sizeof(suffix) - 1;
  char *name = tb_arena_alloc(&fx->batch->arena, len);
  if (!name) return tb_fxt_no_memory(fx, TB_NO_MEMORY);
  if (arg->name.len) memcpy(name, arg->name.ptr, arg->name.len);
  memcpy(name + arg->name.len, suffix, sizeof(suffix) - 1);
  to[0] =
      (struct tb_arg){.name = {name, len}, .span = 2 + object->arg_count, .type = TB_ARG_DICT, .flags = TB_ARG_DERIVED};
  to[1] = (struct tb_arg){.name = TB_STR("name"), .text = object->name, .span = 1, .type = TB_ARG_STRING};
  if (object->arg_count) memcpy(to + 2, object->args, object->arg_count * sizeof(*to));
  return TB_OK;
}

static char letter_of_type(const struct tb_arg *arg) {
  if (arg->flags & TB_ARG_DERIVED) return '-';
  switch (arg->type) {
    case TB_ARG_KOID:
      return 'k';
    case TB_ARG_BLOB:
      return 'b';
    case TB_ARG_INT:
      return arg->width == 64 && arg->i >= INT32_MIN && arg->i <= INT32_MAX ? 'I' : '.';
    case TB_ARG_UINT:
      return arg->width == 64 && arg->u <= UINT32_MAX ? 'U' : '.';
    default:
      return '.';
  }
}

/* Says in an extra member what the arguments' types are where their values do not say it (docs/MAPPING.md). */
static enum tb_status give_types(struct tb_fxt_reader *fx, struct tb_event *event) {
  struct tb_arg *extra = tb_arena_alloc(&fx->batch->arena, (event->extra_count + 1) * sizeof(*extra));
  char *letters = tb_arena_alloc(&fx->batch->arena, event->arg_count);
  if (!extra || !letters) return tb_fxt_no_memory(fx, TB_NO_MEMORY);
  size_t n = 0;
  bool says_something = false;
  for (uint32_t i = 0; i < event->arg_count; i += event->args[i].span) {
    letters[n] = letter_of_type(&event->args[i]);
    says_something |= letters[n++] != '.';
  }
  if (!says_something) return TB_OK;
  if (event->extra_count) memcpy(extra, event->extra, event->extra_count * sizeof(*extra));
  extra[event->extra_count++] = (struct tb_arg){
      .name = tb_carried_key(TB_CARRIED_FXT_TYPES), .text = {letters, n}, .span = 1, .type = TB_ARG_STRING};
  event->extra = extra;
  return TB_OK;
}

enum tb_status tb_fxt_give_args(struct tb_fxt_reader *fx, const struct tb_track *thread, struct tb_event *event) {
  if (fx->arg_count == 0) return TB_OK;
  if (fx->args_carry) {
    enum tb_status status = tb_fxt_restore(fx, event);
    if (status != TB_OK || fx->arg_count + fx->rest_count == 0) return status;
  }
  if (fx->trees) {
    enum tb_status status = tb_fxt_nest(fx, event);
    return status == TB_OK && fx->args_need_types ? give_types(fx, event) : status;
  }
  size_t total = fx->arg_count;
  for (uint32_t i = 0; i < fx->arg_count; i++) {
    const struct tb_fxt_object_entry *object = object_of(fx, &fx->args[i], thread);
    if (object) total += 2 + object->arg_count;
  }
  struct tb_arg *args = tb_arena_alloc(&fx->batch->arena, (total + fx->rest_count) * sizeof(*args));
  if (!args) return tb_fxt_no_memory(fx, TB_NO_MEMORY);
  size_t n = 0;
  for (uint32_t i = 0; i < fx->arg_count; i++) {
    args[n++] = fx->args[i];
    const struct tb_fxt_object_entry *object = total > fx->arg_count ? object_of(fx, &fx->args[i], thread) : NULL;
    if (!object) continue;
    enum tb_status status = give_object(fx, &fx->args[i], object, args + n);
    if (status != TB_OK) return status;
    n += 2 + object->arg_count;
    fx->args_need_types = true;
  }
  if (fx->rest_count) memcpy(args + n, fx->rest, fx->rest_count * sizeof(*args));
  event->args = args;
  event->arg_count = (uint32_t)n + fx->rest_count;
  event->has |= TB_HAS_ARGS;
  return fx->args_need_types ? give_types(fx, event) : TB_OK;
}
