/* SPDX-License-Identifier: Apache-2.0 */
#include "shape/event_form.h"

#include "base/mix64.h"

/* What a word is. */
enum word_kind {
  WORD_NUMBER,
  WORD_FIRST, /* the form has it */
  WORD_TRACK, /* a pointer to a track */
  WORD_ARRAY, /* a pointer to an array */
  WORD_TEXT,  /* a text's pointer */
  WORD_OF_TEXT
};

#define AT(member) (offsetof(struct tb_event, member) / TB_EVENT_WORD)
#define TEXT_AT(member) [AT(member)] = WORD_TEXT, [AT(member) + 1] = WORD_OF_TEXT
static const uint8_t kinds[TB_EVENT_WORDS] = {
    [0] = WORD_FIRST,
    [1] = WORD_FIRST,
    [AT(track)] = WORD_TRACK,
    [AT(thread)] = WORD_TRACK,
    [AT(args)] = WORD_ARRAY,
    [AT(extra)] = WORD_ARRAY,
    [AT(stack.frames)] = WORD_ARRAY,
    [AT(end_stack.frames)] = WORD_ARRAY,
    [AT(flow_ids)] = WORD_ARRAY,
    [AT(terminating_flow_ids)] = WORD_ARRAY,
    [AT(clocks)] = WORD_ARRAY,
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
_Static_assert(offsetof(struct tb_event, phase) == TB_EVENT_WORD && AT(ts) == 2,
               "the form has the words in front of ts");

void tb_event_forms_free(struct tb_event_forms *forms) {
  for (size_t i = 0; i <= TB_EVENT_FORMS; i++) tb_free(forms->allocator, forms->items[i], sizeof(*forms->items[i]));
}

static uint64_t word_at(const struct tb_event *event, size_t word) {
  return tb_load64((const char *)event + word * TB_EVENT_WORD);
}

/* Whether the event has nothing but what the form has. */
static bool fits(const struct tb_event_form *form, const struct tb_event *event) {
  const uint64_t *others = form->others;
  uint64_t more = (word_at(event, 0) ^ form->key.first[0]) | (word_at(event, 1) ^ form->key.first[1]);
  if (more) return false;
#pragma GCC unroll 10
  for (size_t i = 2; i < TB_EVENT_WORDS; i++) more |= word_at(event, i) & others[i];
  return !more;
}

static struct tb_event_form_key key_of(const struct tb_event *event) {
  struct tb_event_form_key key = {.first = {word_at(event, 0), word_at(event, 1)}};
  for (size_t i = 2; i < TB_EVENT_WORDS; i++) {
    size_t word = kinds[i] == WORD_OF_TEXT ? i - 1 : i;
    if (word_at(event, i)) key.words |= UINT64_C(1) << word;
  }
  if (event->has & TB_HAS_TS) key.words &= ~TB_WORD_OF(ts);
  return key;
}

static bool has_ts(const struct tb_event_form_key *key) { return (uint32_t)(key->first[0] >> 32) & TB_HAS_TS; }

/* Puts the words that the form has into its lists. */
static void list_words(struct tb_event_form *form) {
  for (size_t i = 0; i < TB_EVENT_WORDS; i++) {
    size_t word = kinds[i] == WORD_OF_TEXT ? i - 1 : i;
    bool is_own = kinds[i] == WORD_FIRST || form->key.words >> word & 1;
    form->others[i] = is_own ? 0 : UINT64_MAX;
    if (!is_own) continue;
    if (kinds[i] != WORD_ARRAY) form->written |= UINT64_C(1) << i;
    if (kinds[i] == WORD_NUMBER) form->numbers[form->number_count++] = (uint8_t)i;
    if (kinds[i] == WORD_TEXT) form->texts[form->text_count++] = (uint8_t)i;
    if (kinds[i] == WORD_TRACK) form->tracks[form->track_count++] = (uint8_t)i;
    if (kinds[i] == WORD_ARRAY) form->array_count++;
  }
  if (has_ts(&form->key)) form->others[AT(ts)] = 0;
}

struct tb_event_form *tb_event_form_make(struct tb_event_forms *forms, const struct tb_event_form_key *key) {
  struct tb_event_form **place = &forms->items[TB_EVENT_FORMS];
  if (!*place) *place = tb_calloc(forms->allocator, sizeof(**place));
  if (!*place) return NULL;
  **place = (struct tb_event_form){.key = *key};
  list_words(*place);
  return *place;
}

/* A form that the event fits is as the likely one is, and has more where it must: so those of a kind get one form. */
static size_t add_form(struct tb_event_forms *forms, const struct tb_event_form *likely, const struct tb_event *event) {
  struct tb_event_form_key key = key_of(event);
  bool is_alike = likely && likely->key.first[0] == key.first[0] && likely->key.first[1] == key.first[1];
  if (is_alike) key.words |= likely->key.words;
  if (!tb_event_form_make(forms, &key)) return TB_EVENT_FORMS + 1;
  if (forms->count == TB_EVENT_FORMS) return TB_EVENT_FORMS;
  forms->items[forms->count] = forms->items[TB_EVENT_FORMS];
  forms->items[TB_EVENT_FORMS] = NULL;
  return forms->count++;
}

size_t tb_event_form_find(struct tb_event_forms *forms, const struct tb_event *event) {
  uint64_t hash = tb_spread_two(word_at(event, 0), word_at(event, 1));
  uint8_t *slot = &forms->likely[hash >> 58];
  const struct tb_event_form *likely = forms->items[*slot];
  if (likely && fits(likely, event)) return *slot;
  size_t number = 0;
  while (number < forms->count && !fits(forms->items[number], event)) number++; /* seldom: of a kind there is one */
  if (number == forms->count) number = add_form(forms, likely, event);
  if (number < TB_EVENT_FORMS) *slot = (uint8_t)number;
  return number;
}
