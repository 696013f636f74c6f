/* SPDX-License-Identifier: Apache-2.0
 *
 * Counters: the samples of one counter at one moment become one record.
 */
#include "base/hex.h"
#include "fxt/writer/writer.h"
#include "json/value.h"
#include "model/arg_lookup.h"

/* ---- the record in the making ------------------------------------------------------------------------------------ */

void tb_fxt_finish_counter(struct tb_fxt_writer *w) {
  struct tb_fxt_sampling *s = &w->sampling;
  if (s->series.count == 0) return;
  const char *texts = s->texts.data ? s->texts.data : ""; /* all of them may be empty */
  for (uint32_t i = 0; i < s->series.count; i++) s->series.items[i].name.ptr = texts + s->offsets[i];
  struct tb_fxt_event_record record = {.type = TB_FXT_COUNTER,
                                       .ts = s->ts,
                                       .process = s->process,
                                       .thread = s->thread,
                                       .name = {texts, s->name_len},
                                       .category = {texts + s->name_len, s->category_len},
                                       .args = s->series.items,
                                       .arg_count = s->series.count,
                                       .has_last = true,
                                       .last = s->id};
  struct tb_event members = {.type = TB_EVENT_BLOB, .blob = {texts + s->name_len + s->category_len, s->members_len}};
  if (s->members_len) {
    tb_fxt_use_process(w, s->process);
    tb_fxt_put_large(w, &members, TB_STR(TB_FXT_CATEGORY_COUNTER), false);
  }
  tb_fxt_put_event(w, &record);
  s->series.count = 0;
}

static bool is_same_text(const struct tb_fxt_sampling *s, size_t at, size_t len, struct tb_str text) {
  return len == text.len && (len == 0 || memcmp(s->texts.data + at, text.ptr, len) == 0);
}

/* What is before a record's samples. */
struct words {
  struct tb_str name, category;
  struct tb_str members; /* JSON: of the event, no samples */
};

static bool belongs(const struct tb_fxt_sampling *s, const struct tb_fxt_sampling *to, const struct words *words,
                    struct tb_str series) {
  if (s->series.count == 0 || s->series.count == TB_FXT_MAX_ARGS || s->ts != to->ts || s->id != to->id ||
      s->process != to->process || s->thread != to->thread || !is_same_text(s, 0, s->name_len, words->name) ||
      !is_same_text(s, s->name_len, s->category_len, words->category) ||
      !is_same_text(s, s->name_len + s->category_len, s->members_len, words->members))
    return false;
  for (uint32_t i = 0; i < s->series.count; i++)
    if (is_same_text(s, s->offsets[i], s->series.items[i].name.len, series)) return false;
  return true;
}

static void start_record(struct tb_fxt_writer *w, const struct tb_fxt_sampling *to, const struct words *words) {
  struct tb_fxt_sampling *s = &w->sampling;
  tb_fxt_finish_counter(w);
  s->ts = to->ts;
  s->id = to->id;
  s->process = to->process;
  s->thread = to->thread;
  s->texts.len = 0;
  s->name_len = words->name.len;
  s->category_len = words->category.len;
  s->members_len = words->members.len;
  tb_fxt_fail(w, tb_buffer_append(&s->texts, words->name.ptr, words->name.len));
  tb_fxt_fail(w, tb_buffer_append(&s->texts, words->category.ptr, words->category.len));
  tb_fxt_fail(w, tb_buffer_append(&s->texts, words->members.ptr, words->members.len));
}

/* Adds a sample whose value is `flat`. */
static void add_sample(struct tb_fxt_writer *w, const struct tb_fxt_sampling *to, const struct words *words,
                       struct tb_str series, const struct tb_fxt_flat *flat) {
  struct tb_fxt_sampling *s = &w->sampling;
  if (!belongs(s, to, words, series)) start_record(w, to, words);
  uint32_t i = s->series.count;
  s->offsets[i] = s->texts.len;
  tb_fxt_fail(w, tb_buffer_append(&s->texts, series.ptr, series.len));
  if (w->status != TB_OK) return;
  s->series.items[i] = *flat;
  s->series.items[i].name.len = series.len;
  s->series.count++;
}

/* ---- which counter ----------------------------------------------------------------------------------------------- */

enum { IDENTITY_TEXTS = 5 };

static const struct tb_str no_text = {NULL, 0};

/* The strings that a JSON array begins with; how many, at most IDENTITY_TEXTS. *last is what is behind them, NULL where
 * that is the end. */
