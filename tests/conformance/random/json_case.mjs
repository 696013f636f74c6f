// SPDX-License-Identifier: Apache-2.0
//
// Random JSON traces: the case of a seed, at a place of its own in the trace of a batch (its slot: ids and times).
import {chance} from "../chance.mjs";
import {withFeatures} from "./features.mjs";
import {STORIES} from "./json_stories.mjs";
import {Digits, Members} from "./json_text.mjs";
import {args as makeArgs, micros} from "./json_values.mjs";

export const WINDOW = 1000000;    // nanoseconds of a slot
const FIRST_ID = 1000, IDS = 20;  // ids of processes and threads of a slot

export const slotOfTime = (ns) => Number(BigInt(ns) / BigInt(WINDOW)) - 1;
export const slotOfId = (number) => Math.floor((Number(number) - FIRST_ID) / IDS);
export const firstId = (slot) => FIRST_ID + slot * IDS;

function threads(random, slot) {
  const first = firstId(slot), odd = random.true(0.1);
  const pids = [first, odd ? `p${slot}.x` : random.true(0.1) ? `${first + 1}` : first + 1];
  return Array.from({length: 1 + random.below(4)}, (_, i) => {
    const pid = pids[random.true(0.75) ? 0 : 1];
    if (random.true(0.03) && typeof pid === "number") return {pid};
    return {pid, tid: odd && random.true(0.3) ? `t${slot}.${i}` : first + 2 + i};
  });
}

// The first value of a key that is there twice.
const OTHER = {
  ts: () => 17,
  dur: () => 1,
  tts: () => 1,
  tdur: () => 1,
  pid: () => 999,
  tid: () => 998,
  ph: () => "X",
  args: makeArgs,
  id: () => "0x3e7",
};

// Threads that the stories of slices have for themselves.
const OWN = {
  nested: 10,
  wild: 11,
  flows: 12,
  bound: 14,
  orphans: 16,
  callstacks: 17,
  profiles: 18
};

const get = ({list}, key) => list?.find(([name]) => name === key)?.[1];
const end = (x) => x.at + 1000 * Number(get(x, "dur")?.text);
const sameThread = (a, b) => get(a, "pid") === get(b, "pid") && get(a, "tid") === get(b, "tid");

// An X ends where a B begins in it that outlasts it: which of both an E of that name closes, the importer and we do not
// yet agree on (docs/CONFORMANCE.md).
function endTornSlices(made) {
  for (const x of made.filter((event) => get(event, "ph") === "X")) {
    const inside = made.filter((event) => sameThread(event, x) && event.at > x.at && event.at < end(x));
    const begins = inside.filter((event) => get(event, "ph") === "B");
    if (begins.length > inside.filter((event) => get(event, "ph") === "E").length)
      x.list.find(([name]) => name === "dur")[1] =
          new Digits(((Math.min(...begins.map((event) => event.at)) - x.at) / 1000).toFixed(3));
  }
}

// An X and a B of one time, and a slice that begins when the X ends: where the B has no end, the importer has that
// slice in it, for no time, and we on another lane (docs/CONFORMANCE.md). The X ends a nanosecond earlier.
function endBeforeNext(made) {
  const isAt = (event, at, x) => event.at === at && event !== x && sameThread(event, x);
  for (const x of made.filter((event) => get(event, "ph") === "X" && end(event) > event.at))
    if (made.some((event) => isAt(event, x.at, x) && get(event, "ph") === "B") &&
        made.some((event) => isAt(event, end(x), x) && "BX".includes(get(event, "ph"))))
      x.list.find(([name]) => name === "dur")[1] = new Digits(((end(x) - x.at - 1) / 1000).toFixed(3));
}

// Whether an X without `dur`, which the importer drops, is where another event of its thread is or ends: in no words it
// sees both as we do.
const isCrowded = (made) => made.some(
    (x) => get(x, "ph") === "X" && get(x, "dur") === undefined &&
        made.some((other) => other !== x && sameThread(other, x) && (other.at === x.at || end(other) === x.at)));

// In a mixed case slices of several stories overlap: these the importer has in an order of its own, so that such a case
// is judged by what comes back alone.
export function jsonCase(seed, slot, options = {}) {
  const random = withFeatures(chance(seed), options), pid = firstId(slot);
  const of = {slot, threads: threads(random, slot), mixed: random.wants("slices that overlap", 0.2)};
  of.bare = random.true(0.2);  // such threads are of no case alone, so that only what comes back is judged
  of.odd = of.threads.some(({pid: process, tid}) => typeof process === "string" || typeof tid === "string");
  of.nameless = [{pid}, {pid, tid: ""}, {pid: `${pid}`, tid: `${pid + 9}`}, {tid: pid + 8}, {}];
  of.own = (story, i) => ({pid, tid: pid + OWN[story] + i});
  const names = Object.keys(STORIES).filter((story) => random.true(story === "nested" ? 0.6 : 0.3));
  const made = names.flatMap((story) => STORIES[story](random, of));
  endTornSlices(made);
  endBeforeNext(made);
  if (of.odd && !random.true(0.5))
    made.push(...of.threads.map((thread, i) => ({
                                  at: 1000 + 20 * i,
                                  list: [
                                    ["ph", "X"], ["name", "slice"], ["ts", null], ["dur", new Digits("0.010")],
                                    ["pid", thread.pid], ...(thread.tid === undefined ? [] : [["tid", thread.tid]])
                                  ]
                                })));
  const events = !random.wants("file in another order than time", 0.3) ? inOrder(made) :
      random.true(0.5)                                                 ? made :
                                                                         inOrder(made, -1);
  const placed = (list) => (list ?? []).map((event) => timed(random, event, slot));
  return {
    seed,
    slot,
    unplaced: of.mixed || of.bare || Boolean(of.unplaced || isCrowded(made) || random.notes.otherTwice),
    stories: names,
    events: placed(events),
    frames: of.frames,
    samples: placed(of.samples)
  };
}

// By time, forwards or backwards; what is of one time stays as it is, since it nests so.
const inOrder = (events, sign = 1) => [...events].sort((a, b) => sign * ((a.at ?? 0) - (b.at ?? 0)));

// With its time and, now and then, a member twice, of which the last counts, or one that is missing.
function timed(random, {at, list}, slot) {
  const base = (slot + 1) * WINDOW;
  const members = list.map(([key, value]) => [key, key === "ts" && value === null ? micros(random, base + at) : value]);
  if (random.true(0.04)) {
    const [key, value] = random.of(members);
    if (value !== "") members.unshift([key, OTHER[key]?.(random) ?? "other"]);
  }
  return new Members(members);
}
