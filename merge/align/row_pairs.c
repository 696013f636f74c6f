/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/align/row_pairs.h"

#include <math.h>

/* Events of both rows between which there are pairs, and no others near: a block. Larger ones are paired as they
 * come. */
enum { BLOCK_CELLS = 1 << 12 };

/* The step that the best pairing of the first events of a block ends with. */
enum step { STEP_OWN, STEP_OTHER, STEP_PAIR };

struct block {
  size_t own, own_end, other, other_end;
};

double tb_row_line_tolerance(const struct tb_row_line *line, double x) {
  double far = fabs(x - line->centre);
  return fmin(line->most, line->tolerance * sqrt(1 + line->rate * far * far) + line->growth * far);
}

/* What a pair is worth: a pair more is always worth more than nearer ones. */
static double worth(double apart, double tolerance) {
  double share = tolerance > 0 ? apart / tolerance : 0;
  return share * share > 1 ? -1 : 1 - share * share / 2;
}

static double worth_of(struct tb_event_row own, struct tb_event_row other, const struct tb_row_line *line, size_t i,
                       size_t k) {
  double x = (double)own.times[i];
  return worth((double)other.times[k] - tb_row_line_at(line, x), tb_row_line_tolerance(line, x));
}

/* The first of a row at or after a time; looks from `from` on. */
static size_t skip_to(struct tb_event_row row, size_t from, double time) {
  while (from < row.count && (double)row.times[from] < time) from++;
  return from;
}

static size_t pair_in_order(struct tb_event_row own, struct tb_event_row other, const struct tb_row_line *line,
                            struct block b, struct tb_event_pair *pairs) {
  size_t count = 0;
  while (b.own < b.own_end && b.other < b.other_end) {
    double x = (double)own.times[b.own], apart = (double)other.times[b.other] - tb_row_line_at(line, x);
    double tolerance = tb_row_line_tolerance(line, x);
    if (apart < -tolerance) {
      b.other++;
    } else if (apart > tolerance) {
      b.own++;
    } else {
      pairs[count++] = (struct tb_event_pair){(uint32_t)b.own++, (uint32_t)b.other++};
    }
  }
  return count;
}

/* The pairing of a block that is worth most, by dynamic programming over its rows. */
static size_t pair_best(struct tb_event_row own, struct tb_event_row other, const struct tb_row_line *line,
                        struct block b, struct tb_event_pair *pairs) {
  size_t rows = b.own_end - b.own, columns = b.other_end - b.other, count = 0;
  unsigned char steps[BLOCK_CELLS];
  double above[BLOCK_CELLS + 1] = {0};
  for (size_t i = 0; i < rows; i++) {
    double left = 0, diagonal = 0;
    for (size_t k = 0; k < columns; k++) {
      double with = diagonal + worth_of(own, other, line, b.own + i, b.other + k), best = above[k + 1];
      enum step step = STEP_OWN;
      if (left > best) {
        best = left;
        step = STEP_OTHER;
      }
      if (with > best) {
        best = with;
        step = STEP_PAIR;
      }
      steps[i * columns + k] = (unsigned char)step;
      diagonal = above[k + 1];
      above[k + 1] = left = best;
    }
  }
  for (size_t i = rows, k = columns; i && k;) {
    unsigned char step = steps[(i - 1) * columns + k - 1];
    if (step != STEP_OTHER) i--;
    if (step != STEP_OWN) k--;
    if (step == STEP_PAIR) pairs[count++] = (struct tb_event_pair){(uint32_t)(b.own + i), (uint32_t)(b.other + k)};
  }
  for (size_t i = 0; i + 1 < count - i; i++) { /* found from the end */
    struct tb_event_pair swapped = pairs[i];
    pairs[i] = pairs[count - 1 - i];
    pairs[count - 1 - i] = swapped;
  }
  return count;
}

size_t tb_row_pair(struct tb_event_row own, struct tb_event_row other, const struct tb_row_line *line, size_t from,
                   size_t to, struct tb_event_pair *pairs) {
  size_t count = 0, next = 0, i = from;
  if (from < to) { /* to where the other row may have partners */
    double first = (double)own.times[from];
    next = tb_event_row_find(other, tb_row_line_at(line, first) - tb_row_line_tolerance(line, first));
  }
  while (i < to && next < other.count) {
    double x = (double)own.times[i], tolerance = tb_row_line_tolerance(line, x), at = tb_row_line_at(line, x);
    struct block b = {i, i + 1, skip_to(other, next, at - tolerance), 0};
    b.other_end = skip_to(other, b.other, nextafter(at + tolerance, INFINITY));
    next = b.other;
    i++;
    if (b.other == b.other_end) continue;
    for (; i < to; i++) { /* own events that may have the same partners */
      x = (double)own.times[i];
      tolerance = tb_row_line_tolerance(line, x);
      at = tb_row_line_at(line, x);
      if (at - tolerance > (double)other.times[b.other_end - 1]) break;
      b.other_end = skip_to(other, b.other_end, nextafter(at + tolerance, INFINITY));
      b.own_end = i + 1;
    }
    bool small = (b.own_end - b.own) * (b.other_end - b.other) <= BLOCK_CELLS;
    count += small ? pair_best(own, other, line, b, pairs + count) : pair_in_order(own, other, line, b, pairs + count);
    next = b.other_end;
  }
  return count;
}
