// SPDX-License-Identifier: Apache-2.0
//
// What FXT has no place for (docs/CONFORMANCE.md, docs/MAPPING.md): cases that go through it are made without.
export const NOT_IN_FXT = new Set([
  "bind_id", "slices that overlap", "file in another order than time",
  "flow that ends twice"
]);

// Chance that knows of features: `wants(feature, share)` takes its draw whether the feature is made or not.
export function withFeatures(random, {fxt}) {
  return {
    ...random,
    fxt,
    notes: {},  // what was made that changes how a case is judged
    wants(feature, share) { return random.true(share) && !(fxt && NOT_IN_FXT.has(feature)); },
  };
}
