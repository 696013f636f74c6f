// SPDX-License-Identifier: Apache-2.0
//
// Random Perfetto traces: the case of a seed, at a place of its own in the trace of a batch. Each case is a sequence
// with interned names, defaults and an incremental clock, which now and then starts again.
import {chance} from "../chance.mjs";
import {bytes, number, varint} from "../protobuf.mjs";
import {WINDOW, firstId} from "./json_case.mjs";

const BEGIN = 1, END = 2, INSTANT = 3, COUNTER = 4, STATE = 5;
const BOOTTIME = 6, INCREMENTAL = 64;  // clocks
const NAMES = ["draw", "read file", "größe", "a", "x \"y\"", "n".repeat(40)];

const fixed = (field, id) => {
  const body = Buffer.alloc(8);
  body.writeBigUInt64LE(BigInt(id));
  return Buffer.concat([varint((field << 3) | 1), body]);
};

const double = (field, value) => {
  const body = Buffer.alloc(8);
  body.writeDoubleLE(value);
  return Buffer.concat([varint((field << 3) | 1), body]);
};

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

// `intern` gives the number of a name or a text in its table of the sequence.
function annotationBytes(parts, literal, intern) {
  return parts.map((part) => {
    if (part.interned !== undefined) return literal ? bytes(6, part.interned) : number(17, intern(29, part.interned));
    if (part.field === undefined) return part;
    const key = part.key === undefined ? [] : [literal ? bytes(10, part.key) : number(1, intern(3, part.key))];
    return bytes(part.field, ...key, ...annotationBytes(part.parts, literal, intern));
  });
}

function annotations(random) {
  if (random.true(0.5)) return [];
  // Not the same name twice: JSON has the last one alone
  return Array.from({length: 1 + random.below(3)}, (_, i) => ({name: `arg${i}`, body: value(random)}));
}

// Slices that nest. JSON's async slices are of one tree by their category, so that those of other tracks have none.
function nested(random, track, from, to, depth, isThread = true) {
  const events = [];
  for (let at = from + 1 + random.below(20000), n = 1 + random.below(3); n > 0 && at < to - 10; n--) {
    const end = at + 2 + random.below(to - at - 4), open = random.true(0.03) && depth === 0;
    const category = isThread ? random.of(["cat", "net", undefined]) : undefined;
    events.push({type: BEGIN, at, track, name: random.of(NAMES), args: annotations(random), category});
    if (depth < 3 && end - at > 3000) events.push(...nested(random, track, at + 1, end - 1, depth + 1, isThread));
    if (open) return events;
    events.push({type: END, at: end, track});
    at = end + 1 + random.below(20000);
  }
  return events;
}

