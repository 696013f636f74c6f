/* SPDX-License-Identifier: Apache-2.0 */
#include "shape/event_codec.h"

#include <stddef.h>

#include "model/batch.h"
#include "protobuf/wire.h"

enum { WORD = 8, WORDS = sizeof(struct tb_event) / WORD, WORDS_MAX = 64, GROUP = 8 };
_Static_assert(sizeof(struct tb_event) % WORD == 0 && WORDS <= WORDS_MAX, "the bitmap has a bit for each word");

/* Texts of the table are neither so short that a number is no shorter, nor so many that the table is what grows. */
enum { SHORTEST = 3, LONG = 64, LONGEST = 512, MOST_TEXTS = 1 << 16, OF_TABLE = 1 };
enum { BYTES_WITH_LONG = 1 << 20 }; /* a table of more takes no long texts any more */
/* Bytes of a word at most, and of an argument without its texts. */
enum { ITEM_BYTES = TB_WIRE_VARINT_MAX, TRACK_BYTES = 1 + WORD, ARG_BYTES = 6 + 3 * TB_WIRE_VARINT_MAX };
enum { MOST_TRACKS = 1 << 28 };

/* What a word is. */
enum word_kind {
  WORD_NUMBER,
  WORD_FIRST,      /* the form has it */
  WORD_TIME,       /* ts */
  WORD_TRACK,      /* a pointer to a track */
  WORD_POINTER,    /* to an array: its count says all */
  WORD_TEXT,       /* a text's pointer: not NULL */
  WORD_TEXT_LENGTH /* the text */
};

#define AT(member) (offsetof(struct tb_event, member) / WORD)
#define TEXT_AT(member) [AT(member)] = WORD_TEXT, [AT(member) + 1] = WORD_TEXT_LENGTH
static const uint8_t kinds[WORDS] = {
    [0] = WORD_FIRST,
    [1] = WORD_FIRST,
    [AT(ts)] = WORD_TIME,
    [AT(track)] = WORD_TRACK,
    [AT(thread)] = WORD_TRACK,
    [AT(args)] = WORD_POINTER,
    [AT(extra)] = WORD_POINTER,
    [AT(stack.frames)] = WORD_POINTER,
    [AT(end_stack.frames)] = WORD_POINTER,
    [AT(flow_ids)] = WORD_POINTER,
    [AT(terminating_flow_ids)] = WORD_POINTER,
    [AT(clocks)] = WORD_POINTER,
    TEXT_AT(name),
    TEXT_AT(categories),
    TEXT_AT(id.text),
    TEXT_AT(scope),
    TEXT_AT(bind_id.text),
    TEXT_AT(stack.ref),
    TEXT_AT(end_stack.ref),
    TEXT_AT(correlation_text),
    TEXT_AT(source_location.function),
    TEXT_AT(source_location.file),
    TEXT_AT(source_location.mapping),
    TEXT_AT(phase_text),
    TEXT_AT(parent_frame),
    TEXT_AT(blob),
};
_Static_assert(offsetof(struct tb_event, phase) == WORD && AT(ts) == 2, "the form has the words in front of ts");

void tb_event_codec_init(struct tb_event_codec *codec, const struct tb_allocator *allocator) {
  codec->allocator = allocator;
  codec->form_count = 0;
  memset(codec->form_of_type, 0, sizeof(codec->form_of_type));
  codec->tracks = NULL;
  codec->track_capacity = 0;
  tb_intern_init(&codec->texts, allocator);
}

void tb_event_codec_free(struct tb_event_codec *codec) {
  tb_intern_free(&codec->texts);
  tb_free(codec->allocator, codec->tracks, codec->track_capacity * sizeof(struct tb_track *));
}

/* ---- to bytes ---------------------------------------------------------------------------------------------------- */

/* Bytes are written at the end of the buffer; room for all but texts was made before. */
struct sink {
  struct tb_event_codec *codec;
  struct tb_buffer *to;
  char *at;
};

static bool make_room(struct sink *s, size_t bytes) {
  s->to->len = (size_t)(s->at - s->to->data);
  if (tb_buffer_reserve(s->to, bytes) != TB_OK) return false;
  s->at = s->to->data + s->to->len;
  return true;
}

/* What is a number, as ids are, hardly ever comes again. */
static bool is_number(struct tb_str text) { return text.ptr[0] >= '0' && text.ptr[0] <= '9' && text.len <= ITEM_BYTES; }

