/* SPDX-License-Identifier: Apache-2.0
 *
 * The staging of one sequence: what holds its events until they are emitted. There are several forms of it. A cheap
 * one takes only what comes in a certain order; the last one takes all.
 *
 *   tb_stager_put  -> form -- does not fit --> form->next: all that is staged is replayed into it, then the entry
 *
 * A stager has one form at a time. A writer lists its forms, from the cheapest on (see perfetto/writer/staging.c); who
 * emits what is staged asks for the form, and takes its state.
 */
#ifndef TB_TIMELINE_STAGER_H
#define TB_TIMELINE_STAGER_H

#include "timeline/sort_queue.h"

struct tb_stager;
typedef enum tb_status tb_stager_take(void *ctx, struct tb_staged_event *entry);

/* One form. Its functions return TB_OK, TB_NO_MEMORY, or, where they have an error, TB_IO. */
struct tb_stager_form {
  size_t size;                       /* of its state */
  const struct tb_stager_form *next; /* takes what this one cannot; NULL: it takes all */
  void (*init)(struct tb_stager *stager, void *state);
  void (*free)(void *state);
  uint64_t (*entries)(const void *state);
  /* Takes an entry. *fits is false where it is none for this form: nothing has changed then, and nothing more is
   * put. */
  enum tb_status (*put)(struct tb_stager *stager, void *state, struct tb_staged_event *entry, bool *fits);
  /* Passes all entries on in the order in which they came. May return what `take` returned. NULL where there is no
   * `next`. */
  enum tb_status (*replay)(struct tb_stager *stager, void *state, tb_stager_take *take, void *ctx,
                           struct tb_error *error);
  /* Called after an entry of a replay, which may bring more than memory has room for. NULL: nothing is to be done. */
  enum tb_status (*replayed)(struct tb_stager *stager, void *state, struct tb_error *error);
  /* Moves what is staged to the file. NULL: there is nothing to move. */
  enum tb_status (*spill)(void *state, struct tb_spill_file *file, struct tb_error *error);
};

struct tb_stager {
  const struct tb_allocator *allocator;
  const struct tb_stager_form *form;
  void *state;
};

/* Makes a stager of the form. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_stager_open(struct tb_stager *stager, const struct tb_allocator *allocator,
                                            const struct tb_stager_form *form);
void tb_stager_close(struct tb_stager *stager);

/* The state where the stager has this form, else NULL. */
static inline void *tb_stager_as(const struct tb_stager *stager, const struct tb_stager_form *form) {
  return stager->form == form ? stager->state : NULL;
}

static inline uint64_t tb_stager_entries(const struct tb_stager *stager) {
  return stager->state ? stager->form->entries(stager->state) : 0;
}

/* Takes an entry in the first form that it fits. TB_OK, TB_NO_MEMORY or TB_IO. */
TB_MUST_CHECK enum tb_status tb_stager_put(struct tb_stager *stager, struct tb_staged_event *entry,
                                           struct tb_error *error);
/* Goes to the next form, with all that is staged. TB_OK, TB_NO_MEMORY or TB_IO. */
TB_MUST_CHECK enum tb_status tb_stager_next(struct tb_stager *stager, struct tb_error *error);

#endif
