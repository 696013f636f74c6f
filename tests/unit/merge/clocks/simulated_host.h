/* SPDX-License-Identifier: Apache-2.0
 *
 * A host whose clocks' truth is known, and readings of them: drift, noise, late readings, and a wall clock that is set.
 */
#ifndef TB_TEST_SIMULATED_HOST_H
#define TB_TEST_SIMULATED_HOST_H

#include "base/times.h"
#include "merge/clocks/reading_fit.h"

enum { READINGS_MAX = 512 };
#define S INT64_C(1000000000)
#define EPOCH (1700000000 * S)

static struct tb_time_anchor pairs[READINGS_MAX]; /* what was read */
static size_t count, late_count;

static uint64_t state;
static uint64_t random_below(uint64_t limit) {
  state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
  return (state >> 11) % limit;
}

/* A clock that runs at 1 + ppm next to a wall clock that is set by `by` at `when`. */
struct host {
  double ppm;
  int64_t when, by;
};

static int64_t own_at(const struct host *host, int64_t time) {
  return 1000 * S + time + tb_time_round((double)time * host->ppm * 1e-6);
}

static int64_t wall_at(const struct host *host, int64_t time) {
  return EPOCH + time + (time >= host->when ? host->by : 0);
}

/* Readings 1 to `most` s apart for 300 s, up to 1 us apart; one of `late_one_of` is 0.5 to 5 ms late. */
static void read_clocks_at_most(const struct host *host, uint64_t most, unsigned late_one_of) {
  count = late_count = 0;
  for (int64_t time = (int64_t)random_below(S); time < 300 * S;
       time += S + (int64_t)random_below((most - 1) * (uint64_t)S)) {
    int64_t late = late_one_of && random_below(late_one_of) == 0 ? 500000 + (int64_t)random_below(4500000) : 0;
    late_count += late != 0;
    pairs[count++] = (struct tb_time_anchor){own_at(host, time + (int64_t)random_below(1000)),
                                             wall_at(host, time + (int64_t)random_below(1000)) + late};
  }
}

static void read_clocks(const struct host *host, unsigned late_one_of) { read_clocks_at_most(host, 3, late_one_of); }

static double random_ppm(void) { return (double)random_below(100000) / 1000 - 50; }

#endif
