// SPDX-License-Identifier: Apache-2.0
//
// Encodes the packets of random Perfetto traces, sequence by sequence.
import {bytes, number, varint} from "../protobuf.mjs";
import {WINDOW} from "./json_case.mjs";

const INSTANT = 3;
const MONOTONIC = 3, BOOTTIME = 6, INCREMENTAL = 64;  // clocks
const US = 1000;                                      // nanoseconds

const fixed = (field, id) => {
  const body = Buffer.alloc(8);
  body.writeBigUInt64LE(BigInt(id));
  return Buffer.concat([varint((field << 3) | 1), body]);
};

export const double = (field, value) => {
  const body = Buffer.alloc(8);
  body.writeDoubleLE(value);
  return Buffer.concat([varint((field << 3) | 1), body]);
};

// `intern` gives the number of a name or a text in its table of the sequence.
function annotationBytes(parts, literal, intern) {
  return parts.map((part) => {
    if (part.interned !== undefined) return literal ? bytes(6, part.interned) : number(17, intern(29, part.interned));
    if (part.field === undefined) return part;
    const key = part.key === undefined ? [] : [literal ? bytes(10, part.key) : number(1, intern(3, part.key))];
    return bytes(part.field, ...key, ...annotationBytes(part.parts, literal, intern));
  });
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

// What an event says in the words of before there were types; an id is {field, value, scope}.
const legacyEvent = ({phase, us, id}) => bytes(
    6, number(2, phase.charCodeAt(0)), ...(us ? [number(3, us)] : []),
    ...(id ? [number(id.field, id.value), ...(id.scope ? [bytes(7, id.scope)] : [])] : []));

// The packets of a sequence: its state is what the ones before said.
class Sequence {
  constructor(id, step) { Object.assign(this, {id, step, packets: [], names: null}); }
  packet(...parts) { this.packets.push(bytes(1, number(10, this.id), ...parts)); }

  start(at, track) {
    this.names = new Map();
    this.time = at;
    this.packet(
        number(13, 1), number(8, at), number(58, BOOTTIME),
        bytes(
            6, bytes(1, number(1, BOOTTIME), number(2, at)),
            bytes(
                1, number(1, INCREMENTAL), number(2, at / this.step), number(3, 1),
                ...(this.step === 1 ? [] : [number(4, this.step)]))),
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
    if (legacy) parts.push(legacyEvent(legacy));
    const interned = said.length ? [bytes(12, ...said)] : [];
    // Either on the sequence's clock, from the packet before, or on the trace's own
    const time = own ? [number(8, at), number(58, BOOTTIME)] : [number(8, (at - this.time) / this.step)];
    this.packet(...time, number(13, 2), ...interned, bytes(11, ...parts));
    if (!own) this.time = at;
  }

  // An event that needs what no packet said: readers drop it.
  lose({at, track}) {
    const event = bytes(11, number(9, INSTANT), number(11, track), number(10, 1));
    this.packet(number(8, at), number(58, BOOTTIME), number(13, 2), event);
  }
}

// A sequence of before there were tracks: its events are of the thread that it describes, at microseconds of MONOTONIC
// that are counted from one to the next.
function threadSequence(id, {pid, tid, name, events}, base) {
  const time = (clock) => bytes(1, number(1, clock), number(2, base));
  const packet = (...parts) => bytes(1, number(10, id), ...parts);
  const packets = [
    packet(bytes(6, time(MONOTONIC), time(BOOTTIME))),
    packet(number(13, 1), bytes(44, number(1, pid), number(2, tid), bytes(5, name), number(6, base / US)))
  ];
  let last = 0;
  for (const {at, absolute, name: called, legacy} of events) {
    const when = absolute ? number(16, base / US + at) : number(1, at - last);
    if (!absolute) last = at;
    packets.push(packet(number(13, 2), bytes(11, when, bytes(22, "old"), bytes(23, called), legacyEvent(legacy))));
  }
  return packets;
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

// Where `inTime`, every track is described in front of its events.
export function writePerfetto(cases, inTime = false) {
  const packets = [];
  for (const one of cases) {
    const base = (one.slot + 1) * WINDOW;
    const sequences = Array.from({length: one.sequences}, (_, i) => new Sequence(8 * one.slot + i + 1, one.step));
    const describe = (isHere) => one.tracks.filter(isHere).forEach((track) => sequences[0].packet(descriptor(track)));
    describe(({late}) => !late || inTime);
    if (one.lost) sequences.at(-1).lose({...one.lost, at: base + one.lost.at});
    for (const event of one.events) sequences[event.sequence].event({...event, at: event.at + base});
    describe(({again, late}) => again || late);
    packets.push(...sequences.flatMap((sequence) => sequence.packets));
    if (one.old) packets.push(...threadSequence(2000 + one.slot, one.old, base));
    if (one.ftrace) packets.push(bytes(1, number(10, 1000 + one.slot), bundle(one.ftrace, base)));
  }
  return Buffer.concat(packets);
}
