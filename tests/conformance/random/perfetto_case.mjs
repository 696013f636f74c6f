// SPDX-License-Identifier: Apache-2.0
//
// Random Perfetto traces: the case of a seed, at a place of its own in the trace of a batch. Each case is a sequence
// with interned names, defaults and an incremental clock, which now and then starts again.
import {chance} from "../chance.mjs";
import {bytes, number} from "../protobuf.mjs";
import {firstId} from "./json_case.mjs";
import {double} from "./perfetto_packets.mjs";

const BEGIN = 1, END = 2, INSTANT = 3, COUNTER = 4, STATE = 5;
const NAMES = ["draw", "read file", "größe", "a", "x \"y\"", "n".repeat(40)];

// A DebugAnnotation without its name: bytes, {interned}, a text that its sequence has by number, or {field, key,
// parts}, an entry of a dict or an item of a list.
function value(random, depth = 0) {
  const kind = random.below(depth > 2 ? 8 : 10);
  if (kind === 0) return [number(2, random.below(2))];
  if (kind === 1) return [number(3, random.of([0, 7, 18446744073709551615n]))];
  if (kind === 2) return [number(4, BigInt.asUintN(64, BigInt(random.of([-5, 12]))))];
  if (kind === 3) return [double(5, random.of([0.5, -1e9]))];
  if (kind === 4) return [bytes(6, random.of(["", "text", "ünï"]))];
  if (kind === 5) return [number(7, random.of([1, 0xffff800000001000n]))];
  if (kind === 6) return [bytes(9, random.of(['{"a":[1,{"b":"c"}],"d":2.5}', "[1,[2]]", '{"e":{"f":{"g":true}}}']))];
  if (kind === 7) return [{interned: random.of(["one text", "ünï", "x".repeat(70)])}];
  const count = 1 + random.below(2);
  return Array.from({length: count}, (_, i) => ({
    field: kind === 8 ? 11 : 12,
    key: kind === 8 ? `k${i}` : undefined,
    parts: value(random, depth + 1)
  }));
}

function annotations(random) {
  if (random.true(0.5)) return [];
  // Not the same name twice: JSON has the last one alone
  return Array.from({length: 1 + random.below(3)}, (_, i) => ({name: `arg${i}`, body: value(random)}));
}

// Slices that nest. JSON's async slices are of one tree by their category, so that those of other tracks have none. All
// times are multiples of `step`.
function nested(random, track, from, to, depth, step, isThread = true) {
  const events = [], some = (limit) => step * random.below(Math.floor(limit / step));
  for (let at = from + step + some(20000), n = 1 + random.below(3); n > 0 && at < to - 10 * step; n--) {
    const end = at + 2 * step + some(to - at - 4 * step), open = random.true(0.03) && depth === 0;
    const category = isThread ? random.of(["cat", "net", undefined]) : undefined;
    events.push({type: BEGIN, at, track, name: random.of(NAMES), args: annotations(random), category});
    if (depth < 3 && end - at > 3000)
      events.push(...nested(random, track, at + step, end - step, depth + 1, step, isThread));
    if (open) return events;
    events.push({type: END, at: end, track});
    at = end + step + some(20000);
  }
  return events;
}

function flows(random, threads, slot, step) {
  const id = slot * 8 + 1, count = 2 + random.below(2);
  return Array
      .from(
          {length: count},
          (_, i) => {
            const track = random.of(threads), at = 500000 + i * 50000 + step * random.below(20000 / step);
            const flow = random.true(0.7) || i < count - 1 ? {flows: [id]} : {ends: [id]};
            return [{type: BEGIN, at, track, name: "flowing", ...flow}, {type: END, at: at + 1000, track}];
          })
      .flat();
}

// Phases of before there were types, whose times are microseconds.
function legacy(random, track) {
  const events = [];
  for (let n = 1 + random.below(4), at = 800000; n > 0; n--) {
    at += 1000 * (1 + random.below(5));
    const phase = random.of(["X", "i", "B"]), name = random.of(NAMES);
    if (phase === "X") {
      events.push({at, track, name, legacy: {phase, us: 1 + random.below(3)}});
      at += 3000;
    } else if (phase === "i") {
      events.push({at, track, name, legacy: {phase}});
    } else {
      events.push({at, track, name, legacy: {phase}}, {at: at + 2000, track, name, legacy: {phase: "E"}});
      at += 2000;
    }
  }
  return events;
}

// An id in one of the forms of legacy events, which no uuid of a track is: FXT has one number for both.
function legacyId(random, slot) {
  const field = random.of([6, 10, 11]);
  return {field, value: 1e6 + slot * 8 + random.below(3), scope: random.true(0.2) ? "own" : undefined};
}

// Async slices of before there were tracks: by their id.
function legacyAsync(random, track, slot) {
  const letters = random.of(["STF", "bne"]), id = legacyId(random, slot), events = [], category = "async";
  for (let n = 1 + random.below(2), at = 740000; n > 0; n--) {
    const name = random.of(NAMES), end = at + 1000 * (3 + random.below(9));
    const say = (phase, at) => events.push({at, track, name, category, legacy: {phase, id}});
    say(letters[0], at);
    if (random.true(0.4)) say(letters[1], at + 1000);
    say(letters[2], end);
    at = end + 1000 * (1 + random.below(4));
  }
  return events;
}

