/* SPDX-License-Identifier: Apache-2.0
 *
 * Logs, blobs, objects, clocks, and metadata that FXT has no record of: it is kept in large blob records without bytes,
 * whose category says so, whose name is the metadata's and whose arguments are its values.
 */
#include "base/base64.h"
#include "base/hex.h"
#include "fxt/writer/writer.h"
#include "model/arg_lookup.h"
#include "model/fxt_blobs.h"
#include "model/metadata.h"
#include "model/tracks.h"

enum { BLOB_CHUNK = 32000, MAX_LARGE_WORDS = TB_FXT_MAX_WORDS };

void tb_fxt_put_log(struct tb_fxt_writer *w, const struct tb_event *event) {
  if (event->ts < 0) {
    tb_fxt_lose_event(w, "an event before time 0", event);
    return;
  }
  struct tb_str text = event->name;
  if (text.len > TB_FXT_MAX_STRING) {
    tb_fxt_lose_event(w, "the end of a text of more than 32,000 bytes", event);
    text = tb_fxt_text_cut(text, TB_FXT_MAX_STRING);
  }
  tb_fxt_flatten(w, event);
  uint64_t thread = tb_fxt_thread_ref(w, tb_fxt_process_koid(event->track), tb_fxt_thread_koid(event->track));
  tb_fxt_open_record(w, TB_FXT_LOG, (uint64_t)text.len << 16 | thread << 32);
  tb_fxt_put_word(w, (uint64_t)event->ts);
  tb_fxt_put_stream(w, text);
  /* behind the record's own parts, which is how the format is extended */
  tb_fxt_put_args(w, w->args.items, w->args.count);
  tb_fxt_close_record(w);
}

/* ---- blobs ------------------------------------------------------------------------------------------------------- */

static void put_chunks(struct tb_fxt_writer *w, struct tb_str name, struct tb_str bytes, uint64_t type) {
  do {
    struct tb_str chunk = {bytes.ptr, bytes.len < BLOB_CHUNK ? bytes.len : BLOB_CHUNK};
    uint64_t ref = tb_fxt_string_ref(w, name);
    tb_fxt_open_record(w, TB_FXT_BLOB, ref << 16 | (uint64_t)chunk.len << 32 | type << 48);
    tb_fxt_put_stream(w, chunk);
    tb_fxt_close_record(w);
    bytes.ptr += chunk.len;
    bytes.len -= chunk.len;
  } while (bytes.len && w->status == TB_OK);
}

/* Writes the current record as the head of a large one, and the bytes behind it. */
static void close_large(struct tb_fxt_writer *w, struct tb_str bytes) {
  tb_fxt_put_word(w, bytes.len);
  if (w->words > TB_FXT_MAX_WORDS || bytes.len / TB_FXT_WORD > UINT32_MAX - TB_FXT_MAX_WORDS)
    tb_fxt_lose_event(w, "a blob of 32 GiB or more, or with too long arguments", NULL);
  else
    tb_fxt_write_large(w, w->record, w->words, bytes);
}

void tb_fxt_put_large(struct tb_fxt_writer *w, const struct tb_event *event, struct tb_str category,
                      bool has_metadata) {
  if (event->track) tb_fxt_use_process(w, tb_fxt_process_koid(event->track));
  uint64_t thread =
      has_metadata ? tb_fxt_thread_ref(w, tb_fxt_process_koid(event->track), tb_fxt_thread_koid(event->track)) : 0;
  uint64_t category_ref = tb_fxt_string_ref(w, category), name = tb_fxt_string_ref(w, event->name);
  uint64_t format = has_metadata ? TB_FXT_LARGE_BLOB_WITH_METADATA : TB_FXT_LARGE_BLOB_BARE;
  tb_fxt_open_record(w, TB_FXT_LARGE, format << 40);
  tb_fxt_put_word(w, category_ref | name << 16 | (has_metadata ? (uint64_t)w->args.count << 32 | thread << 36 : 0));
  if (has_metadata) {
    tb_fxt_put_word(w, event->ts > 0 ? (uint64_t)event->ts : 0);
    tb_fxt_put_args(w, w->args.items, w->args.count);
  }
  close_large(w, event->blob);
}

