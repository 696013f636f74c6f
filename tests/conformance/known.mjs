// SPDX-License-Identifier: Apache-2.0
//
// Files of what is known to differ, and why: lines `FILE: DIFFERENCES | REASON`.
import fs from "node:fs";

// {FILE: {notes, reason}} of the file KNOWN.
export function readKnown(file) {
  const known = new Map();
  if (!fs.existsSync(file)) return known;
  for (const line of fs.readFileSync(file, "utf8").split("\n")) {
    const [, name, notes, , reason] = line.match(/^([^#:]+): (.*?)( \| (.*))?$/) ?? [];
    if (name) known.set(name, { notes, reason });
  }
  return known;
}

export function writeKnown(file, known, seen) {
  const head =
      fs.existsSync(file) ? fs.readFileSync(file, "utf8").split("\n").filter((line) => line.startsWith("#")) : [];
  const all = new Map([...new Map([...known, ...seen])].filter(([, { notes }]) => notes));
  const lines = [...all.keys()].sort().map((name) => {
    const reason = known.get(name)?.reason;
    return `${name}: ${all.get(name).notes}${reason ? ` | ${reason}` : ""}`;
  });
  fs.writeFileSync(file, [...head, ...lines, ""].join("\n"));
}
