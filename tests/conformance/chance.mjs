// SPDX-License-Identifier: Apache-2.0
//
// Chance that a seed repeats (mulberry32).

export function chance(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    below : (limit) => Math.floor(next() * limit),
    between : (a, b) => a + next() * (b - a),
    true : (share) => next() < share,
    of : (list) => list[Math.floor(next() * list.length)]
  };
}
