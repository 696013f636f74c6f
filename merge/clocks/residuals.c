/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/clocks/residuals.h"

#include <stdlib.h>

enum { RESIDUALS_MAX = 1 << 28 };

enum tb_status tb_residuals_add(struct tb_residuals *residuals, const struct tb_allocator *a,
                                const struct tb_residual *residual) {
  void *items = residuals->items;
  enum tb_status status =
      tb_grow_array(a, &items, &residuals->capacity, residuals->count + 1, sizeof(*residual), RESIDUALS_MAX);
  residuals->items = items;
  if (status == TB_OK) residuals->items[residuals->count++] = *residual;
  return status;
}

static int compare_residual(const void *a, const void *b) {
  const struct tb_residual *p = a, *q = b;
  if (p->time != q->time) return p->time < q->time ? -1 : 1;
  return p->off_ns < q->off_ns ? -1 : p->off_ns > q->off_ns;
}

void tb_residuals_sort(struct tb_residuals *residuals) {
  if (residuals->count) qsort(residuals->items, residuals->count, sizeof(*residuals->items), compare_residual);
}

void tb_residuals_free(struct tb_residuals *residuals, const struct tb_allocator *a) {
  tb_free(a, residuals->items, residuals->capacity * sizeof(*residuals->items));
  *residuals = (struct tb_residuals){0};
}
