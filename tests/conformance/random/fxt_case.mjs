// SPDX-License-Identifier: Apache-2.0
//
// Random FXT traces: the case of a seed, at a place of its own in the trace of a batch. What FXT's importer and ours
// are documented to see otherwise (docs/CONFORMANCE.md) is not made: overlapping complete events, koids past 32 bits.
import {chance} from "../chance.mjs";
import {FxtTrace, IDLE} from "./fxt_records.mjs";
import {WINDOW, firstId} from "./json_case.mjs";

const RATES = [1e9, 2e9, 1e6, 1e9, 24576e6];  // ticks per second of the providers; microseconds make equal times

const NAMES = ["draw", "read file", "größe", "a", "x \"y\"", "n".repeat(40)];
const ARGS = [
  ["int32", () => -5],
  ["uint32", () => 4000000000],
  ["int64", () => -9223372036854775808n],
  ["uint64", () => 18446744073709551615n],
  ["double", () => 1.5],
  ["string", (random) => random.of(["", "text", "ünï"])],
  ["pointer", () => 0xffff800000001000n],
  ["koid", () => 77],
  ["bool", (random) => random.true(0.5)],
  ["null", () => null],
];

// Names that spell paths; the format has fifteen arguments at most. Those of our own fields are not here: the importer
// knows nothing of what these say on the way back.
const ODD_NAMES = ["a.b", "list[0]", "list[1].x", "c..d", "[", "x y", ".", "ä"];

function args(random) {
  if (random.true(0.5)) return [];
  const count = random.true(0.05) ? 15 : 1 + random.below(3), isOdd = random.true(0.15);
  return Array.from({length: count}, (_, i) => {
    const [type, value] = random.of(ARGS);
    return {type, name: isOdd ? ODD_NAMES[i] ?? `arg${i}` : `arg${i}`, value: value(random)};
  });
}

const described = (random) =>
    ({name: random.of(NAMES), category: random.of(["cat", "net", ""]), args: args(random), indexed: random.true(0.6)});

// Slices that nest, of which `share` are complete ones; on a grid several begin, and end, at one time. A complete one
// may be in the file where it ends. None begins in the tick of the one before it (docs/CONFORMANCE.md).
function nested(random, thread, from, to, depth, times) {
  const {grid, tick, share} = times, events = [], snap = (ts) => Math.ceil(ts / grid) * grid;
  for (let at = snap(from + random.below(20000)), n = 1 + random.below(3); n > 0 && at < to - grid; n--) {
    const end = Math.min(to, snap(at + 1 + random.below(to - at))), what = described(random);
    const first = at + (grid > 1 ? 0 : 1);
    const inside = depth < 3 && end - at > 3000 ? nested(random, thread, first, end, depth + 1, times) : [];
    if (random.true(share)) {
      const complete = {type: "complete", ts: at, thread, ...what, last: end};
      if (grid * tick === 1 && share < 1 && random.true(0.4)) events.push(...inside, {...complete, place: end});
      else events.push(complete, ...inside);
    } else
      events.push({type: "begin", ts: at, thread, ...what}, ...inside, {type: "end", ts: end, thread, name: what.name});
    at = snap(end + tick + random.below(20000));
  }
  return events;
}

// What runs on a processor of the case's own.
function scheduling(random, threads, slot) {
  const events = [], idle = {tid: 0, weight: IDLE};
  let running = idle, ts = 800000;
  for (let n = 1 + random.below(6); n > 0; n--) {
    ts += 1 + random.below(20000);
    const other = random.of(threads);
    const isNext = running === idle || running.tid !== other.tid;
    if (isNext && random.true(0.3)) {
      events.push({kind: "wakeup", ts, cpu: slot, thread: other});
      continue;
    }
    const to = isNext ? {...other, weight: random.of([0, 7])} : idle;
    events.push({kind: "contextSwitch", ts, cpu: slot, state: random.of([0, 1, 2, 3]), from: running, to});
    running = to;
  }
  return events;
}

