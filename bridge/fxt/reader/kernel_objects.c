/* SPDX-License-Identifier: Apache-2.0
 *
 * FXT object records: names of processes, threads and whatever else pointers and koids stand for.
 */
#include "fxt/reader/reader.h"
#include "json/text.h"
#include "model/metadata.h"

static uint64_t key_of(const struct tb_track *track) { return (uint64_t)(uintptr_t)track; }

static char letter_of(const struct tb_arg *arg) {
  static const char letters[] = {
      [TB_ARG_NULL] = 'n',   [TB_ARG_BOOL] = '.',   [TB_ARG_INT] = 'I',     [TB_ARG_UINT] = 'U',
      [TB_ARG_DOUBLE] = 'd', [TB_ARG_STRING] = '.', [TB_ARG_POINTER] = 'p', [TB_ARG_KOID] = 'k',
      [TB_ARG_DICT] = '.',   [TB_ARG_ARRAY] = '.',  [TB_ARG_JSON] = '.',    [TB_ARG_BLOB] = 'b'};
  if (arg->width == 32) return arg->type == TB_ARG_INT ? 'i' : 'u';
  return letters[arg->type];
}

/* What the arguments' types are: metadata goes through JSON text, which keeps none. */
static enum tb_status give_types(struct tb_fxt_reader *fx, struct tb_event *event) {
  struct tb_arg *extra = tb_arena_alloc(&fx->batch->arena, sizeof(*extra));
  char *letters = tb_arena_alloc(&fx->batch->arena, event->arg_count);
  if (!extra || !letters) return tb_fxt_no_memory(fx, TB_NO_MEMORY);
  for (uint32_t i = 0; i < event->arg_count; i++) letters[i] = letter_of(&event->args[i]);
  *extra = (struct tb_arg){.name = tb_carried_key(TB_CARRIED_FXT_TYPES),
                           .text = {letters, event->arg_count},
                           .span = 1,
                           .type = TB_ARG_STRING};
  event->extra = extra;
  event->extra_count = 1;
  return TB_OK;
}

/* Gives an object record as metadata: what identifies the object, its name, its arguments in a dict. */
static enum tb_status add_object(struct tb_fxt_reader *fx, const char *what, const struct tb_track *process,
                                 const struct tb_arg *ids, uint32_t id_count, struct tb_str name) {
  struct tb_event *event;
  enum tb_status status = tb_fxt_add_event(fx, TB_EVENT_METADATA, process, &event);
  if (status != TB_OK) return status;
  event->phase = 'M';
  event->name = tb_str_from(what);
  event->has = TB_HAS_NAME;
  event->arg_count = fx->arg_count; /* without the objects of its own koids */
  event->args = tb_arena_alloc(&fx->batch->arena, fx->arg_count * sizeof(*fx->args));
  if (!event->args) return tb_fxt_no_memory(fx, TB_NO_MEMORY);
  if (fx->arg_count) memcpy((void *)(uintptr_t)event->args, fx->args, fx->arg_count * sizeof(*fx->args));
  if (fx->arg_count && (status = give_types(fx, event)) != TB_OK) return status;
  uint32_t dict = event->arg_count ? 1 + event->arg_count : 0;
  struct tb_arg *args = tb_arena_alloc(&fx->batch->arena, (id_count + 1 + dict) * sizeof(*args));
  if (!args) return tb_fxt_no_memory(fx, TB_NO_MEMORY);
  memcpy(args, ids, id_count * sizeof(*args));
  args[id_count] = (struct tb_arg){.name = TB_STR("name"), .text = name, .span = 1, .type = TB_ARG_STRING};
  if (dict) {
    args[id_count + 1] = (struct tb_arg){.name = TB_STR("args"), .span = dict, .type = TB_ARG_DICT};
    memcpy(&args[id_count + 2], event->args, event->arg_count * sizeof(*args));
  }
  event->args = args;
  event->arg_count = id_count + 1 + dict;
  event->has |= TB_HAS_ARGS;
  return TB_OK;
}