function flows(random, threads, slot) {
  const id = slot * 8 + 1, count = 2 + random.below(2);
  return Array
      .from(
          {length: count},
          (_, i) => {
            const track = random.of(threads), at = 500000 + i * 50000 + random.below(20000);
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

// A state lasts until the next one, or one without a name.
function states(random, track) {
  return Array.from({length: 1 + random.below(3)}, (_, i) => ({
    type: STATE,
    at: 850000 + i * 1000 + random.below(900),
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
  const events = threads.flatMap((track) => (random.true(0.7) ? nested(random, track, 0, 400000, 0) : []));
  if (random.true(0.5)) events.push(...flows(random, threads, slot));
  if (random.true(0.5)) events.push(...nested(random, uuid + 8, 600000, 700000, 2, false));
  for (let n = random.below(4); n > 0; n--)
    events.push({
      type: INSTANT,
      at: 710000 + random.below(1000),
      track: random.of([...threads, uuid]),
      name: random.of(NAMES),
      args: annotations(random),
      category: random.of(["cat", undefined])
    });
  for (let n = random.below(4), at = 730000; n > 0; n--)
    events.push({
      type: COUNTER,
      at: at += 1 + random.below(3),
      track: uuid + 9,
      value: random.of(isIncremental ? [1, -5, 4000000000] : [1, -5, 2.5])
    });
  if (random.true(0.3)) events.push(...legacy(random, threads[0]));
  if (random.true(0.2)) events.push(...states(random, uuid + 11));
  events.sort((a, b) => a.at - b.at);
  for (const event of events) {
    const takesExtra = event.track !== uuid + 9 && !event.legacy;
    const extra = takesExtra && random.true(0.1) ? {track: uuid + 10, value: event.at} : undefined;
    // Events of a track are of one sequence, so that their order is known
    Object.assign(event, {
      literal: random.true(0.2),
      restart: random.true(0.05),
      own: random.true(0.2),
      extra,
      sequence: event.track % 2
    });
  }
  const lost = random.true(0.2) ? {at: 1, track: threads[0]} : undefined;
  // Not behind its events alone: a pipe is not searched for that, and the importer drops an event with a number of a
  // counter that nothing describes so far
  for (const track of tracks) track.again = random.true(0.3);
  return {
    seed,
    slot,
    stories: ["perfetto"],
    tracks,
    events,
    lost,
    ftrace: random.true(0.3) ? ftrace(random, slot, first) : undefined
  };
}

function descriptor({uuid, process, thread, parent, name, counter, state}) {
  const parts = [number(1, uuid)];
  if (name !== undefined) parts.push(bytes(2, name));
  if (process) parts.push(bytes(3, number(1, process.pid), ...(process.name ? [bytes(6, process.name)] : [])));
  if (thread)
    parts.push(bytes(4, number(1, thread.pid), number(2, thread.tid), ...(thread.name ? [bytes(5, thread.name)] : [])));
  if (parent) parts.push(number(5, parent));
  if (counter)
    parts.push(bytes(
        8, ...(counter.isIncremental ? [number(5, 1)] : []),
        ...(counter.multiplier ? [number(4, counter.multiplier)] : [])));
  if (state) parts.push(bytes(18));
  return bytes(60, ...parts);
}

// The packets of a sequence: its state is what the ones before said.
class Sequence {
  constructor(id) { Object.assign(this, {id, packets: [], names: null}); }
  packet(...parts) { this.packets.push(bytes(1, number(10, this.id), ...parts)); }

  start(at, track) {
    this.names = new Map();
    this.time = at;
    this.packet(
        number(13, 1), number(8, at), number(58, BOOTTIME),
        bytes(
            6, bytes(1, number(1, BOOTTIME), number(2, at)),
            bytes(1, number(1, INCREMENTAL), number(2, at), number(3, 1))),
        bytes(59, number(58, INCREMENTAL), bytes(11, number(11, track))));
    this.track = track;
  }

  // [field of the reference, interned data that it needs]
  intern(kind, text, said) {
    const key = `${kind} ${text}`;
    if (!this.names.has(key)) {
      this.names.set(key, this.names.size + 1);
      said.push(bytes(kind, number(1, this.names.get(key)), bytes(2, text)));
    }
    return this.names.get(key);
  }

  event(event) {
    const {type, at, track, name, args = [], category, flows = [], ends = []} = event;
    const {value, literal, restart, own, extra, legacy} = event;
    if (!this.names || restart) this.start(at, track);
    const said = [], parts = type === undefined ? [] : [number(9, type)];
    if (track !== this.track) parts.push(number(11, track));
    if (name !== undefined) parts.push(literal ? bytes(23, name) : number(10, this.intern(2, name, said)));
    if (category) parts.push(literal ? bytes(22, category) : number(3, this.intern(1, category, said)));
    const intern = (kind, text) => this.intern(kind, text, said);
    for (const {name: key, body} of args)
      parts.push(bytes(
          4, literal ? bytes(10, key) : number(1, intern(3, key)), ...annotationBytes(body, literal, intern)));
    parts.push(...flows.map((id) => (literal ? number(36, id) : fixed(47, id))));
    parts.push(...ends.map((id) => (literal ? number(42, id) : fixed(48, id))));
    if (value !== undefined)
      parts.push(Number.isInteger(value) ? number(30, BigInt.asUintN(64, BigInt(value))) : double(44, value));
    if (extra) parts.push(number(31, extra.track), number(12, extra.value));
    if (legacy) {
      const us = legacy.us ? [number(3, legacy.us)] : [];
      parts.push(bytes(6, number(2, legacy.phase.charCodeAt(0)), ...us));
    }
    const interned = said.length ? [bytes(12, ...said)] : [];
    // Either on the sequence's clock, from the packet before, or on the trace's own
    const time = own ? [number(8, at), number(58, BOOTTIME)] : [number(8, at - this.time)];
    this.packet(...time, number(13, 2), ...interned, bytes(11, ...parts));
    if (!own) this.time = at;
  }

  // An event that needs what no packet said: readers drop it.
  lose({at, track}) {
    const event = bytes(11, number(9, INSTANT), number(11, track), number(10, 1));
    this.packet(number(8, at), number(58, BOOTTIME), number(13, 2), event);
  }
}

function bundle({cpu, events}, base) {
  const parts = events.map(({at, pid, from, to, state, mark}) => {
    const comm = (id) => (id ? `worker${id}` : "swapper");
    const marked = () => bytes(3, bytes(2, `${mark}\n`));
    const switched = () => bytes(
        4, bytes(1, comm(from)), number(2, from), number(3, 120), number(4, from ? state : 0), bytes(5, comm(to)),
        number(6, to), number(7, 120));
    const body = mark === undefined ? switched() : marked();
    return bytes(2, number(1, base + at), number(2, pid), body);
  });
  return bytes(1, ...(cpu ? [number(1, cpu)] : []), ...parts);
}

export function writePerfetto(cases) {
  const packets = [];
  for (const one of cases) {
    const base = (one.slot + 1) * WINDOW;
    const sequences = [0, 1].map((i) => new Sequence(2 * one.slot + i + 1));
    const describe = (isHere) => one.tracks.filter(isHere).forEach((track) => sequences[0].packet(descriptor(track)));
    describe(() => true);
    if (one.lost) sequences[1].lose({...one.lost, at: base + one.lost.at});
    for (const event of one.events) sequences[event.sequence].event({...event, at: event.at + base});
    describe(({again}) => again);
    packets.push(...sequences.flatMap((sequence) => sequence.packets));
    if (one.ftrace) packets.push(bytes(1, number(10, 1000 + one.slot), bundle(one.ftrace, base)));
  }
  return Buffer.concat(packets);
}