static unsigned take_texts(struct tb_fxt_writer *w, struct tb_str json, struct tb_str texts[IDENTITY_TEXTS],
                           const struct tb_arg **last) {
  struct tb_arg *list;
  unsigned count = 0;
  *last = NULL;
  if (!json.len || !tb_json_parse_value(&w->scratch, json, &list) || list->type != TB_ARG_ARRAY) return 0;
  uint32_t i = 1;
  for (; i < list->span && count < IDENTITY_TEXTS && list[i].type == TB_ARG_STRING; i += list[i].span)
    texts[count++] = list[i].text;
  if (i < list->span) *last = &list[i];
  return count;
}

/* The thread of JSON's counter, where it says one: `{"tid": …}`. */
static void take_thread(const struct tb_arg *object, struct tb_fxt_sampling *to) {
  const struct tb_arg *tid =
      object && object->type == TB_ARG_DICT ? tb_find_member(object + 1, object->span - 1, TB_STR("tid")) : NULL;
  if (tid && tid->type == TB_ARG_INT) to->thread = tid->u;
}

static bool is_number(struct tb_str text, uint64_t *number) {
  return tb_fxt_parse_number(text, number) || tb_hex_parse_prefixed(text, number);
}

static uint64_t number_of(struct tb_str text) {
  uint64_t number;
  return is_number(text, &number) ? number : tb_fxt_text_hash(text);
}

/* The text that says the id where its number does not: FXT's counters all have an id, which is 0 where none is needed,
 * so that a description of FXT's has it with the thread's. */
static struct tb_str text_of_id(struct tb_str id, bool is_of_fxt) {
  uint64_t number;
  if (!is_number(id, &number)) return id;
  return number || (is_of_fxt && tb_str_equal(id, TB_STR("0"))) ? no_text : TB_STR(TB_FXT_ID_ZERO);
}

/* Name, series, id and thread of a counter's own track: by its description, else by its name. Returns the id where its
 * number does not say it. */
static struct tb_str identify(struct tb_fxt_writer *w, const struct tb_track *track, struct tb_str *name,
                              struct tb_str *series, struct tb_fxt_sampling *to, char *letter) {
  struct tb_str texts[IDENTITY_TEXTS];
  const struct tb_arg *last;
  unsigned count = take_texts(w, tb_track_get_details(track)->description, texts, &last);
  *name = count >= 2 ? texts[0] : track->name;
  *series = count >= 2 ? texts[1] : TB_STR(TB_FXT_OWN_SERIES);
  if (count >= 3) to->id = number_of(texts[2]);
  if (count >= 4 && !to->thread) to->thread = number_of(texts[3]);
  if (!to->thread) take_thread(last, to);
  if (count >= 5 && texts[4].len == 1) *letter = texts[4].ptr[0];
  return count >= 3 ? text_of_id(texts[2], count > 3) : no_text;
}

static bool flat_number(const struct tb_arg *arg, char letter, struct tb_fxt_flat *flat) {
  *flat = (struct tb_fxt_flat){.value = arg->u};
  if (arg->type == TB_ARG_INT && (letter == 'u' || letter == 'U')) {
    flat->type = letter == 'u' && arg->u <= UINT32_MAX ? TB_FXT_ARG_UINT32 : TB_FXT_ARG_UINT64;
  } else if (arg->type == TB_ARG_INT) {
    bool is_short = arg->i >= INT32_MIN && arg->i <= INT32_MAX && arg->width != 64 && letter != 'I';
    flat->type = is_short ? TB_FXT_ARG_INT32 : TB_FXT_ARG_INT64;
  } else if (arg->type == TB_ARG_UINT) {
    flat->type = arg->u <= UINT32_MAX && arg->width != 64 && letter != 'U' ? TB_FXT_ARG_UINT32 : TB_FXT_ARG_UINT64;
  } else if (arg->type == TB_ARG_DOUBLE) {
    flat->type = TB_FXT_ARG_DOUBLE;
  } else {
    double value;
    if (!tb_arg_number_in_text(arg, &value)) return false;
    flat->type = TB_FXT_ARG_DOUBLE;
    memcpy(&flat->value, &value, sizeof(value));
  }
  return true;
}

/* Members that carry fields, and how many there are. */
struct member_list {
  struct tb_arg *items;
  uint32_t count;
};

static void add_member(void *ctx, enum tb_carried_id id, struct tb_arg *member) {
  struct member_list *members = ctx;
  (void)id;
  members->items[members->count++] = *member;
}

static uint64_t times_of(const struct tb_event *event) {
  const uint64_t times = TB_CARRIED_BIT(DUR) | TB_CARRIED_BIT(THREAD_TS) | TB_CARRIED_BIT(THREAD_DUR);
  return tb_carried_there(event, times) | (event->ts < 0 ? tb_carried_there(event, TB_CARRIED_BIT(TS)) : 0);
}

static uint32_t add_times(struct tb_arg *items, const struct tb_event *event) {
  struct member_list members = {items, 0};
  tb_carried_put(times_of(event), event, add_member, &members);
  return members.count;
}

