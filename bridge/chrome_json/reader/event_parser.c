/* SPDX-License-Identifier: Apache-2.0
 *
 * One JSON event to one tb_event. A known key whose value has a type that the field cannot take goes to `extra`, so
 * that nothing is lost.
 */
#include "chrome_json/reader/field_parser.h"
#include "chrome_json/reader/reader.h"

/* ---- keys -------------------------------------------------------------------------------------------------------- */

enum key {
  KEY_UNKNOWN,
  KEY_ARGS,
  KEY_BIND_ID,
  KEY_BP,
  KEY_CAT,
  KEY_DUR,
  KEY_ESF,
  KEY_ESTACK,
  KEY_FLOW_IN,
  KEY_FLOW_OUT,
  KEY_ID,
  KEY_ID2,
  KEY_NAME,
  KEY_PH,
  KEY_PID,
  KEY_S,
  KEY_SCOPE,
  KEY_SF,
  KEY_STACK,
  KEY_TDUR,
  KEY_TID,
  KEY_TS,
  KEY_TTS,
  KEY_USE_ASYNC_TTS
};

#define KEY_NAME_OF(key, literal) [key] = {literal, sizeof(literal) - 1}
static const struct tb_str key_names[] = {KEY_NAME_OF(KEY_ARGS, "args"),
                                          KEY_NAME_OF(KEY_BIND_ID, "bind_id"),
                                          KEY_NAME_OF(KEY_BP, "bp"),
                                          KEY_NAME_OF(KEY_CAT, "cat"),
                                          KEY_NAME_OF(KEY_DUR, "dur"),
                                          KEY_NAME_OF(KEY_ESF, "esf"),
                                          KEY_NAME_OF(KEY_ESTACK, "estack"),
                                          KEY_NAME_OF(KEY_FLOW_IN, "flow_in"),
                                          KEY_NAME_OF(KEY_FLOW_OUT, "flow_out"),
                                          KEY_NAME_OF(KEY_ID, "id"),
                                          KEY_NAME_OF(KEY_ID2, "id2"),
                                          KEY_NAME_OF(KEY_NAME, "name"),
                                          KEY_NAME_OF(KEY_PH, "ph"),
                                          KEY_NAME_OF(KEY_PID, "pid"),
                                          KEY_NAME_OF(KEY_S, "s"),
                                          KEY_NAME_OF(KEY_SCOPE, "scope"),
                                          KEY_NAME_OF(KEY_SF, "sf"),
                                          KEY_NAME_OF(KEY_STACK, "stack"),
                                          KEY_NAME_OF(KEY_TDUR, "tdur"),
                                          KEY_NAME_OF(KEY_TID, "tid"),
                                          KEY_NAME_OF(KEY_TS, "ts"),
                                          KEY_NAME_OF(KEY_TTS, "tts"),
                                          KEY_NAME_OF(KEY_USE_ASYNC_TTS, "use_async_tts")};

static struct tb_str key_text(enum key key) { return key_names[key]; }

static enum key find_key(struct tb_str text) {
  for (size_t i = KEY_UNKNOWN + 1; i < sizeof(key_names) / sizeof(key_names[0]); i++)
    if (tb_str_equal(key_names[i], text)) return (enum key)i;
  return KEY_UNKNOWN;
}

/* Bytes as they are in memory, for comparing with the text at a key. */
#define BYTES4(a, b, c, d) ((uint64_t)(a) | (uint64_t)(b) << 8 | (uint64_t)(c) << 16 | (uint64_t)(d) << 24)
#define BYTES5(a, b, c, d, e) (BYTES4(a, b, c, d) | (uint64_t)(e) << 32)
#define BYTES6(a, b, c, d, e, f) (BYTES5(a, b, c, d, e) | (uint64_t)(f) << 40)
#define LOW(w, bytes) ((w) & (UINT64_MAX >> (64 - 8 * (bytes))))

