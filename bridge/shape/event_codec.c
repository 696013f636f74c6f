/* SPDX-License-Identifier: Apache-2.0 */
#include "shape/event_codec.h"

#include "model/batch.h"
#include "protobuf/wire.h"

/* Texts of the table are neither so short that a number is no shorter, nor so many that the table is what grows. */
enum { SHORTEST = 3, LONG = 64, LONGEST = 512, MOST_TEXTS = 1 << 16, OF_TABLE = 1 };
enum { BYTES_WITH_LONG = 1 << 20 }; /* a table of more takes no long texts any more */
/* Bytes of a word at most, and of an argument without its texts. */
enum { WORD = TB_EVENT_WORD, ITEM_BYTES = TB_WIRE_VARINT_MAX, ARG_BYTES = 6 + 3 * TB_WIRE_VARINT_MAX };
enum { MOST_TRACKS = 1 << 28 };

void tb_event_codec_init(struct tb_event_codec *codec, const struct tb_allocator *allocator) {
  *codec = (struct tb_event_codec){.allocator = allocator, .forms = {.allocator = allocator}};
  tb_intern_init(&codec->texts, allocator);
}

void tb_event_codec_free(struct tb_event_codec *codec) {
  tb_intern_free(&codec->texts);
  tb_event_forms_free(&codec->forms);
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

/* The same, of a text that is likely to be the one that was in its place last (0: there was none). */
static TB_ALWAYS_INLINE uint32_t id_at(struct tb_event_codec *codec, struct tb_str text, uint32_t *last) {
  if (*last && tb_str_equal(codec->texts.texts[*last - 1], text)) return *last;
  uint32_t id = id_of(codec, text);
  if (id) *last = id;
  return id;
}

/* What a text's number says: its id with OF_TABLE; NO_TEXT, no bytes at an address or at none; else its length. */
enum { NO_TEXT = 0, EMPTY_TEXT = 2 };

/* `more`: room that what comes behind the text still has. */
static bool put_new_text(struct sink *s, struct tb_str text, size_t more) {
  if (!text.len) {
    *s->at++ = text.ptr ? EMPTY_TEXT : NO_TEXT;
    return true;
  }
  if (!make_room(s, ITEM_BYTES + text.len + more)) return false;
  s->at = tb_wire_put_varint(s->at, ((uint64_t)text.len + 1) << 1);
  memcpy(s->at, text.ptr, text.len);
  s->at += text.len;
  return true;
}

static TB_ALWAYS_INLINE bool put_text(struct sink *s, struct tb_str text, uint32_t *last, size_t more) {
  uint32_t id = id_at(s->codec, text, last);
  if (!id) return put_new_text(s, text, more);
  s->at = tb_wire_put_varint(s->at, (uint64_t)id << 1 | OF_TABLE);
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

enum { NO_TRACK, OTHER_TRACK, FIRST_TRACK };

/* Its index, where that is no other's; else the pointer. */
static bool put_track(struct sink *s, const struct tb_track *track) {
  struct tb_event_codec *codec = s->codec;
  if (!track) {
    *s->at++ = NO_TRACK;
    return true;
  }
  bool is_new = track->index >= codec->track_capacity || !codec->tracks[track->index];
  if (is_new && !know_track(codec, track)) return false;
  if (codec->tracks[track->index] == track) {
    s->at = tb_wire_put_varint(s->at, (uint64_t)track->index + FIRST_TRACK);
    return true;
  }
  *s->at++ = OTHER_TRACK;
  memcpy(s->at, &track, WORD);
  s->at += WORD;
  return true;
}

/* Numbers are groups of up to 8: four bits each for how many bytes it has, then these bytes. No branch depends on how
 * large a number is. */
enum { GROUP = 8, SIZE_BITS = 4, SIZES_BYTES = GROUP * SIZE_BITS / 8 };

/* What has two members of half a word has often the upper one alone. */
static TB_ALWAYS_INLINE uint64_t turned(uint64_t value, size_t word) {
  bool turns = word == offsetof(struct tb_event, sequence) / WORD;
  return turns ? value << 32 | value >> 32 : value;
}

static void put_numbers(struct sink *s, const struct tb_event_form *form, const struct tb_event *event) {
  const char *words = (const char *)event;
  char *at = s->at;
  for (size_t from = 0; from < form->number_count; from += GROUP) {
    size_t count = form->number_count - from < GROUP ? form->number_count - from : GROUP;
    char *sizes_at = at;
    uint32_t sizes = 0;
    at += SIZES_BYTES;
    for (size_t i = 0; i < count; i++) {
      size_t word = form->numbers[from + i];
      uint64_t value = turned(tb_load64(words + word * WORD), word);
      unsigned size = (71 - (unsigned)__builtin_clzll(value | 1)) >> 3;
      memcpy(at, &value, WORD); /* little-endian hosts only; see third_party/README.md */
      at += size;
      sizes |= size << (i * SIZE_BITS);
    }
    memcpy(sizes_at, &sizes, sizeof(sizes));
  }
  s->at = at;
}

static bool put_words(struct sink *s, size_t number, struct tb_event_form *form, const struct tb_event *event) {
  if (!make_room(s, 1 + sizeof(form->key) + TB_EVENT_WORDS * (size_t)ITEM_BYTES)) return false;
  *s->at++ = (char)number;
  if (number == TB_EVENT_FORMS) {
    memcpy(s->at, &form->key, sizeof(form->key));
    s->at += sizeof(form->key);
  }
  put_numbers(s, form, event);
  for (size_t i = 0; i < form->track_count; i++) {
    const struct tb_track *track;
    memcpy(&track, (const char *)event + (size_t)form->tracks[i] * WORD, WORD);
    if (!put_track(s, track)) return false;
  }
  for (size_t i = 0; i < form->text_count; i++) {
    struct tb_str text;
    memcpy(&text, (const char *)event + (size_t)form->texts[i] * WORD, sizeof(text));
    if (!put_text(s, text, &form->last_texts[i], TB_FORM_TEXTS * (size_t)ITEM_BYTES)) return false;
  }
  return true;
}

static bool has_text(const struct tb_arg *arg) {
  return arg->type == TB_ARG_STRING || arg->type == TB_ARG_JSON || arg->type == TB_ARG_BLOB;
}

/* The type's byte has further bits: a name, and what few have. */
enum { ARG_TYPE = 15, ARG_NAMED = 1 << 4, ARG_RARE = 1 << 5 };

static bool put_args(struct sink *s, struct tb_event_form *form, const struct tb_arg *args, uint32_t count) {
  uint32_t none = 0;
  for (uint32_t i = 0; i < count; i++) {
    const struct tb_arg *arg = &args[i];
    bool rare = arg->span != 1 || arg->width || arg->flags, has_last = i < TB_FORM_ARGS;
    if (!make_room(s, ARG_BYTES)) return false;
    *s->at++ = (char)(arg->type | (arg->name.ptr ? ARG_NAMED : 0) | (rare ? ARG_RARE : 0));
    if (rare) {
      s->at = tb_wire_put_varint(s->at, arg->span);
      *s->at++ = (char)arg->width;
      s->at = tb_wire_put_varint(s->at, arg->flags);
    }
    if (arg->name.ptr && !put_text(s, arg->name, has_last ? &form->last_arg_names[i] : &none, ARG_BYTES)) return false;
    if (has_text(arg)) {
      if (!put_text(s, arg->text, has_last ? &form->last_arg_texts[i] : &none, 0)) return false;
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
  uint32_t last[3] = {0, 0, 0};
  for (uint32_t i = 0; i < stack->frame_count; i++) {
    const struct tb_frame *frame = &stack->frames[i];
    const size_t room = 5 * (size_t)ITEM_BYTES;
    if (!make_room(s, room) || !put_text(s, frame->function, &last[0], room) ||
        !put_text(s, frame->file, &last[1], room) || !put_text(s, frame->mapping, &last[2], room))
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

static bool put_arrays(struct sink *s, struct tb_event_form *form, const struct tb_event *event) {
  return put_args(s, form, event->args, event->arg_count) && put_args(s, form, event->extra, event->extra_count) &&
         put_frames(s, &event->stack) && put_frames(s, &event->end_stack) &&
         put_array(s, event->flow_ids, event->flow_count * sizeof(*event->flow_ids)) &&
         put_array(s, event->terminating_flow_ids, event->terminating_flow_count * sizeof(*event->flow_ids)) &&
         put_array(s, event->clocks, event->clock_count * sizeof(*event->clocks));
}

enum tb_status tb_event_encode(struct tb_event_codec *codec, struct tb_buffer *to, const struct tb_event *event) {
  if (tb_buffer_reserve(to, 1) != TB_OK) return TB_NO_MEMORY; /* then it has an address */
  struct sink s = {codec, to, to->data + to->len};
  size_t number = tb_event_form_find(&codec->forms, event);
  if (number > TB_EVENT_FORMS) return TB_NO_MEMORY;
  struct tb_event_form *form = codec->forms.items[number];
  if (!put_words(&s, number, form, event)) return TB_NO_MEMORY;
  if (form->array_count && !put_arrays(&s, form, event)) return TB_NO_MEMORY;
  if (!make_room(&s, TB_EVENT_SLACK)) return TB_NO_MEMORY;
  memset(s.at, 0, TB_EVENT_SLACK);
  to->len = (size_t)(s.at - to->data);
  return TB_OK;
}

/* ---- from bytes -------------------------------------------------------------------------------------------------- */

struct source {
  const struct tb_event_codec *codec;
  const char *at;
  struct tb_arena *arena;
  bool out_of_memory;
};

static TB_ALWAYS_INLINE uint64_t take_number(struct source *s) {
  uint64_t value;
  s->at = tb_wire_read_varint_ahead(s->at, &value);
  return value;
}

static struct tb_str take_text(struct source *s) {
  uint64_t number = take_number(s);
  if (number & OF_TABLE) return tb_intern_text(&s->codec->texts, (uint32_t)(number >> 1));
  if (number == NO_TEXT || number == EMPTY_TEXT) return (struct tb_str){number == NO_TEXT ? NULL : "", 0};
  size_t len = (size_t)(number >> 1) - 1;
  struct tb_str text = tb_arena_copy(s->arena, (struct tb_str){s->at, len});
  s->at += len;
  if (!text.ptr) s->out_of_memory = true;
  return text;
}

static const struct tb_track *take_track(struct source *s) {
  uint64_t number = take_number(s);
  if (number >= FIRST_TRACK) return s->codec->tracks[number - FIRST_TRACK];
  if (number == NO_TRACK) return NULL;
  const struct tb_track *track;
  memcpy(&track, s->at, WORD);
  s->at += WORD;
  return track;
}

static void take_numbers(struct source *s, const struct tb_event_form *form, struct tb_event *event) {
  const char *at = s->at;
  for (size_t from = 0; from < form->number_count; from += GROUP) {
    size_t count = form->number_count - from < GROUP ? form->number_count - from : GROUP;
    uint32_t sizes = tb_load32(at);
    at += SIZES_BYTES;
    for (size_t i = 0; i < count; i++, sizes >>= SIZE_BITS) {
      size_t word = form->numbers[from + i];
      unsigned size = sizes & ((1 << SIZE_BITS) - 1);
      uint64_t value = turned(tb_load64(at) & UINT64_MAX >> (64 - 8 * size), word);
      memcpy((char *)event + word * WORD, &value, WORD);
      at += size;
    }
  }
  s->at = at;
}

/* Sets words to 0. */
static void clear_words(struct tb_event *event, uint64_t words) {
  if (words == UINT64_MAX) {
    tb_batch_clear_event(event);
    return;
  }
  for (uint64_t left = words; left; left &= left - 1)
    memset((char *)event + (size_t)__builtin_ctzll(left) * WORD, 0, WORD);
}

static void take_words(struct source *s, const struct tb_event_form *form, struct tb_event *event) {
  memcpy(event, form->key.first, sizeof(form->key.first));
  take_numbers(s, form, event);
  for (size_t i = 0; i < form->track_count; i++) {
    const struct tb_track *track = take_track(s);
    memcpy((char *)event + (size_t)form->tracks[i] * WORD, &track, WORD);
  }
  for (size_t i = 0; i < form->text_count; i++)
    *(struct tb_str *)(void *)((char *)event + (size_t)form->texts[i] * WORD) = take_text(s);
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

static void take_arrays(struct source *s, struct tb_event *event) {
  if (event->arg_count) event->args = take_args(s, event->arg_count);
  if (event->extra_count && !s->out_of_memory) event->extra = take_args(s, event->extra_count);
  if (event->stack.frame_count && !s->out_of_memory) event->stack.frames = take_frames(s, event->stack.frame_count);
  if (event->end_stack.frame_count && !s->out_of_memory)
    event->end_stack.frames = take_frames(s, event->end_stack.frame_count);
  if (event->flow_count && !s->out_of_memory)
    event->flow_ids = take_array(s, event->flow_count * sizeof(*event->flow_ids));
  if (event->terminating_flow_count && !s->out_of_memory)
    event->terminating_flow_ids = take_array(s, event->terminating_flow_count * sizeof(*event->flow_ids));
  if (event->clock_count && !s->out_of_memory)
    event->clocks = take_array(s, event->clock_count * sizeof(*event->clocks));
}

enum tb_status tb_event_decode_over(struct tb_event_codec *codec, const char *bytes, int64_t ts, struct tb_arena *arena,
                                    struct tb_event *event, uint64_t *used) {
  struct source s = {codec, bytes, arena, false};
  size_t number = (unsigned char)*s.at++;
  const struct tb_event_form *form = codec->forms.items[number];
  if (number == TB_EVENT_FORMS) {
    struct tb_event_form_key key;
    memcpy(&key, s.at, sizeof(key));
    s.at += sizeof(key);
    form = tb_event_form_make(&codec->forms, &key);
    if (!form) return TB_NO_MEMORY;
  }
  clear_words(event, *used == UINT64_MAX ? *used : *used & ~form->written);
  *used = form->written | form->key.words | TB_WORD_OF(ts);
  take_words(&s, form, event);
  if (event->has & TB_HAS_TS) event->ts = ts;
  if (form->array_count) take_arrays(&s, event);
  return s.out_of_memory ? TB_NO_MEMORY : TB_OK;
}

enum tb_status tb_event_decode(struct tb_event_codec *codec, const char *bytes, int64_t ts, struct tb_arena *arena,
                               struct tb_event *event) {
  uint64_t used = UINT64_MAX;
  return tb_event_decode_over(codec, bytes, ts, arena, event, &used);
}
