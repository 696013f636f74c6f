// SPDX-License-Identifier: Apache-2.0
//
// What the generators can make and the converter does not keep yet, with what is known about it. A feature in this list
// is not made (`--all` makes it); the list may only shrink.
export const NOT_YET = {
  "event without ts": "issue 24, point 3",
  "process_name with a further member": "issue 24, point 4",
  "key twice": "issue 24, point 5",
  "args of B and E with a key in common": "issue 24, point 5",
  "pid of digits as text": "issue 24, point 7",
  "FXT: event without tid": "issue 24, point 8",
  "FXT: counter with an id": "issue 24, point 8",
  "FXT: counter without args": "issue 24, point 8",
  "FXT: instant with an id": "issue 24, point 8",
  "FXT: end with members": "issue 24, point 8",
  "bind_id and s in one trace": "issue 24, point 9",
  "B and E with equal tts": "issue 24, point 10",
  "global instant with an id": "issue 24, point 10",
  "empty thread name": "issue 24, point 10",
  "FXT: step with bp": "issue 24, point 8",
  "FXT: id that is text": "issue 24, point 8",
  "slices of one name that overlap": "issue 24, point 2: an end by name takes another of that name",
  "end within an X": "issue 24, point 2: on the way back it ends the X, whose own end is left over",
  "B and X that begin together in a slice": "issue 24, point 2: the B comes to a lane of its own",
  "counter events of one time": "issue 24, point 2: their series come back in other events",
  "text id without slices": "issue 24, point 2: comes back as a number",
  "slice that never ends in another": "issue 24, point 2: an end that names none, behind it, takes it",
  "argument with a dot in its name": "issue 24, point 11",
};

// What FXT has no place for (docs/CONFORMANCE.md, docs/MAPPING.md): cases that go through it are made without.
export const NOT_IN_FXT = new Set([
  "end with a name of its own", "bind_id", "slices that overlap", "file in another order than time",
  "flow that ends twice"
]);

// Chance that knows of features: `wants(feature, share)` takes its draw whether the feature is made or not, so that a
// seed makes the same case as before when a feature leaves the list.
export function withFeatures(random, {all, fxt}) {
  const known = (feature) => (fxt || !feature.startsWith("FXT:")) && feature in NOT_YET;
  return {
    ...random,
    wants(
        feature, share) { return random.true(share) && !(fxt && NOT_IN_FXT.has(feature)) && (all || !known(feature)); },
  };
}