void tb_fxt_put_blob(struct tb_fxt_writer *w, const struct tb_event *event) {
  if (event->type == TB_EVENT_PACKETS) {
    bool comes_from_fxt = event->blob_type == TB_FXT_BLOB_PERFETTO;
    if (!comes_from_fxt && !w->writer->options.keep_packets)
      tb_losses_add_kind(&w->writer->losses,
                         "packets that FXT has no records for (tb_writer_options.keep_packets keeps them)", event->name,
                         event->offset);
    else
      put_chunks(w, comes_from_fxt ? event->name : TB_STR("perfetto"), event->blob, TB_FXT_BLOB_PERFETTO);
  } else if (event->blob_type) {
    put_chunks(w, event->name, event->blob, event->blob_type);
  } else {
    bool has_metadata = event->track && event->has & TB_HAS_TS;
    if (has_metadata) tb_fxt_flatten(w, event);
    tb_fxt_put_large(w, event, event->categories, has_metadata);
  }
}

/* Takes a blob's type and bytes from arguments called so; false where they are not there. */
static bool take_blob(struct tb_fxt_writer *w, const struct tb_arg *args, uint32_t count, struct tb_str type,
                      struct tb_str bytes, struct tb_event *blob) {
  const struct tb_arg *number = tb_find_member(args, count, type);
  const struct tb_arg *text = tb_find_member(args, count, bytes);
  if (!number || !text || text->type != TB_ARG_STRING || (number->type != TB_ARG_INT && number->type != TB_ARG_UINT))
    return false;
  char *to = tb_arena_alloc(&w->scratch, text->text.len);
  size_t len;
  if (!to) tb_fxt_fail(w, TB_NO_MEMORY);
  if (!to || tb_base64_decode(text->text, to, &len) != TB_OK) return false;
  blob->type = TB_EVENT_BLOB;
  blob->blob_type = (uint8_t)number->u;
  blob->blob = (struct tb_str){to, len};
  return true;
}

bool tb_fxt_put_blob_again(struct tb_fxt_writer *w, const struct tb_event *event) {
  struct tb_event blob = *event;
  if (event->type == TB_EVENT_METADATA) {
    if (!tb_str_equal(event->name, TB_STR(TB_BLOB_METADATA))) return false;
    if (!take_blob(w, event->args, event->arg_count, TB_STR("type"), TB_STR("bytes"), &blob)) return false;
    const struct tb_arg *name = tb_find_member(event->args, event->arg_count, TB_STR("name"));
    const struct tb_arg *category = tb_find_member(event->args, event->arg_count, TB_STR("category"));
    blob.name = name && name->type == TB_ARG_STRING ? name->text : (struct tb_str){NULL, 0};
    blob.categories = category && category->type == TB_ARG_STRING ? category->text : (struct tb_str){NULL, 0};
    blob.track = NULL;
    blob.arg_count = 0;
  } else if (!take_blob(w, event->extra, event->extra_count, tb_carried_key(TB_CARRIED_FXT_BLOB),
                        tb_carried_key(TB_CARRIED_FXT_BYTES), &blob)) {
    return false;
  }
  if (!w->provider) tb_fxt_use_process(w, 0);
  tb_fxt_put_blob(w, &blob);
  return true;
}

/* ---- objects ----------------------------------------------------------------------------------------------------- */

static const struct tb_arg *find_arg(const struct tb_event *event, struct tb_str name) {
  return tb_find_member(event->args, event->arg_count, name);
}

/* A pointer or koid, which a way through JSON may have made a text. */
static bool number_of(const struct tb_arg *arg, uint64_t *number) {
  if (!arg) return false;
  if (arg->type == TB_ARG_INT || arg->type == TB_ARG_UINT || arg->type == TB_ARG_POINTER || arg->type == TB_ARG_KOID) {
    *number = arg->u;
    return true;
  }
  if (arg->type != TB_ARG_STRING) return false;
  return tb_hex_parse_prefixed(arg->text, number) || tb_fxt_parse_number(arg->text, number);
}

/* Gives an argument that went through JSON the type that its letter says. */
static void give_type(struct tb_arg *arg, char letter) {
  bool is_integer = arg->type == TB_ARG_INT || arg->type == TB_ARG_UINT;
  uint64_t number;
  if ((letter == 'p' || letter == 'k') && number_of(arg, &number)) {
    arg->type = letter == 'p' ? TB_ARG_POINTER : TB_ARG_KOID;
    arg->u = number;
  } else if (letter == 'd' && is_integer) {
    arg->d = arg->type == TB_ARG_INT ? (double)arg->i : (double)arg->u;
    arg->type = TB_ARG_DOUBLE;
  } else if (is_integer && letter && strchr("iIuU", letter)) {
    arg->type = letter == 'i' || letter == 'I' ? TB_ARG_INT : TB_ARG_UINT;
    arg->width = letter == 'i' || letter == 'u' ? 32 : 64;
  }
}