// What has no time, or none that the importer looks at.
function asides(random, threads, slot) {
  const thread = random.of(threads), events = [];
  if (random.true(0.3)) events.push({kind: "log", ts: 790000, thread, text: random.of(NAMES)});
  if (random.true(0.2)) events.push({kind: "blob", name: `blob ${slot}`, bytes: Buffer.from("some bytes\0")});
  if (random.true(0.2))
    events.push({kind: "userspaceObject", thread, pointer: 4096, name: "object", args: args(random)});
  if (random.true(0.1)) events.push({kind: "bufferFull"});
  return events.map((event) => ({ts: 780000, ...event}));
}

function flows(random, threads, slot) {
  const id = slot * 8 + 1 + random.below(4), events = [];
  const shape = random.of([["flow_begin", "flow_end"], ["flow_begin", "flow_step", "flow_end"]]);
  shape.forEach((type, i) => {
    const thread = random.of(threads), ts = 500000 + i * 50000 + random.below(20000);
    events.push({type: "begin", ts, thread, name: "flowing"});
    events.push({type, ts: ts + 5, thread, name: "flow", category: "f", last: id});
    events.push({type: "end", ts: ts + 1000, thread, name: "flowing"});
  });
  return events;
}

function others(random, threads, slot) {
  const events = [], thread = random.of(threads), id = slot * 8 + 5 + random.below(2);
  for (let n = random.below(4); n > 0; n--)
    events.push({type: "instant", ts: 700000 + random.below(5) * 100, thread, ...described(random)});
  for (let n = random.below(4), ts = 720000; n > 0; n--) {
    const values = ["used", "rest"]
                       .slice(0, 1 + random.below(2))
                       .map((name) => ({type: random.of(["int32", "double"]), name, value: random.below(100)}));
    events.push({type: "counter", ts: ts += random.below(3), thread, name: "memory", args: values, last: slot});
  }
  if (random.true(0.5)) {
    const name = random.of(NAMES), category = "async";
    events.push({type: "async_begin", ts: 750000, thread, name, category, args: args(random), last: id});
    if (random.true(0.5)) events.push({type: "async_instant", ts: 751000, thread, name: "step", category, last: id});
    events.push({type: "async_end", ts: 752000, thread: random.of(threads), name, category, last: id});
  }
  return events;
}

export function fxtCase(seed, slot) {
  const random = chance(seed), first = firstId(slot);
  const threads = Array.from({length: 1 + random.below(3)}, (_, i) => ({pid: first, tid: first + 1 + i}));
  const objects = random.true(0.6) ? [{type: 1, koid: first, name: `proc ${slot}`}] : [];
  // The importer of protobuf gives the main thread the process' name; so threads have names of their own
  for (const {tid} of threads)
    if (random.true(0.7)) objects.push({type: 2, koid: tid, name: `thread ${tid}`, process: first});
  // They may come behind the events, too, and again
  const late = objects.filter(() => random.true(0.2)).map((object) => ({kind: "kernelObject", ts: 950000, ...object}));
  const grid = random.true(0.3) ? 5000 : 1;
  const provider = 1 + slot % RATES.length, tick = Math.max(1, 1e9 / RATES[provider - 1]);
  const share = random.of([0, 0.5, 1]);
  const slices = (thread) => (random.true(0.7) ? nested(random, thread, 0, 400000, 0, {grid, tick, share}) : []);
  const events = threads.flatMap(slices);
  if (random.true(0.5)) events.push(...flows(random, threads, slot));
  events.push(...others(random, threads, slot), ...asides(random, threads, slot), ...late);
  if (random.true(0.5)) events.push(...scheduling(random, threads, slot));
  const base = (slot + 1) * WINDOW;
  const placed = events.map((event) => ({place: event.ts, ...event}));
  const inTicks = (ns) => base + tick * Math.floor(ns / tick);
  for (const event of placed) {
    event.ts = inTicks(event.ts);
    event.provider = provider;
    if (event.type === "complete") event.last = inTicks(event.last);
  }
  return {seed, slot, stories: ["fxt"], objects, events: placed.sort((a, b) => a.place - b.place)};
}

export function writeFxt(cases) {
  const trace = new FxtTrace();
  trace.use(1);
  for (const object of cases.flatMap((one) => one.objects)) trace.kernelObject(object);
  for (const event of cases.flatMap((one) => one.events)) {
    trace.use(event.provider, RATES[event.provider - 1]);
    if (event.kind) trace[event.kind](event);
    else trace.event(event);
  }
  return trace.bytes();
}
