/* SPDX-License-Identifier: Apache-2.0
 *
 * A bijection of the 64-bit numbers that scatters: for hashes, and for making ids of different inputs differ.
 */
#ifndef TB_BASE_MIX64_H
#define TB_BASE_MIX64_H

#include <stdint.h>

static inline uint64_t tb_mix64(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

#endif