/* The members of an object record's `args`, as if they were an event's. */
static void flatten_members(struct tb_fxt_writer *w, const struct tb_event *event) {
  const struct tb_arg *dict = find_arg(event, TB_STR("args"));
  if (!dict || dict->type != TB_ARG_DICT || dict->span == 1) return;
  struct tb_event members = {.has = TB_HAS_NAME, .arg_count = dict->span - 1};
  struct tb_arg *args = tb_arena_alloc(&w->scratch, members.arg_count * sizeof(*args));
  if (!args) {
    tb_fxt_fail(w, TB_NO_MEMORY);
    return;
  }
  memcpy(args, dict + 1, members.arg_count * sizeof(*args));
  uint32_t index = 0;
  for (uint32_t i = 0; i < members.arg_count; i += args[i].span)
    give_type(&args[i], tb_fxt_type_letter(event, index++));
  members.args = args;
  tb_fxt_flatten(w, &members);
}

/* True where the event was an object record, and is one again. */
static bool put_object(struct tb_fxt_writer *w, const struct tb_event *event) {
  bool is_kernel = tb_str_equal(event->name, TB_STR(TB_FXT_NAME_KERNEL_OBJECT));
  if (!is_kernel && !tb_str_equal(event->name, TB_STR(TB_FXT_NAME_USERSPACE_OBJECT))) return false;
  uint64_t number, type = 0;
  const struct tb_arg *text = find_arg(event, TB_STR("name"));
  if (!number_of(find_arg(event, is_kernel ? TB_STR("koid") : TB_STR("pointer")), &number)) return false;
  if (is_kernel && !number_of(find_arg(event, TB_STR("type")), &type)) return false;
  flatten_members(w, event);
  uint64_t process = tb_fxt_process_koid(event->track);
  tb_fxt_use_process(w, process);
  if (is_kernel && type == TB_FXT_OBJECT_THREAD && event->track && w->args.count < TB_FXT_MAX_ARGS)
    w->args.items[w->args.count++] =
        (struct tb_fxt_flat){.name = TB_STR("process"), .value = process, .type = TB_FXT_ARG_KOID};
  uint64_t name = text && text->type == TB_ARG_STRING ? tb_fxt_string_ref(w, text->text) : 0;
  if (is_kernel)
    tb_fxt_open_record(w, TB_FXT_KERNEL_OBJECT, type << 16 | name << 24 | (uint64_t)w->args.count << 40);
  else
    tb_fxt_open_record(w, TB_FXT_USERSPACE_OBJECT, name << 24 | (uint64_t)w->args.count << 40);
  tb_fxt_put_word(w, number);
  if (!is_kernel) tb_fxt_put_word(w, process);
  tb_fxt_put_args(w, w->args.items, w->args.count);
  tb_fxt_close_record(w);
  return true;
}

/* ---- metadata ---------------------------------------------------------------------------------------------------- */

void tb_fxt_put_metadata(struct tb_fxt_writer *w, const struct tb_event *event) {
  w->is_part |= tb_metadata_is_split_part(event);
  if (event->type == TB_EVENT_METADATA && (put_object(w, event) || tb_fxt_put_blob_again(w, event))) return;
  tb_fxt_flatten_metadata(w, event);
  if (!w->provider) tb_fxt_use_process(w, tb_fxt_process_koid(event->track));
  const char *category = event->type == TB_EVENT_METADATA ? TB_FXT_CATEGORY_METADATA : TB_FXT_CATEGORY_TRACE;
  tb_fxt_put_large(w, event, tb_str_from(category), true);
  struct tb_str track_name = tb_metadata_track_name(event);
  if (track_name.len) tb_fxt_name_track(w, event->track, track_name); /* others look for names in kernel objects */
}

static void put_said(struct tb_fxt_writer *w, const struct tb_track *track, struct tb_str name,
                     const struct tb_arg *arg) {
  const struct tb_event said = {.type = TB_EVENT_METADATA,
                                .has = TB_HAS_NAME | TB_HAS_ARGS,
                                .name = name,
                                .args = arg,
                                .arg_count = 1,
                                .track = track,
                                .offset = TB_NO_OFFSET};
  tb_fxt_put_metadata(w, &said);
  w->args.count = 0;
}