enum tb_status tb_fxt_parse_userspace_object(struct tb_fxt_reader *fx, uint64_t header, struct tb_fxt_cursor cursor) {
  uint64_t pointer, koid;
  uint32_t ref = (uint32_t)tb_fxt_field(header, 16, 23);
  struct tb_str name;
  const struct tb_track *process;
  if (!tb_fxt_take_word(&cursor, &pointer)) return tb_fxt_malformed(fx, "an object without its pointer", NULL);
  enum tb_status status;
  if (ref) {
    status = tb_fxt_resolve_thread(fx, ref, &cursor, &process);
    if (status != TB_OK) return status;
    process = process->parent;
  } else {
    if (!tb_fxt_take_word(&cursor, &koid))
      return tb_fxt_malformed(fx, "a record too short for its inline process", NULL);
    struct tb_track *track;
    status = tb_fxt_process_track(&fx->tables, koid, &track);
    if (status != TB_OK) return tb_fxt_no_memory(fx, status);
    process = track;
  }
  status = tb_fxt_resolve_string(fx, (uint32_t)tb_fxt_field(header, 24, 39), &cursor, &name);
  if (status == TB_OK) status = tb_fxt_parse_args(fx, (uint32_t)tb_fxt_field(header, 40, 43), &cursor);
  if (status != TB_OK) return status;
  status = tb_fxt_set_object(&fx->tables, &fx->tables.userspace_objects, key_of(process), pointer, name, fx->args,
                             fx->arg_count);
  if (status != TB_OK) return tb_fxt_no_memory(fx, status);
  struct tb_arg id = {.name = TB_STR("pointer"), .u = pointer, .span = 1, .type = TB_ARG_POINTER};
  return add_object(fx, TB_FXT_NAME_USERSPACE_OBJECT, process, &id, 1, name);
}

/* ---- kernel objects -------------------------------------------------------------------------------------------------
 */

/* Gives a track its name; *news says whether it is another than before. */
static enum tb_status set_name(struct tb_fxt_reader *fx, struct tb_track *track, struct tb_str name, bool *news) {
  struct tb_str own;
  enum tb_status status = tb_fxt_intern(&fx->tables.texts, name, &own);
  if (status != TB_OK) return tb_fxt_no_memory(fx, status);
  *news = own.len && !tb_str_equal(own, track->name);
  if (*news) track->name = own;
  return TB_OK;
}

enum tb_status tb_fxt_note_name(struct tb_fxt_reader *fx, const struct tb_event *metadata) {
  bool news = false;
  struct tb_str name = tb_metadata_track_name(metadata);
  struct tb_track *track = (struct tb_track *)(uintptr_t)metadata->track; /* of this reader's tables */
  return name.len ? set_name(fx, track, name, &news) : TB_OK;
}

/* Names a track, and says so in an event where it is news, or something else of the track is. */
static enum tb_status name_track(struct tb_fxt_reader *fx, struct tb_track *track, struct tb_str name, bool is_news) {
  bool news = false;
  enum tb_status status = set_name(fx, track, name, &news);
  struct tb_event *event;
  return status == TB_OK && (news || is_news) ? tb_fxt_add_event(fx, TB_EVENT_TRACK, track, &event) : status;
}

/* The thread of a kernel object: of the process that its argument "process" names, which is then taken out. *adopted:
 * it was known without one. */
static enum tb_status thread_of_object(struct tb_fxt_reader *fx, uint64_t koid, struct tb_track **thread,
                                       bool *adopted) {
  for (uint32_t i = 0; i < fx->arg_count; i++) {
    if (fx->args[i].type != TB_ARG_KOID || !tb_str_equal(fx->args[i].name, TB_STR("process"))) continue;
    uint64_t process = fx->args[i].u;
    memmove(&fx->args[i], &fx->args[i + 1], (fx->arg_count - i - 1) * sizeof(*fx->args));
    fx->arg_count--;
    enum tb_status status = tb_fxt_adopt_thread(&fx->tables, process, koid, adopted);
    if (status == TB_OK) status = tb_fxt_thread_track(&fx->tables, process, koid, thread);
    if (status != TB_OK) return status;
    return tb_map_put(&fx->tables.thread_objects, (uint64_t)(*thread)->tid, 0, process);
  }
  return tb_fxt_thread_track_of_koid(&fx->tables, koid, thread);
}

static bool is_id(const struct tb_arg *arg) {
  return arg->type == TB_ARG_STRING || arg->type == TB_ARG_INT || arg->type == TB_ARG_UINT;
}

static struct tb_arg *find_id(const struct tb_fxt_reader *fx, enum tb_carried_id field) {
  for (uint32_t i = 0; i < fx->arg_count; i++)
    if (is_id(&fx->args[i]) && tb_str_equal(fx->args[i].name, tb_carried_path(field))) return &fx->args[i];
  return NULL;
}

/* Takes the text or number that an id is in the source out of the arguments of the track's object; *name, which others
 * show in place of a text, is then no name. */
