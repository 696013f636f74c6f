/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "fxt/tick_rate.h"

__extension__ typedef unsigned __int128 wide;

static uint64_t state = 1;

static uint64_t random_word(void) {
  uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static void expect_as_divided(const struct tb_fxt_rate *rate, uint64_t ticks) {
  wide exact = (wide)ticks * TB_FXT_NS_PER_SECOND / rate->ticks_per_second;
  int64_t ns = -1;
  bool fits = tb_fxt_rate_ns(rate, ticks, &ns);
  assert_int_equal(fits, exact <= INT64_MAX);
  assert_true(fits ? ns == (int64_t)exact : ns == -1);
}

/* Ticks at the edges: of 64 bits, of what fits, and on both sides of a whole number of ns. */
static void expect_right_at_edges(uint64_t ticks_per_second) {
  struct tb_fxt_rate rate = tb_fxt_rate_of(ticks_per_second);
  for (uint64_t i = 0; i < 3; i++) {
    expect_as_divided(&rate, i);
    expect_as_divided(&rate, UINT64_MAX - i);
    expect_as_divided(&rate, rate.last - i);
    expect_as_divided(&rate, rate.last + i);
    expect_as_divided(&rate, ticks_per_second - 1 + i);
  }
  for (unsigned i = 0; i < 64; i++) {
    uint64_t ns = random_word() >> 1 >> i, ticks = (uint64_t)((wide)ns * ticks_per_second / TB_FXT_NS_PER_SECOND);
    for (uint64_t k = 0; k < 3; k++) expect_as_divided(&rate, ticks - 1 + k);
  }
}

static void real_clocks_are_exact(void **unused) {
  (void)unused;
  static const uint64_t rates[] = {1,          3,          1000,       32768,      1000000,    19200000,  24000000,
                                   1000000000, 2400000000, 2595546438, 3000000001, 4294967296, UINT64_MAX};
  for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) expect_right_at_edges(rates[i]);
}

static void rates_of_every_magnitude_are_exact(void **unused) {
  (void)unused;
  for (unsigned bits = 0; bits < 64; bits++) {
    expect_right_at_edges(UINT64_C(1) << bits);
    expect_right_at_edges(UINT64_MAX >> bits);
    for (unsigned i = 0; i < 50; i++) expect_right_at_edges((random_word() >> bits) | 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(real_clocks_are_exact),
      cmocka_unit_test(rates_of_every_magnitude_are_exact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
