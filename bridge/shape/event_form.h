/* SPDX-License-Identifier: Apache-2.0
 *
 * Forms of events: which members may be other than 0. A trace has few, and most events have the form that the one
 * before of their kind had. So an event is not looked at member by member: one pass finds that it has nothing but what
 * the form has, and the form's lists say where the rest is.
 *
 * Members are known by their words, of which an event has some sixty, of eight bytes each. Its first two words (type,
 * flags, phase and the like) are the form's own.
 */
#ifndef TB_SHAPE_EVENT_FORM_H
#define TB_SHAPE_EVENT_FORM_H

#include <stddef.h>

#include "base/memory.h"
#include "tracebridge/event.h"

enum { TB_EVENT_WORD = 8, TB_EVENT_WORDS = sizeof(struct tb_event) / TB_EVENT_WORD };
enum { TB_EVENT_FORMS = 255, TB_FORM_TEXTS = 16, TB_FORM_TRACKS = 2, TB_FORM_ARGS = 8 };
_Static_assert(sizeof(struct tb_event) % TB_EVENT_WORD == 0 && TB_EVENT_WORDS <= 64, "a set has a bit for each word");

/* The set of words that has the one in which a member begins. */
#define TB_WORD_OF(member) (UINT64_C(1) << (offsetof(struct tb_event, member) / TB_EVENT_WORD))

/* What makes a form. */
struct tb_event_form_key {
  uint64_t words; /* that may be other than 0, without the first two; a text by the word of its pointer */
  uint64_t first[2];
};

struct tb_event_form {
  struct tb_event_form_key key;
  /* The words of each kind, in their order: numbers, texts by the word of their pointer, pointers to tracks. What is
   * in none of these lists is an array, whose count is a number. */
  uint8_t numbers[TB_EVENT_WORDS], texts[TB_FORM_TEXTS], tracks[TB_FORM_TRACKS];
  uint8_t number_count, text_count, track_count;
  uint8_t array_count;             /* pointers to arrays */
  uint64_t written;                /* all of these words, and the first two */
  uint64_t others[TB_EVENT_WORDS]; /* all bits of a word that is not the form's, 0 of one that is */
  /* The texts that an event of the form had last (ids; 0: none): what is likely to come again. */
  uint32_t last_texts[TB_FORM_TEXTS], last_arg_names[TB_FORM_ARGS], last_arg_texts[TB_FORM_ARGS];
};

/* Zero but for the allocator there are none. */
struct tb_event_forms {
  const struct tb_allocator *allocator;
  struct tb_event_form *items[TB_EVENT_FORMS + 1]; /* the last place is for a form that has no number, for a while */
  size_t count;
  uint8_t likely[64]; /* by a hash of the first words */
};

void tb_event_forms_free(struct tb_event_forms *forms);

/* The number of a form that the event fits, TB_EVENT_FORMS where there is room for no more: `items` has it at that
 * place until the next one. Greater than that without memory. */
size_t tb_event_form_find(struct tb_event_forms *forms, const struct tb_event *event);

/* A form without a number. NULL without memory. */
struct tb_event_form *tb_event_form_make(struct tb_event_forms *forms, const struct tb_event_form_key *key);

#endif