static enum tb_status take_text_id(struct tb_fxt_reader *fx, enum tb_carried_id field, bool names, struct tb_str *name,
                                   struct tb_track *track) {
  struct tb_arg *arg = find_id(fx, field);
  if (!arg) return TB_OK;
  char digits[TB_JSON_INTEGER_MAX];
  bool is_number = arg->type != TB_ARG_STRING;
  struct tb_str text = arg->text;
  if (is_number) {
    const char *end = arg->type == TB_ARG_INT ? tb_json_put_int(digits, arg->i) : tb_json_put_uint(digits, arg->u);
    text = (struct tb_str){digits, (size_t)(end - digits)};
  }
  memmove(arg, arg + 1, (size_t)(fx->args + fx->arg_count - arg - 1) * sizeof(*arg));
  fx->arg_count--;
  if (names && !is_number && tb_str_equal(text, *name)) *name = (struct tb_str){NULL, 0};
  struct tb_track_details *details;
  enum tb_status status = tb_fxt_own_details(&fx->tables, track, &details);
  if (status != TB_OK) return tb_fxt_no_memory(fx, status);
  *(field == TB_CARRIED_TID ? &details->tid_is_number : &details->pid_is_number) = is_number;
  status = tb_fxt_intern(&fx->tables.texts, text, field == TB_CARRIED_TID ? &details->tid_text : &details->pid_text);
  return tb_fxt_no_memory(fx, status);
}

static enum tb_status take_text_ids(struct tb_fxt_reader *fx, struct tb_track *track, struct tb_str *name) {
  bool is_thread = track->type == TB_TRACK_THREAD;
  enum tb_status status = take_text_id(fx, TB_CARRIED_PID, !is_thread, name, track);
  return status == TB_OK && is_thread ? take_text_id(fx, TB_CARRIED_TID, true, name, track) : status;
}

/* The type of an object: our writer has tracks without a name whose ids are texts as objects of no type. */
static uint64_t type_of_object(const struct tb_fxt_reader *fx, uint64_t type) {
  if (type != TB_FXT_OBJECT_NONE) return type;
  if (find_id(fx, TB_CARRIED_TID)) return TB_FXT_OBJECT_THREAD;
  return find_id(fx, TB_CARRIED_PID) ? TB_FXT_OBJECT_PROCESS : type;
}

enum tb_status tb_fxt_parse_kernel_object(struct tb_fxt_reader *fx, uint64_t header, struct tb_fxt_cursor cursor) {
  uint64_t koid, type = tb_fxt_field(header, 16, 23);
  struct tb_str name;
  if (!tb_fxt_take_word(&cursor, &koid)) return tb_fxt_malformed(fx, "an object without its koid", NULL);
  enum tb_status status = tb_fxt_resolve_string(fx, (uint32_t)tb_fxt_field(header, 24, 39), &cursor, &name);
  if (status == TB_OK) status = tb_fxt_parse_args(fx, (uint32_t)tb_fxt_field(header, 40, 43), &cursor);
  if (status != TB_OK) return status;
  status = tb_fxt_set_object(&fx->tables, &fx->tables.kernel_objects, koid, 0, name, fx->args, fx->arg_count);
  type = type_of_object(fx, type);
  struct tb_track *track = NULL;
  bool adopted = false;
  if (status == TB_OK && type == TB_FXT_OBJECT_PROCESS) status = tb_fxt_process_track(&fx->tables, koid, &track);
  if (status == TB_OK && type == TB_FXT_OBJECT_THREAD) status = thread_of_object(fx, koid, &track, &adopted);
  if (status != TB_OK) return tb_fxt_no_memory(fx, status);
  if (track) {
    status = take_text_ids(fx, track, &name);
    if (status == TB_OK) status = name_track(fx, track, name, adopted);
    if (status != TB_OK || fx->arg_count == 0) return status; /* the track says it all */
  }
  const struct tb_track *owner = track;
  status = owner ? TB_OK : tb_fxt_no_memory(fx, tb_fxt_global_track(&fx->tables, &owner));
  if (status != TB_OK) return status;
  const struct tb_arg ids[] = {{.name = TB_STR("koid"), .u = koid, .span = 1, .type = TB_ARG_KOID},
                               {.name = TB_STR("type"), .u = type, .span = 1, .type = TB_ARG_UINT, .width = 32}};
  return add_object(fx, TB_FXT_NAME_KERNEL_OBJECT, owner, ids, 2, name);
}
