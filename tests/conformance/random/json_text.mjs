// SPDX-License-Identifier: Apache-2.0
//
// JSON as generators make it: objects are lists of members, so that a key may be there twice, and numbers may be texts
// of digits, so that they are as exact as they are written.

export class Members {
  constructor(list) { this.list = list; }
  get(key) { return this.list.findLast(([name]) => name === key)?.[1]; }
  has(key) { return this.list.some(([name]) => name === key); }
}

export class Digits {
  constructor(text) { this.text = text; }
}

export function write(value) {
  if (value instanceof Members)
    return `{${value.list.map(([key, member]) => `${JSON.stringify(key)}:${write(member)}`).join(",")}}`;
  if (value instanceof Digits) return value.text;
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
  return JSON.stringify(value);
}

// The file of a list of cases: {events, frames, samples}.
export function writeCases(cases) {
  const lines = cases.flatMap((one) => one.events.map(write)), frames = cases.flatMap((one) => one.frames ?? []);
  const samples = cases.flatMap((one) => (one.samples ?? []).map(write));
  let text = `{"traceEvents":[\n${lines.join(",\n")}\n]`;
  if (frames.length) text += `,"stackFrames":${write(new Members(frames))}`;
  if (samples.length) text += `,"samples":[${samples.join(",")}]`;
  return `${text}}\n`;
}

// What an event does not go without: an event without a time or a thread fails in ways of its own.
const KEPT = new Set(["ph", "ts", "pid", "tid", "name", "dur", "id", "id2"]);

// Everything that can be left out of a case, as cases without it: events in halves and one by one, then members.
export function* smaller(one) {
  for (const list of ["events", "frames", "samples"]) {
    const all = one[list] ?? [];
    for (let size = Math.ceil(all.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
      for (let at = 0; at < all.length; at += size)
        yield {...one, [list]: [...all.slice(0, at), ...all.slice(at + size)]};
  }
  for (const [at, event] of one.events.entries())
    for (const less of smallerMembers(event)) yield {...one, events: one.events.with(at, less)};
}

function* smallerMembers(value, kept = KEPT) {
  if (!(value instanceof Members)) return;
  for (const [i, [key, member]] of value.list.entries()) {
    if (!kept.has(key) && !(key === "args" && value.get("ph") === "C")) yield new Members(value.list.toSpliced(i, 1));
    for (const less of smallerMembers(member, new Set())) yield new Members(value.list.with(i, [key, less]));
  }
}