/* The frequent keys where quote and colon follow at once: the key at `p`, *length then what it takes; else UNKNOWN. */
static inline enum key common_key(const char *p, size_t *length) {
  uint64_t w;
  memcpy(&w, p, 8);
  switch (*p) {
    case 'n':
      *length = 6;
      return LOW(w, 6) == BYTES6('n', 'a', 'm', 'e', '"', ':') ? KEY_NAME : KEY_UNKNOWN;
    case 'c':
      *length = 5;
      return LOW(w, 5) == BYTES5('c', 'a', 't', '"', ':') ? KEY_CAT : KEY_UNKNOWN;
    case 'a':
      *length = 6;
      return LOW(w, 6) == BYTES6('a', 'r', 'g', 's', '"', ':') ? KEY_ARGS : KEY_UNKNOWN;
    case 'd':
      *length = 5;
      return LOW(w, 5) == BYTES5('d', 'u', 'r', '"', ':') ? KEY_DUR : KEY_UNKNOWN;
    case 'p':
      *length = 5;
      if (LOW(w, 5) == BYTES5('p', 'i', 'd', '"', ':')) return KEY_PID;
      *length = 4;
      return LOW(w, 4) == BYTES4('p', 'h', '"', ':') ? KEY_PH : KEY_UNKNOWN;
    case 't':
      *length = 4;
      if (LOW(w, 4) == BYTES4('t', 's', '"', ':')) return KEY_TS;
      *length = 5;
      if (LOW(w, 5) == BYTES5('t', 'i', 'd', '"', ':')) return KEY_TID;
      if (LOW(w, 5) == BYTES5('t', 't', 's', '"', ':')) return KEY_TTS;
      *length = 6;
      return LOW(w, 6) == BYTES6('t', 'd', 'u', 'r', '"', ':') ? KEY_TDUR : KEY_UNKNOWN;
    case 'i':
      *length = 4;
      return LOW(w, 4) == BYTES4('i', 'd', '"', ':') ? KEY_ID : KEY_UNKNOWN;
    case 's':
      *length = 3;
      return LOW(w, 3) == ('s' | '"' << 8 | ':' << 16) ? KEY_S : KEY_UNKNOWN;
    default:
      return KEY_UNKNOWN;
  }
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static const char *take_extra(struct tb_json_state *state, struct tb_str name, const char *p) {
  struct tb_json_sink sink = {state->extras, state->extra_count, TB_JSON_EXTRAS};
  const char *end = tb_json_value(&state->scan, &sink, p, name, 1);
  if (!end && state->scan.status == TB_TOKENIZER_FULL) { /* a large value, as text; or more members than an event has */
    if (state->extra_count == TB_JSON_EXTRAS) return tb_tokenizer_fail(&state->scan, p);
    sink.count = state->extra_count + 1;
    state->extras[state->extra_count] = (struct tb_arg){.name = name, .span = 1};
    end = tb_json_raw(&state->scan, &state->extras[state->extra_count], p);
  }
  state->extra_count = sink.count;
  return end;
}

static inline const char *take_text(struct tb_json_state *state, struct tb_json_event_parse *parse, enum key key,
                                    const char *p, struct tb_str *text, uint32_t has) {
  if (*p != '"') return take_extra(state, key_text(key), p);
  parse->event->has |= has;
  return tb_tokenizer_string(&state->scan, p + 1, text);
}

static inline const char *take_time(struct tb_json_state *state, struct tb_json_event_parse *parse, enum key key,
                                    const char *p, int64_t *ns, uint32_t has) {
  const char *end = tb_json_time(&state->scan, p, ns);
  if (end) {
    parse->event->has |= has;
    return end;
  }
  if (state->scan.status != TB_TOKENIZER_OK) return NULL;
  return take_extra(state, key_text(key), p);
}

static const char *take_phase(struct tb_json_state *state, struct tb_json_event_parse *parse, const char *p) {
  if (p[0] == '"' && p[2] == '"' && p[1] > ' ' && p[1] != '\\' && p[1] != '"') {
    parse->event->phase = p[1];
    parse->phase = (struct tb_str){p + 1, 1};
    parse->predictions = state->predictions[(unsigned char)p[1] % TB_JSON_PHASES];
    return p + 3;
  }
  if (*p != '"') return take_extra(state, key_text(KEY_PH), p);
  return tb_tokenizer_string(&state->scan, p + 1, &parse->phase);
}

/* Of args that are there twice the last counts. */
static const char *take_args(struct tb_json_state *state, struct tb_batch *batch, struct tb_json_event_parse *parse,
                             const char *p) {
  struct tb_event *event = parse->event;
  if (*p != '{') return take_extra(state, key_text(KEY_ARGS), p);
  parse->has_doubled_args |= (event->has & TB_HAS_ARGS) != 0;
  struct tb_json_sink sink = {batch->args, batch->arg_count, batch->arg_capacity};
  p = tb_json_members(&state->scan, &sink, p + 1, 1);
  if (!p) return NULL;
  event->args = batch->args + batch->arg_count;
  event->arg_count = (uint32_t)(sink.count - batch->arg_count);
  event->has |= TB_HAS_ARGS;
  batch->arg_count = sink.count;
  return p;
}

static const char *take_rare(struct tb_json_state *state, struct tb_json_event_parse *parse, enum key key,
                             const char *p) {
  struct tb_event *event = parse->event;
  parse->has_rare = true;
  switch (key) {
    case KEY_S:
      return take_text(state, parse, key, p, &parse->instant_scope, 0);
    case KEY_SCOPE:
      return take_text(state, parse, key, p, &event->scope, TB_HAS_SCOPE);
    case KEY_BP:
      return take_text(state, parse, key, p, &parse->binding_point, 0);
    default:
      break;
  }
  const char *end = NULL;
  state->scan.status = TB_TOKENIZER_OK;
  switch (key) {
    case KEY_BIND_ID:
      end = tb_json_id(&state->scan, p, &event->bind_id);
      break;
    case KEY_ID2:
      end = tb_json_id2(&state->scan, p, &parse->id2);
      break;
    case KEY_SF:
      end = tb_json_frame_ref(&state->scan, p, &event->stack);
      break;
    case KEY_ESF:
      end = tb_json_frame_ref(&state->scan, p, &event->end_stack);
      break;
    case KEY_STACK:
      end = tb_json_stack(&state->scan, p, &event->stack);
      break;
    case KEY_ESTACK:
      end = tb_json_stack(&state->scan, p, &event->end_stack);
      break;
    case KEY_FLOW_IN:
      end = tb_json_flag(&state->scan, p, &parse->flow_in);
      break;
    case KEY_FLOW_OUT:
      end = tb_json_flag(&state->scan, p, &parse->flow_out);
      break;
    case KEY_USE_ASYNC_TTS:
      end = tb_json_flag(&state->scan, p, &parse->use_async_tts);
      break;
    default:
      break;
  }
  if (end || state->scan.status != TB_TOKENIZER_OK) return end;
  return take_extra(state, key_text(key), p);
}

static const char *take_id(struct tb_json_state *state, struct tb_json_event_parse *parse, const char *p) {
  state->scan.status = TB_TOKENIZER_OK;
  const char *end = tb_json_id(&state->scan, p, &parse->event->id);
  if (end || state->scan.status != TB_TOKENIZER_OK) return end;
  return take_extra(state, key_text(KEY_ID), p);
}

/* A pid or tid that the predictions do not know; learns it. */
static const char *take_new_pid(struct tb_json_state *state, enum key key, const char *p, struct tb_json_id *id,
                                struct tb_json_id_prediction *prediction) {
  state->scan.status = TB_TOKENIZER_OK;
  const char *end = tb_json_process_id(&state->scan, p, id);
  if (!end) return state->scan.status == TB_TOKENIZER_OK ? take_extra(state, key_text(key), p) : NULL;
  size_t length = (size_t)(end - p);
  if (id->text.ptr) state->tracks.ids_vary = true;
  if (id->kind == TB_JSON_ID_NUMBER && !id->text.ptr && length < 8) {
    uint64_t mask = UINT64_MAX >> (64 - 8 * (length + 1));
    *prediction = (struct tb_json_id_prediction){tb_load64(p) & mask, mask, length, id->number};
  }
  return end;
}

/* The same few ids come again and again: they are known by their bytes. */
static inline const char *take_pid(struct tb_json_state *state, enum key key, const char *p, struct tb_json_id *id,
                                   struct tb_json_id_prediction *predictions) {
  uint64_t w = tb_load64(p);
  struct tb_json_id_prediction *prediction = &predictions[tb_spread64(w << 32) >> (64 - TB_JSON_ID_PREDICTION_BITS)];
  if ((w & prediction->mask) != prediction->word) return take_new_pid(state, key, p, id, prediction);
  id->kind = TB_JSON_ID_NUMBER;
  id->text = (struct tb_str){NULL, 0};
  id->number = prediction->number;
  return p + prediction->length;
}

/* `name` is set where the key is not a common one. */
static inline const char *take_member(struct tb_json_state *state, struct tb_batch *batch,
                                      struct tb_json_event_parse *parse, enum key key, struct tb_str name,
                                      const char *p) {
  struct tb_event *event = parse->event;
  switch (key) {
    case KEY_ARGS:
      return take_args(state, batch, parse, p);
    case KEY_CAT:
      return take_text(state, parse, key, p, &event->categories, TB_HAS_CATEGORIES);
    case KEY_DUR:
      return take_time(state, parse, key, p, &event->dur, TB_HAS_DUR);
    case KEY_NAME:
      return take_text(state, parse, key, p, &event->name, TB_HAS_NAME);
    case KEY_PH:
      return take_phase(state, parse, p);
    case KEY_PID:
      return take_pid(state, key, p, &parse->pid, state->pids);
    case KEY_TID:
      return take_pid(state, key, p, &parse->tid, state->tids);
    case KEY_TDUR:
      return take_time(state, parse, key, p, &event->thread_dur, TB_HAS_THREAD_DUR);
    case KEY_TS:
      return take_time(state, parse, key, p, &event->ts, TB_HAS_TS);
    case KEY_TTS:
      return take_time(state, parse, key, p, &event->thread_ts, TB_HAS_THREAD_TS);
    case KEY_ID:
      return take_id(state, parse, p);
    case KEY_UNKNOWN:
      return take_extra(state, name, p);
    default:
      return take_rare(state, parse, key, p);
  }
}

/* ---- the event --------------------------------------------------------------------------------------------------- */

/* Learns the key at `p`. False where it is none of the common ones. */
static bool learn_key(struct tb_json_key_prediction *prediction, const char *p) {
  size_t length = 0;
  enum key key = common_key(p, &length);
  if (key == KEY_UNKNOWN) return false;
  uint64_t mask = UINT64_MAX >> (64 - 8 * length);
  *prediction = (struct tb_json_key_prediction){
      .word = tb_load64(p) & mask, .mask = mask, .close_word = 1, .length = (uint8_t)length, .key = (uint8_t)key};
  return true;
}

/* The same from the brace or comma before the quote on: 8 bytes at most, since no common key has more than four
 * letters. */
static void learn_close(struct tb_json_key_prediction *prediction, const char *separator) {
  prediction->close_length = (uint8_t)(prediction->length + 2);
  prediction->close_mask = UINT64_MAX >> (64 - 8 * prediction->close_length);
  prediction->close_word = tb_load64(separator) & prediction->close_mask;
}

/* Behind the brace or the comma at `p`: the next key, read in full, or the closing brace (*closed). Learns the key
 * for the next event where it is a common one. */
static const char *take_key(struct tb_tokenizer *scan, const char *p, struct tb_json_key_prediction *prediction,
                            struct tb_str *name, bool *closed) {
  const char *separator = p;
  p = tb_tokenizer_space(p + 1);
  if (*p == '}') {
    *closed = true;
    return p + 1;
  }
  if (*p != '"') return tb_tokenizer_fail(scan, p);
  bool known = (tb_load64(p + 1) & prediction->mask) == prediction->word;
  if (known || learn_key(prediction, p + 1)) {
    if (p == separator + 1) learn_close(prediction, separator);
    return p + 1 + prediction->length;
  }
  p = tb_tokenizer_name(scan, p + 1, name);
  if (!p) return NULL;
  p = tb_tokenizer_space(p);
  if (*p != ':') return tb_tokenizer_fail(scan, p);
  *prediction = (struct tb_json_key_prediction){
      .word = 1, .close_word = 1, .key = (uint8_t)find_key(*name)}; /* matches nothing */
  return p + 1;
}

/* The members of the object whose brace is at `p`. The events of a producer nearly always have the same keys in the
 * same order, those of one phase at least: so the key that was here in the event before is tried first. */
static const char *members(struct tb_json_state *state, struct tb_batch *batch, struct tb_json_event_parse *parse,
                           const char *p) {
  struct tb_tokenizer *scan = &state->scan;
  struct tb_str name = {NULL, 0};
  bool closed = false;
  for (size_t i = 0;; i++) {
    struct tb_json_key_prediction *prediction = &parse->predictions[i % TB_JSON_KEY_PREDICTIONS];
    if ((tb_load64(p) & prediction->close_mask) == prediction->close_word) {
      p += prediction->close_length;
    } else {
      p = take_key(scan, p, prediction, &name, &closed);
      if (!p || closed) return p;
    }
    p = take_member(state, batch, parse, (enum key)prediction->key, name, tb_tokenizer_space(p));
    if (!p) return NULL;
    p = tb_tokenizer_space(p);
    if (*p == ',') continue;
    return *p == '}' ? p + 1 : tb_tokenizer_fail(scan, p);
  }
}

/* Whether the event has a value for the field of a key. */
static bool has_field(const struct tb_json_event_parse *parse, enum key key) {
  static const uint32_t bits[] = {
      [KEY_CAT] = TB_HAS_CATEGORIES,  [KEY_DUR] = TB_HAS_DUR, [KEY_NAME] = TB_HAS_NAME,    [KEY_SCOPE] = TB_HAS_SCOPE,
      [KEY_TDUR] = TB_HAS_THREAD_DUR, [KEY_TS] = TB_HAS_TS,   [KEY_TTS] = TB_HAS_THREAD_TS};
  const struct tb_event *event = parse->event;
  switch (key) {
    case KEY_PH:
      return parse->phase.ptr != NULL;
    case KEY_PID:
      return parse->pid.kind != TB_JSON_ID_NONE;
    case KEY_TID:
      return parse->tid.kind != TB_JSON_ID_NONE;
    case KEY_ID:
      return event->id.kind != TB_ID_NONE;
    case KEY_ID2:
      return parse->id2.kind != TB_ID_NONE;
    case KEY_BIND_ID:
      return event->bind_id.kind != TB_ID_NONE;
    case KEY_S:
      return parse->instant_scope.ptr != NULL;
    case KEY_BP:
      return parse->binding_point.ptr != NULL;
    case KEY_SF:
      return event->stack.ref.ptr != NULL;
    case KEY_STACK:
      return event->stack.frame_count != 0;
    case KEY_ESF:
      return event->end_stack.ref.ptr != NULL;
    case KEY_ESTACK:
      return event->end_stack.frame_count != 0;
    case KEY_FLOW_IN:
      return parse->flow_in;
    case KEY_FLOW_OUT:
      return parse->flow_out;
    case KEY_USE_ASYNC_TTS:
      return parse->use_async_tts;
    default:
      return key < sizeof(bits) / sizeof(bits[0]) && (event->has & bits[key]) != 0;
  }
}

/* Of a member that is there twice one stays: what the event has a field for, else the last. Of args the last, and their
 * reader sees to that. */
static void drop_doubled(struct tb_json_state *state, const struct tb_json_event_parse *parse) {
  struct tb_arg *extras = state->extras;
  size_t kept = 0;
  for (size_t i = 0, span; i < state->extra_count; i += span) {
    span = extras[i].span;
    bool again = has_field(parse, find_key(extras[i].name));
    for (size_t k = i + span; k < state->extra_count && !again; k += extras[k].span)
      again = tb_str_equal(extras[k].name, extras[i].name);
    if (again) continue;
    memmove(&extras[kept], &extras[i], span * sizeof(*extras));
    kept += span;
  }
  state->extra_count = kept;
}

/* Extras follow the arguments, where they stay. */
static bool keep_extras(struct tb_json_state *state, struct tb_batch *batch, struct tb_event *event) {
  size_t n = state->extra_count;
  if (n > batch->arg_capacity - batch->arg_count) return false;
  memcpy(batch->args + batch->arg_count, state->extras, n * sizeof(*state->extras));
  event->extra = batch->args + batch->arg_count;
  event->extra_count = (uint32_t)n;
  batch->arg_count += n;
  return true;
}

/* Notes what was read in one of several ways; rare. */
__attribute__((noinline)) static void note_odd(struct tb_json_state *state, const struct tb_json_event_parse *parse) {
  const struct tb_event *event = parse->event;
  if (parse->phase.len > 1 && event->type != TB_EVENT_OTHER)
    tb_reader_note(state->reader, "phase (ph) of several letters, read as its first", event->offset);
  if (parse->has_doubled_args)
    tb_reader_note(state->reader, "args twice in one event, read as the last", event->offset);
}

const char *tb_json_event(struct tb_json_state *state, struct tb_batch *batch, const char *p) {
  size_t args = batch->arg_count;
  struct tb_json_event_parse parse = {.event = tb_batch_add_event(batch), .predictions = state->predictions[0]};
  state->scan.status = TB_TOKENIZER_FULL;
  if (!parse.event) return NULL;
  state->scan.status = TB_TOKENIZER_BAD; /* where nothing below says more */
  state->extra_count = 0;
  const char *end = members(state, batch, &parse, p);
  if (end && state->extra_count) drop_doubled(state, &parse);
  if (end && !tb_json_finish(state, &parse)) {
    state->scan.status = TB_TOKENIZER_NO_MEMORY;
    end = NULL;
  }
  if (end && tb_event_is_untimed(parse.event) && !tb_json_place_untimed(state, batch, end)) {
    state->scan.status = TB_TOKENIZER_MORE;
    end = NULL;
  }
  if (end && state->extra_count && !keep_extras(state, batch, parse.event)) {
    state->scan.status = TB_TOKENIZER_FULL;
    end = NULL;
  }
  if (end) {
    parse.event->offset = tb_json_offset(state, batch, p);
    if (parse.phase.len > 1 || parse.has_doubled_args) note_odd(state, &parse);
    return end;
  }
  batch->event_count--;
  batch->arg_count = args;
  return NULL;
}
