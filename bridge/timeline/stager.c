/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline/stager.h"

enum tb_status tb_stager_open(struct tb_stager *s, const struct tb_allocator *allocator,
                              const struct tb_stager_form *form) {
  *s = (struct tb_stager){.allocator = allocator, .form = form, .state = tb_alloc(allocator, form->size)};
  if (!s->state) return TB_NO_MEMORY;
  form->init(s, s->state);
  return TB_OK;
}

void tb_stager_close(struct tb_stager *s) {
  if (!s->state) return;
  s->form->free(s->state);
  tb_free(s->allocator, s->state, s->form->size);
  s->state = NULL;
}

/* ---- from form to form ------------------------------------------------------------------------------------------- */

struct replaying {
  struct tb_stager *to;
  struct tb_error *error;
};

/* The entry may go on to a later form than the one that the replay began with. */
static enum tb_status take(void *ctx, struct tb_staged_event *entry) {
  const struct replaying *r = ctx;
  enum tb_status status = tb_stager_put(r->to, entry, r->error);
  if (status != TB_OK || !r->to->form->replayed) return status;
  return r->to->form->replayed(r->to, r->to->state, r->error);
}

enum tb_status tb_stager_next(struct tb_stager *s, struct tb_error *error) {
  struct tb_stager from = *s;
  enum tb_status status = tb_stager_open(s, from.allocator, from.form->next);
  struct replaying replaying = {s, error};
  if (status == TB_OK) status = from.form->replay(s, from.state, take, &replaying, error);
  tb_stager_close(&from);
  return status;
}

enum tb_status tb_stager_put(struct tb_stager *s, struct tb_staged_event *entry, struct tb_error *error) {
  for (;;) {
    bool fits = true;
    enum tb_status status = s->form->put(s, s->state, entry, &fits);
    if (status != TB_OK || fits) return status;
    status = tb_stager_next(s, error);
    if (status != TB_OK) return status;
  }
}