// What a sequence of before there were tracks says of its thread, in microseconds.
function oldThread(random, pid) {
  const events = [];
  for (let n = 1 + random.below(5), at = 10 + random.below(9); n > 0; n--) {
    const name = random.of(NAMES), absolute = random.true(0.2);
    const phase = random.of(["X", "I", "B"]), us = 1 + random.below(20);
    events.push({at, name, absolute, legacy: {phase, us: phase === "X" ? us : undefined}});
    if (phase === "B") events.push({at: at + us, name, absolute, legacy: {phase: "E"}});
    at += us + 1 + random.below(9);
  }
  return {pid, tid: pid + 14, name: `thread ${pid + 14}`, events};
}

// A state lasts until the next one, or one without a name.
function states(random, track, step) {
  return Array.from({length: 1 + random.below(3)}, (_, i) => ({
    type: STATE,
    at: 850000 + i * 1000 + step * random.below(900 / step),
    track,
    name: random.true(0.8) ? random.of(NAMES) : undefined
  }));
}

// What runs on a processor of the case's own, and what userspace marks there.
function ftrace(random, slot, first) {
  const threads = [first + 12, first + 13], events = [];
  let running = 0, at = 900000;
  for (let n = 1 + random.below(5); n > 0; n--) {
    at += 1 + random.below(5000);
    const next = random.of([0, ...threads].filter((pid) => pid !== running));
    events.push({at, pid: running, from: running, to: next, state: random.of([0, 1])});  // FXT knows no others
    running = next;
    if (!running || random.true(0.5)) continue;
    events.push({at: at + 100, pid: running, mark: `B|${running}|mark`}, {at: at + 200, pid: running, mark: "E"});
    at += 300;
  }
  return {cpu: slot, events};
}

export function perfettoCase(seed, slot) {
  const random = chance(seed), first = firstId(slot), uuid = (slot + 1) * 16;
  const step = random.true(0.3) ? 1000 : 1, sequences = random.of([2, 2, 2, 1, 4, 7]);
  const threads = Array.from({length: 1 + random.below(3)}, (_, i) => uuid + 1 + i);
  const tracks = [{uuid, process: {pid: first, name: random.true(0.7) ? `proc ${slot}` : undefined}}];
  threads.forEach((track, i) => tracks.push({
    uuid: track,
    thread: {pid: first, tid: first + 1 + i, name: random.true(0.7) ? `thread ${slot}.${i}` : undefined}
  }));
  tracks.push({uuid: uuid + 8, parent: uuid, name: "requests"});
  const isIncremental = random.true(0.4);
  tracks.push({uuid: uuid + 9, parent: uuid, name: "used memory", counter: {isIncremental}});
  tracks.push({uuid: uuid + 10, parent: uuid, name: "extra numbers", counter: {multiplier: random.of([undefined, 8])}});
  tracks.push({uuid: uuid + 11, parent: uuid, name: "machine state", state: true});
  const events = threads.flatMap((track) => (random.true(0.7) ? nested(random, track, 0, 400000, 0, step) : []));
  if (random.true(0.5)) events.push(...flows(random, threads, slot, step));
  if (random.true(0.5)) events.push(...nested(random, uuid + 8, 600000, 700000, 2, step, false));
  for (let n = random.below(4); n > 0; n--)
    events.push({
      type: INSTANT,
      at: 710000 + step * random.below(1000 / step),
      track: random.of([...threads, uuid]),
      name: random.of(NAMES),
      args: annotations(random),
      category: random.of(["cat", undefined])
    });
  for (let n = random.below(4), at = 730000; n > 0; n--)
    events.push({
      type: COUNTER,
      at: at += step * (1 + random.below(3)),
      track: uuid + 9,
      value: random.of(isIncremental ? [1, -5, 4000000000] : [1, -5, 2.5])
    });
  if (random.true(0.3)) events.push(...legacy(random, threads[0]));
  if (random.true(0.2)) events.push(...legacyAsync(random, threads[0], slot));
  if (random.true(0.2)) events.push(...states(random, uuid + 11, step));
  // Threads take turns on a track: one begins, another ends, each in a sequence of its own, and these come one behind
  // the other in the file
  const takesTurns = (event) => turns && event.track === uuid + 8;
  const turns = sequences > 1 && random.true(0.4);
  events.sort((a, b) => a.at - b.at);
  for (const event of events) {
    const takesExtra = event.track !== uuid + 9 && !event.legacy;
    const extra = takesExtra && random.true(0.1) ? {track: uuid + 10, value: event.at} : undefined;
    // Other events of a track are of one sequence, so that their order is known
    Object.assign(event, {
      literal: random.true(0.2),
      restart: random.true(0.05),
      own: random.true(0.2),
      extra,
      sequence: takesTurns(event) ? (event.type === BEGIN ? 0 : sequences - 1) : event.track % sequences
    });
  }
  const lost = random.true(0.2) ? {at: 1, track: threads[0]} : undefined;
  // Of a counter not behind its events alone: the importer drops an event with a number of one that nothing describes
  for (const track of tracks) {
    track.again = random.true(0.3);
    track.late = !track.counter && random.true(0.15);
  }
  return {
    seed,
    slot,
    step,
    sequences,
    stories: ["perfetto"],
    tracks,
    events,
    lost,
    old: random.true(0.3) ? oldThread(random, first) : undefined,
    ftrace: random.true(0.3) ? ftrace(random, slot, first) : undefined
  };
}
