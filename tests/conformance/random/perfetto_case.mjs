// SPDX-License-Identifier: Apache-2.0
//
// Random Perfetto traces: the case of a seed, at a place of its own in the trace of a batch. Each case is a sequence
// with interned names, defaults and an incremental clock, which now and then starts again.
import {chance} from "../chance.mjs";
import {bytes, number, varint} from "../protobuf.mjs";
import {WINDOW, firstId} from "./json_case.mjs";

const BEGIN = 1, END = 2, INSTANT = 3, COUNTER = 4;
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

// A DebugAnnotation without its name.
function value(random, depth = 0) {
  const kind = random.below(depth > 1 ? 5 : 7);
  if (kind === 0) return [number(2, random.below(2))];
  if (kind === 1) return [number(3, random.of([0, 7, 18446744073709551615n]))];
  if (kind === 2) return [number(4, BigInt.asUintN(64, BigInt(random.of([-5, 12]))))];
  if (kind === 3) return [double(5, random.of([0.5, -1e9]))];
  if (kind === 4) return [bytes(6, random.of(["", "text", "ünï"]))];
  const count = 1 + random.below(2);
  if (kind === 5)
    return Array.from({length: count}, (_, i) => bytes(11, bytes(10, `k${i}`), ...value(random, depth + 1)));
  return Array.from({length: count}, () => bytes(12, ...value(random, depth + 1)));
}

function annotations(random) {
  if (random.true(0.5)) return [];
  return Array.from({length: 1 + random.below(3)}, (_, i) => ({name: `arg${i}`, body: value(random)}));
}

function nested(random, track, from, to, depth) {
  const events = [];
  for (let at = from + 1 + random.below(20000), n = 1 + random.below(3); n > 0 && at < to - 10; n--) {
    const end = at + 2 + random.below(to - at - 4), open = random.true(0.03) && depth === 0;
    events.push({type: BEGIN, at, track, name: random.of(NAMES), args: annotations(random)});
    if (depth < 3 && end - at > 3000) events.push(...nested(random, track, at + 1, end - 1, depth + 1));
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

export function perfettoCase(seed, slot) {
  const random = chance(seed), first = firstId(slot), uuid = (slot + 1) * 16;
  const threads = Array.from({length: 1 + random.below(3)}, (_, i) => uuid + 1 + i);
  const tracks = [{uuid, process: {pid: first, name: random.true(0.7) ? `proc ${slot}` : undefined}}];
  threads.forEach((track, i) => tracks.push({
    uuid: track,
    thread: {pid: first, tid: first + 1 + i, name: random.true(0.7) ? `thread ${slot}.${i}` : undefined}
  }));
  tracks.push({uuid: uuid + 8, parent: uuid, name: "requests"});
  tracks.push({uuid: uuid + 9, parent: uuid, name: "used memory", counter: true});
  const events = threads.flatMap((track) => (random.true(0.7) ? nested(random, track, 0, 400000, 0) : []));
  if (random.true(0.5)) events.push(...flows(random, threads, slot));
  if (random.true(0.5)) events.push(...nested(random, uuid + 8, 600000, 700000, 2));
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
    events.push({type: COUNTER, at: at += 1 + random.below(3), track: uuid + 9, value: random.of([1, -5, 2.5])});
  events.sort((a, b) => a.at - b.at);
  for (const event of events) Object.assign(event, {literal: random.true(0.2), restart: random.true(0.05)});
  return {seed, slot, stories: ["perfetto"], tracks, events};
}

function descriptor({uuid, process, thread, parent, name, counter}) {
  const parts = [number(1, uuid)];
  if (name !== undefined) parts.push(bytes(2, name));
  if (process) parts.push(bytes(3, number(1, process.pid), ...(process.name ? [bytes(6, process.name)] : [])));
  if (thread)
    parts.push(bytes(4, number(1, thread.pid), number(2, thread.tid), ...(thread.name ? [bytes(5, thread.name)] : [])));
  if (parent) parts.push(number(5, parent));
  if (counter) parts.push(bytes(8));
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

  event({type, at, track, name, args = [], category, flows = [], ends = [], value, literal, restart}) {
    if (!this.names || restart) this.start(at, track);
    const said = [], parts = [number(9, type)];
    if (track !== this.track) parts.push(number(11, track));
    if (name !== undefined) parts.push(literal ? bytes(23, name) : number(10, this.intern(2, name, said)));
    if (category) parts.push(literal ? bytes(22, category) : number(3, this.intern(1, category, said)));
    for (const {name: key, body} of args)
      parts.push(bytes(4, literal ? bytes(10, key) : number(1, this.intern(3, key, said)), ...body));
    parts.push(...flows.map((id) => fixed(47, id)), ...ends.map((id) => fixed(48, id)));
    if (value !== undefined)
      parts.push(Number.isInteger(value) ? number(30, BigInt.asUintN(64, BigInt(value))) : double(44, value));
    this.packet(
        number(8, at - this.time), number(13, 2), ...(said.length ? [bytes(12, ...said)] : []), bytes(11, ...parts));
    this.time = at;
  }
}

export function writePerfetto(cases) {
  const packets = [];
  for (const one of cases) {
    const sequence = new Sequence(one.slot + 1), base = (one.slot + 1) * WINDOW;
    for (const track of one.tracks) sequence.packet(descriptor(track));
    for (const event of one.events) sequence.event({...event, at: event.at + base});
    packets.push(...sequence.packets);
  }
  return Buffer.concat(packets);
}