/* The id of a text in the table, 0 where it is not there and does not come into it. */
static uint32_t id_of(struct tb_event_codec *codec, struct tb_str text) {
  if (text.len < SHORTEST || text.len > LONGEST || is_number(text)) return 0;
  bool has_room = text.len <= LONG || codec->texts.arena.total < BYTES_WITH_LONG;
  if (has_room && codec->texts.count < MOST_TEXTS) return tb_intern_id(&codec->texts, text);
  uint32_t id = tb_intern_find_recent(&codec->texts, text);
  return id ? id : tb_intern_find(&codec->texts, text, tb_intern_hash(text));
}

/* `more`: room that what comes behind the text still has. */
static bool put_text(struct sink *s, struct tb_str text, size_t more) {
  uint32_t id = id_of(s->codec, text);
  if (id) {
    s->at = tb_wire_put_varint(s->at, (uint64_t)id << 1 | OF_TABLE);
    return true;
  }
  if (!make_room(s, ITEM_BYTES + text.len + more)) return false;
  s->at = tb_wire_put_varint(s->at, (uint64_t)text.len << 1);
  if (text.len) memcpy(s->at, text.ptr, text.len);
  s->at += text.len;
  return true;
}

static bool know_track(struct tb_event_codec *codec, const struct tb_track *track) {
  void *tracks = codec->tracks;
  if (tb_grow_zeroed(codec->allocator, &tracks, &codec->track_capacity, (size_t)track->index + 1,
                     sizeof(struct tb_track *), MOST_TRACKS) != TB_OK)
    return false;
  codec->tracks = tracks;
  codec->tracks[track->index] = track;
  return true;
}

/* Its index, where that is no other's; else 0 and the pointer. */
static bool put_track(struct sink *s, const struct tb_track *track) {
  struct tb_event_codec *codec = s->codec;
  bool is_new = track->index >= codec->track_capacity || !codec->tracks[track->index];
  if (is_new && !know_track(codec, track)) return false;
  if (codec->tracks[track->index] == track) {
    s->at = tb_wire_put_varint(s->at, (uint64_t)track->index + 1);
    return true;
  }
  *s->at++ = 0;
  memcpy(s->at, &track, WORD);
  s->at += WORD;
  return true;
}

static struct tb_event_form form_of(const struct tb_event *event) {
  const char *words = (const char *)event;
  struct tb_event_form form = {.first = {tb_load64(words), tb_load64(words + WORD)}};
  for (size_t from = 2; from < WORDS; from += GROUP) {
    size_t to = from + GROUP < WORDS ? from + GROUP : WORDS;
    uint64_t any = 0;
    for (size_t i = from; i < to; i++) any |= tb_load64(words + i * WORD);
    if (!any) continue;
    for (size_t i = from; i < to; i++) form.words |= (uint64_t)(tb_load64(words + i * WORD) != 0) << i;
  }
  if (event->has & TB_HAS_TS) form.words &= ~(1ULL << AT(ts));
  return form;
}

static bool is_form(const struct tb_event_form *a, const struct tb_event_form *b) {
  return a->words == b->words && a->first[0] == b->first[0] && a->first[1] == b->first[1];
}

static size_t find_form(struct tb_event_codec *codec, const struct tb_event_form *form, size_t type) {
  size_t number = codec->form_of_type[type];
  if (number < codec->form_count && is_form(&codec->forms[number], form)) return number;
  for (number = 0; number < codec->form_count; number++)
    if (is_form(&codec->forms[number], form)) break;
  if (number == codec->form_count && number < TB_EVENT_FORMS) codec->forms[codec->form_count++] = *form;
  if (number < TB_EVENT_FORMS) codec->form_of_type[type] = (uint8_t)number;
  return number;
}

static bool put_words(struct sink *s, const struct tb_event *event) {
  const struct tb_event_form form = form_of(event);
  size_t number = find_form(s->codec, &form, event->type);
  if (!make_room(s, 1 + sizeof(form) + WORDS * (size_t)ITEM_BYTES)) return false;
  *s->at++ = (char)number;
  if (number == TB_EVENT_FORMS) {
    memcpy(s->at, &form, sizeof(form));
    s->at += sizeof(form);
  }
  for (uint64_t left = form.words; left; left &= left - 1) {
    size_t i = (size_t)__builtin_ctzll(left);
    const char *word = (const char *)event + i * WORD;
    if (kinds[i] == WORD_NUMBER || kinds[i] == WORD_TIME) {
      s->at = tb_wire_put_varint(s->at, tb_load64(word));
    } else if (kinds[i] == WORD_TEXT_LENGTH) {
      struct tb_str text;
      memcpy(&text, word - WORD, sizeof(text));
      if (!put_text(s, text, WORDS * (size_t)ITEM_BYTES)) return false;
    } else if (kinds[i] == WORD_TRACK) {
      const struct tb_track *track;
      memcpy(&track, word, WORD);
      if (!put_track(s, track)) return false;
    }
  }
  return true;
}