/* In one text, as the Trace Event Format has them. False where memory ran out. */
static bool join_labels(struct tb_fxt_writer *w, const struct tb_track *track, struct tb_str *list) {
  struct tb_buffer joined;
  tb_buffer_init(&joined, w->writer->allocator, 0);
  bool ok = tb_track_append_labels(track, &joined) == TB_OK;
  if (ok) *list = tb_arena_copy(&w->scratch, (struct tb_str){joined.data, joined.len});
  tb_buffer_free(&joined);
  return ok && list->ptr;
}

void tb_fxt_put_track_labels(struct tb_fxt_writer *w, const struct tb_track *track,
                             struct tb_fxt_track_state *track_state) {
  const struct tb_track_details *details = tb_track_get_details(track);
  bool is_process = track->type == TB_TRACK_PROCESS;
  bool has_labels = is_process && details->label_count && !(track->said_by_metadata & TB_TRACK_SAID_LABELS);
  bool has_index = track->has_sort_index && !(track->said_by_metadata & TB_TRACK_SAID_SORT_INDEX);
  if (!has_labels && !has_index) return;
  struct tb_str list = {NULL, 0};
  if (has_labels && !join_labels(w, track, &list)) {
    tb_fxt_fail(w, TB_NO_MEMORY);
    return;
  }
  struct tb_fxt_track_more *more = tb_fxt_own_more(w, track_state);
  uint64_t said = tb_mix_word(tb_fxt_text_hash(list), has_index ? (uint64_t)details->sort_index : 1) | 1;
  if (!more || more->said == said) return;
  more->said = said;
  const struct tb_arg labels = {.name = TB_STR("labels"), .span = 1, .type = TB_ARG_STRING, .text = list};
  const struct tb_arg index = {.name = TB_STR("sort_index"), .span = 1, .type = TB_ARG_INT, .i = details->sort_index};
  if (has_labels) put_said(w, track, TB_STR("process_labels"), &labels);
  if (has_index) put_said(w, track, is_process ? TB_STR("process_sort_index") : TB_STR("thread_sort_index"), &index);
}

void tb_fxt_put_track_name(struct tb_fxt_writer *w, const struct tb_event *event, const struct tb_track *track,
                           uint64_t number, uint64_t parent) {
  bool is_said = !track->name.len || tb_str_equal(track->name, event->name); /* readers take a slice's name for it */
  bool is_lane = event->phase == 'X' || event->phase == 'B';                 /* of slices that overlap on a thread */
  bool is_of_thread = track->parent && track->parent->type == TB_TRACK_THREAD;
  if (is_lane || (is_said && track->has_pid && !parent && !is_of_thread && track == event->track)) return;
  struct tb_arg args[5];
  uint32_t count = 0;
  args[count++] = (struct tb_arg){.name = TB_STR("name"), .span = 1, .type = TB_ARG_STRING, .text = track->name};
  args[count++] = (struct tb_arg){.name = TB_STR("id"), .span = 1, .type = TB_ARG_UINT, .u = number};
  if (!track->has_pid) args[count++] = (struct tb_arg){.name = TB_STR("pid"), .span = 1, .type = TB_ARG_INT};
  if (parent || is_of_thread) args[count++] = (struct tb_arg){.name = TB_STR("parent"), .span = 2, .type = TB_ARG_DICT};
  if (is_of_thread)
    args[count++] = (struct tb_arg){.name = TB_STR("tid"), .span = 1, .type = TB_ARG_INT, .i = track->parent->tid};
  else if (parent)
    args[count++] = (struct tb_arg){.name = TB_STR("id"), .span = 1, .type = TB_ARG_UINT, .u = parent};
  const struct tb_event name = {.type = TB_EVENT_METADATA,
                                .has = TB_HAS_NAME | TB_HAS_ARGS,
                                .name = TB_STR("track_name"),
                                .args = args,
                                .arg_count = count,
                                .track = is_of_thread ? track->parent : track,
                                .offset = event->offset};
  tb_fxt_put_metadata(w, &name);
  w->args.count = 0;
}

void tb_fxt_put_clocks(struct tb_fxt_writer *w, const struct tb_event *event) {
  if (w->has_anchor || event->clock_count < 2 || event->clocks[0].ns < 0) return;
  if (event->track && event->track->machine) return; /* times are on the recording machine's clocks */
  for (uint32_t i = 1; i < event->clock_count && !w->has_anchor; i++) {
    if (event->clocks[i].clock != TB_CLOCK_REALTIME || event->clocks[i].ns < 0) continue;
    w->has_anchor = true;
    w->base_ns = (uint64_t)event->clocks[0].ns;
    w->unix_ns = (uint64_t)event->clocks[i].ns;
  }
  if (w->has_anchor && w->provider) tb_fxt_write_initialization(w);
}