/* Adds a dict of the values that the source wrote as texts, by series; `series` is that of the only one, where the
 * event does not name it. */
static uint32_t add_texts(struct tb_arg *members, uint32_t count, const struct tb_event *event, struct tb_str series) {
  struct tb_arg *dict = &members[count];
  *dict = (struct tb_arg){.name = TB_STR(TB_CARRIED_PREFIX TB_FXT_SERIES_TEXTS), .span = 1, .type = TB_ARG_DICT};
  for (uint32_t i = 0; i < event->arg_count; i += event->args[i].span) {
    double number;
    if (!tb_arg_number_in_text(&event->args[i], &number)) continue;
    dict[dict->span] = event->args[i];
    if (series.ptr) dict[dict->span].name = series;
    dict->span++;
  }
  return dict->span > 1 ? count + dict->span : count;
}

/* What the event has in addition to its samples, with an id that is a text, as JSON; empty for nothing. */
static struct tb_str spell_members(struct tb_fxt_writer *w, const struct tb_event *event, struct tb_str series,
                                   struct tb_str id) {
  enum { TIMES = 4, OTHERS = 2 };
  size_t room = (size_t)event->extra_count + event->arg_count + TIMES + OTHERS;
  struct tb_arg *members = tb_arena_alloc(&w->scratch, room * sizeof(*members));
  if (!members) {
    tb_fxt_fail(w, TB_NO_MEMORY);
    return (struct tb_str){NULL, 0};
  }
  uint32_t count = add_texts(members, add_times(members, event), event, series);
  if (id.len)
    members[count++] =
        (struct tb_arg){.name = tb_carried_path(TB_CARRIED_ID), .text = id, .span = 1, .type = TB_ARG_STRING};
  for (uint32_t i = 0; i < event->extra_count; i += event->extra[i].span) {
    if (tb_str_equal(event->extra[i].name, tb_carried_key(TB_CARRIED_FXT_TYPES))) continue;
    memcpy(&members[count], &event->extra[i], event->extra[i].span * sizeof(*members));
    count += event->extra[i].span;
  }
  return count ? tb_fxt_as_json(w, members, count, true) : (struct tb_str){NULL, 0};
}

static bool has_members(const struct tb_event *event) {
  if (event->extra_count || times_of(event)) return true;
  for (uint32_t i = 0; i < event->arg_count; i += event->args[i].span)
    if (tb_arg_is_text(&event->args[i])) return true;
  return false;
}

/* A counter of JSON without arguments is no sample of anything. */
static void put_without_samples(struct tb_fxt_writer *w, const struct tb_event *event) {
  struct tb_event instant = *event;
  instant.type = TB_EVENT_OTHER;
  instant.phase = 'C';
  tb_fxt_put_other(w, &instant);
}

void tb_fxt_put_counter(struct tb_fxt_writer *w, const struct tb_event *event) {
  if (event->arg_count == 0) {
    put_without_samples(w, event);
    return;
  }
  const struct tb_track *emitter = event->thread ? event->thread : event->track;
  struct tb_fxt_sampling to = {
      .ts = event->ts, .process = tb_fxt_process_koid(emitter), .thread = tb_fxt_thread_koid(emitter)};
  bool own_track = event->track->type == TB_TRACK_COUNTER;
  char letter = '\0';
  struct tb_str name = event->name, series = no_text, id = no_text;
  if (own_track)
    id = identify(w, event->track, &name, &series, &to, &letter);
  else if (event->id.kind != TB_ID_NONE)
    to.id = event->id.is_number ? event->id.value : tb_fxt_text_hash(event->id.text);
  if (!own_track && event->id.kind != TB_ID_NONE)
    id = !event->id.is_number ? event->id.text : event->id.value ? no_text : TB_STR(TB_FXT_ID_ZERO);
  if (!own_track && !event->thread) to.thread = tb_fxt_no_thread_koid(event->track);
  if (event->stack.frame_count || event->stack.ref.len || event->end_stack.frame_count || event->end_stack.ref.len)
    tb_fxt_lose_event(w, "a counter's call stack, which FXT has no place for", event);
  struct tb_str members = id.len || has_members(event) ? spell_members(w, event, series, id) : no_text;
  uint32_t index = 0;
  for (uint32_t i = 0; i < event->arg_count && w->status == TB_OK; i += event->args[i].span) {
    struct tb_fxt_flat flat;
    if (!own_track) letter = tb_fxt_type_letter(event, index++);
    if (!flat_number(&event->args[i], letter, &flat)) {
      tb_fxt_lose_event(w, "a counter's value that is no number", event);
      continue;
    }
    struct words words = {name, event->categories, members};
    add_sample(w, &to, &words, own_track ? series : event->args[i].name, &flat);
    if (own_track) return;
  }
}
