// SPDX-License-Identifier: Apache-2.0
//
// What the generators can make and the converter does not keep yet, with what is known about it. A feature in this list
// is not made (`--all` makes it); the list may only shrink.
export const NOT_YET = {
  "argument with a dot in its name": "issue 24, point 11",
  "B and X that begin together in a slice": "the X comes first: a longer B has a lane of its own",
  "slice that never ends in a complete one": "the X's end in Perfetto ends it",
  "key twice in args of an end": "in Perfetto the first one takes the place of the begin's",
  "list of a key that is there twice": "its items are numbered on from those of the other list",
  "process' event whose pid is missing": "its tid is lost through Perfetto",
};

// What FXT has no place for (docs/CONFORMANCE.md, docs/MAPPING.md): cases that go through it are made without.
export const NOT_IN_FXT = new Set([
  "bind_id", "slices that overlap", "file in another order than time",
  "flow that ends twice"
]);

// Chance that knows of features: `wants(feature, share)` takes its draw whether the feature is made or not, so that a
// seed makes the same case as before when a feature leaves the list.
export function withFeatures(random, {all, fxt}) {
  const known = (feature) => (fxt || !feature.startsWith("FXT:")) && feature in NOT_YET;
  return {
    ...random,
    fxt,
    wants(
        feature, share) { return random.true(share) && !(fxt && NOT_IN_FXT.has(feature)) && (all || !known(feature)); },
  };
}
