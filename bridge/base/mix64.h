/* SPDX-License-Identifier: Apache-2.0
 *
 * Mixing of 64-bit numbers: for hashes, and for making ids of different inputs differ. The same on every machine. All
 * constants of such mixing are here.
 */
#ifndef TB_BASE_MIX64_H
#define TB_BASE_MIX64_H

#include <stdint.h>

/* 2^64 by the golden ratio; odd. */
#define TB_MIX64_GOLDEN UINT64_C(0x9e3779b97f4a7c15)

/* A bijection in which each bit of the result depends on all bits of `x`. */
static inline uint64_t tb_mix64(uint64_t x) {
  x += TB_MIX64_GOLDEN;
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

/* ---- cheaper ones ------------------------------------------------------------------------------------------------ */

/* Spreads the low bits upwards: the upper bits of the result are those to use. A bijection. */
static inline uint64_t tb_spread64(uint64_t x) { return x * TB_MIX64_GOLDEN; }
/* The same of two numbers. */
static inline uint64_t tb_spread_two(uint64_t a, uint64_t b) {
  return tb_spread64(a) + b * UINT64_C(0xc4ceb9fe1a85ec53);
}

static inline uint64_t tb_mix_multiply(uint64_t hash, uint64_t word) {
  return (hash ^ word) * UINT64_C(0xd6e8feb86659fd93);
}
/* A hash with one more word in it. */
static inline uint64_t tb_mix_word(uint64_t hash, uint64_t word) {
  hash = tb_mix_multiply(hash, word);
  return hash ^ hash >> 32;
}
/* The same with the last word: all bits are of use then, the low ones too. */
static inline uint64_t tb_mix_last_word(uint64_t hash, uint64_t word) {
  hash = tb_mix_multiply(hash, word);
  return hash ^ hash >> 29;
}

/* A hash with one more byte in it, by FNV-1a. */
static inline uint64_t tb_mix_byte(uint64_t hash, unsigned char byte) {
  return (hash ^ byte) * UINT64_C(0x100000001b3);
}

#endif
