// SPDX-License-Identifier: Apache-2.0
//
// Makes a case that fails smaller, as long as it fails: the first smaller one that does is the next to be made smaller.
const TRIES = 40;  // each is a few starts of the trace processor

export async function shrink(one, smaller, fails) {
  let faults = await fails(one), tries = 0;
  if (!faults) return null;
  // What is wrong, not with what: the way, the sign, the table or phase
  const kind = (texts) => `${texts[0].match(/^[^:]+: [-+ ]*\w*/)} ${texts[0].match(/"ph":"[^,]*/)}`;
  for (let again = true; again && tries < TRIES;) {
    again = false;
    for (const less of smaller(one)) {
      if (++tries > TRIES) break;
      const found = await fails(less);
      if (!found || kind(found) !== kind(faults)) continue;
      [one, faults, again] = [less, found, true];
      break;
    }
  }
  return {one, faults};
}