static bool has_text(const struct tb_arg *arg) {
  return arg->type == TB_ARG_STRING || arg->type == TB_ARG_JSON || arg->type == TB_ARG_BLOB;
}

/* The type's byte has further bits: a name, and what few have. */
enum { ARG_TYPE = 15, ARG_NAMED = 1 << 4, ARG_RARE = 1 << 5 };

static bool put_args(struct sink *s, const struct tb_arg *args, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const struct tb_arg *arg = &args[i];
    bool rare = arg->span != 1 || arg->width || arg->flags;
    if (!make_room(s, ARG_BYTES)) return false;
    *s->at++ = (char)(arg->type | (arg->name.ptr ? ARG_NAMED : 0) | (rare ? ARG_RARE : 0));
    if (rare) {
      s->at = tb_wire_put_varint(s->at, arg->span);
      *s->at++ = (char)arg->width;
      s->at = tb_wire_put_varint(s->at, arg->flags);
    }
    if (arg->name.ptr && !put_text(s, arg->name, ARG_BYTES)) return false;
    if (has_text(arg)) {
      if (!put_text(s, arg->text, 0)) return false;
    } else if (arg->type == TB_ARG_DOUBLE) {
      memcpy(s->at, &arg->u, WORD);
      s->at += WORD;
    } else {
      s->at = tb_wire_put_varint(s->at, tb_wire_zigzag(arg->i));
    }
  }
  return true;
}

static bool put_frames(struct sink *s, const struct tb_stack *stack) {
  for (uint32_t i = 0; i < stack->frame_count; i++) {
    const struct tb_frame *frame = &stack->frames[i];
    const size_t room = 5 * (size_t)ITEM_BYTES;
    if (!make_room(s, room) || !put_text(s, frame->function, room) || !put_text(s, frame->file, room) ||
        !put_text(s, frame->mapping, room))
      return false;
    s->at = tb_wire_put_varint(s->at, frame->line);
    s->at = tb_wire_put_varint(s->at, frame->pc);
  }
  return true;
}

static bool put_array(struct sink *s, const void *items, size_t bytes) {
  if (!bytes) return true;
  if (!make_room(s, bytes)) return false;
  memcpy(s->at, items, bytes);
  s->at += bytes;
  return true;
}

enum tb_status tb_event_encode(struct tb_event_codec *codec, struct tb_buffer *to, const struct tb_event *event) {
  if (tb_buffer_reserve(to, 1) != TB_OK) return TB_NO_MEMORY; /* then it has an address */
  struct sink s = {codec, to, to->data + to->len};
  bool ok = put_words(&s, event) && put_args(&s, event->args, event->arg_count) &&
            put_args(&s, event->extra, event->extra_count) && put_frames(&s, &event->stack) &&
            put_frames(&s, &event->end_stack) &&
            put_array(&s, event->flow_ids, event->flow_count * sizeof(*event->flow_ids)) &&
            put_array(&s, event->terminating_flow_ids, event->terminating_flow_count * sizeof(*event->flow_ids)) &&
            put_array(&s, event->clocks, event->clock_count * sizeof(*event->clocks));
  if (ok) to->len = (size_t)(s.at - to->data);
  return ok ? TB_OK : TB_NO_MEMORY;
}

/* ---- from bytes -------------------------------------------------------------------------------------------------- */

struct source {
  const struct tb_event_codec *codec;
  const char *at, *end;
  struct tb_arena *arena;
  bool out_of_memory;
};

static uint64_t take_number(struct source *s) {
  uint64_t value = 0;
  const char *at = tb_wire_read_varint(s->at, s->end, &value);
  s->at = at ? at : s->end;
  return value;
}

/* Never NULL. */
static struct tb_str take_text(struct source *s) {
  uint64_t number = take_number(s);
  if (number & OF_TABLE) return tb_intern_text(&s->codec->texts, (uint32_t)(number >> 1));
  if (!number) return (struct tb_str){"", 0};
  struct tb_str text = tb_arena_copy(s->arena, (struct tb_str){s->at, (size_t)(number >> 1)});
  s->at += number >> 1;
  if (!text.ptr) s->out_of_memory = true;
  return text;
}

static const struct tb_track *take_track(struct source *s) {
  uint64_t number = take_number(s);
  if (number) return s->codec->tracks[number - 1];
  const struct tb_track *track;
  memcpy(&track, s->at, WORD);
  s->at += WORD;
  return track;
}

