// SPDX-License-Identifier: Apache-2.0
//
// Files of what is known to differ, and why: lines `FILE: DIFFERENCES | REASON`.
import fs from "node:fs";
import path from "node:path";

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

// Judges each of options.files by judge(FILE) -> {notes, lines}, says which are as options.known has them, and writes
// that anew where options.update asks for it. Whether all are.
export async function judgeAll(title, options, judge) {
  const known = readKnown(options.known);
  const seen = new Map();
  let bad = 0;
  for (const file of options.files) {
    const name = path.join(...file.split(path.sep).slice(-2));
    const { notes, lines } = await judge(file).catch((error) => ({ notes: `FAILED: ${error.message}`, lines: [] }));
    const expected = known.get(name) ?? { notes: "" };
    const failed = notes.startsWith("FAILED"); // nothing was compared: never known
    const good = !failed && notes === expected.notes && (!notes || Boolean(expected.reason));
    if (!failed) seen.set(name, { notes });
    if (!good) bad++;
    console.log(`${good ? "PASS" : "MISS"} ${name}${notes ? `: ${notes}` : ""}`);
    if (!good) lines.forEach((line) => console.log(line));
  }
  if (options.update) writeKnown(options.known, known, seen);
  console.log(`${title}: ${options.files.length - bad} as known, ${bad} not`);
  return bad === 0;
}