static void take_words(struct source *s, struct tb_event *event) {
  struct tb_event_form form;
  size_t number = (unsigned char)*s->at++;
  tb_batch_clear_event(event);
  if (number < TB_EVENT_FORMS) {
    form = s->codec->forms[number];
  } else {
    memcpy(&form, s->at, sizeof(form));
    s->at += sizeof(form);
  }
  memcpy(event, form.first, sizeof(form.first));
  for (uint64_t left = form.words; left; left &= left - 1) {
    size_t i = (size_t)__builtin_ctzll(left);
    char *word = (char *)event + i * WORD;
    if (kinds[i] == WORD_NUMBER || kinds[i] == WORD_TIME) {
      uint64_t value = take_number(s);
      memcpy(word, &value, WORD);
    } else if (kinds[i] == WORD_TEXT) {
      *(struct tb_str *)(void *)word = (struct tb_str){"", 0};
    } else if (kinds[i] == WORD_TEXT_LENGTH) {
      *(struct tb_str *)(void *)(word - WORD) = take_text(s);
    } else if (kinds[i] == WORD_TRACK) {
      const struct tb_track *track = take_track(s);
      memcpy(word, &track, WORD);
    }
  }
}

/* Room for an array; NULL where there is none of it, or no memory. */
static void *take_room(struct source *s, size_t bytes) {
  void *room = bytes ? tb_arena_alloc(s->arena, bytes) : NULL;
  if (bytes && !room) s->out_of_memory = true;
  return room;
}

static const struct tb_arg *take_args(struct source *s, uint32_t count) {
  struct tb_arg *args = take_room(s, count * sizeof(*args));
  for (uint32_t i = 0; args && i < count; i++) {
    unsigned head = (unsigned char)*s->at++;
    struct tb_arg *arg = &args[i];
    *arg = (struct tb_arg){.type = head & ARG_TYPE, .span = 1};
    if (head & ARG_RARE) {
      arg->span = (uint32_t)take_number(s);
      arg->width = (uint8_t)*s->at++;
      arg->flags = (uint16_t)take_number(s);
    }
    if (head & ARG_NAMED) arg->name = take_text(s);
    if (has_text(arg)) {
      arg->text = take_text(s);
    } else if (arg->type == TB_ARG_DOUBLE) {
      memcpy(&arg->u, s->at, WORD);
      s->at += WORD;
    } else {
      arg->i = tb_wire_zigzag_decode(take_number(s));
    }
  }
  return args;
}

static const struct tb_frame *take_frames(struct source *s, uint32_t count) {
  struct tb_frame *frames = take_room(s, count * sizeof(*frames));
  for (uint32_t i = 0; frames && i < count; i++) {
    frames[i].function = take_text(s);
    frames[i].file = take_text(s);
    frames[i].mapping = take_text(s);
    frames[i].line = (uint32_t)take_number(s);
    frames[i].pc = take_number(s);
  }
  return frames;
}

static const void *take_array(struct source *s, size_t bytes) {
  void *items = take_room(s, bytes);
  if (items) memcpy(items, s->at, bytes);
  s->at += bytes;
  return items;
}

enum tb_status tb_event_decode(struct tb_event_codec *codec, struct tb_str bytes, int64_t ts, struct tb_arena *arena,
                               struct tb_event *event) {
  struct source s = {codec, bytes.ptr, bytes.ptr + bytes.len, arena, false};
  take_words(&s, event);
  if (event->has & TB_HAS_TS) event->ts = ts;
  if (event->arg_count) event->args = take_args(&s, event->arg_count);
  if (event->extra_count && !s.out_of_memory) event->extra = take_args(&s, event->extra_count);
  if (event->stack.frame_count && !s.out_of_memory) event->stack.frames = take_frames(&s, event->stack.frame_count);
  if (event->end_stack.frame_count && !s.out_of_memory)
    event->end_stack.frames = take_frames(&s, event->end_stack.frame_count);
  if (event->flow_count && !s.out_of_memory)
    event->flow_ids = take_array(&s, event->flow_count * sizeof(*event->flow_ids));
  if (event->terminating_flow_count && !s.out_of_memory)
    event->terminating_flow_ids = take_array(&s, event->terminating_flow_count * sizeof(*event->flow_ids));
  if (event->clock_count && !s.out_of_memory)
    event->clocks = take_array(&s, event->clock_count * sizeof(*event->clocks));
  return s.out_of_memory ? TB_NO_MEMORY : TB_OK;
}
