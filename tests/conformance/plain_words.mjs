// SPDX-License-Identifier: Apache-2.0
//
// Says a JSON trace once more in words that the defects of Perfetto's importer of JSON do not touch: proofs.mjs lists
// them, docs/CONFORMANCE.md the defects.
import {EXACT, idValue, isExact, nanoseconds} from "./json.mjs";
import {OpenSlices} from "./open_slices.mjs";

const FIRST_SYNTHETIC = 0x70000000;  // where our reader's numbers for ids that are none begin
const FIRST_FREE = 1000000000;       // and ours here

// ---- ids of processes and threads -----------------------------------------------------------------------------------

// What our reader makes of an id: [the number that the trace processor shows, whether the importer of JSON takes it as
// it is].
export class Ids {
  synthetic = new Map();
  free = new Map();  // number of ours -> free number
  named = new Set();
  names = [];  // metadata events

  number(value, bits) {
    const text = String(value).replace(EXACT, "");
    const isNumber = /^(0|-?[1-9]\d*)$/.test(text);  // as a text, too
    const big = isNumber ? BigInt(text) : 0n, limit = 1n << BigInt(bits - 1);
    if (isNumber && big >= -limit && big < limit)
      return Number(big) >= 0 && big < 1n << 31n ? {plain: Number(big)} : {odd: text};
    const key = text;
    if (!this.synthetic.has(key)) this.synthetic.set(key, FIRST_SYNTHETIC + this.synthetic.size);
    return {odd: String(this.synthetic.get(key))};
  }

  renamed(ours) {
    if (!this.free.has(ours)) this.free.set(ours, FIRST_FREE + this.free.size);
    return this.free.get(ours);
  }

  // The event with ids that the importer takes. One that was text is the name of what has no other.
  apply(event) {
    for (const [key, bits, name] of [["pid", 32, "process_name"], ["tid", 64, "thread_name"]]) {
      const source = event[key];
      if (key === "pid" && source === "") event.pid = 0;
      if (source === undefined || source === "") continue;
      const id = this.number(source, bits);
      event[key] = id.odd === undefined ? id.plain : this.renamed(id.odd);
      const of = `${event.pid}/${key === "tid" ? event.tid : ""}`;
      const isText = typeof source === "string" && !source.startsWith(EXACT) && this.synthetic.has(source);
      if (!isText || this.named.has(of)) continue;
      this.named.add(of);
      this.names.push({ph: "M", name, pid: event.pid, tid: event.tid, args: {name: source}});
    }
  }

  // A row of ours with the numbers that the other side has.
  rename(row, bare) {
    const one = (text) => (this.free.has(text) ? String(this.free.get(text)) : text);
    return row.map((value) => {
      if (typeof value !== "string") return value;
      if (bare && /^-?\d+$/.test(value)) return one(value);
      return value.replace(/^T(-?\d+|\?)\/(-?\d+)$/, (_, pid, tid) => `T${one(pid)}/${one(tid)}`)
          .replace(/^P(-?\d+)$/, (_, pid) => `P${one(pid)}`);
    });
  }
}

// Thread 0 is the idle thread to the trace processor whatever a trace says: it gets another number before anyone reads
// it. Returns how many events were of it.
export function withoutThreadZero(trace) {
  const ofZero = eventsOf(trace).filter((event) => event.tid === 0 || event.tid === "0");
  for (const event of ofZero) event.tid = FIRST_FREE - 1;
  return ofZero.length;
}

export const eventsOf = (trace) =>
    (trace.traceEvents ?? []).filter((event) => event && typeof event === "object" && !Array.isArray(event));

// ---- slices ---------------------------------------------------------------------------------------------------------

function inOrder(events) {
  const at = (event) => nanoseconds(event.ts) ?? 0n;
  return [...events].sort((a, b) => (at(a) < at(b) ? -1 : at(a) > at(b) ? 1 : 0));
}

// Pairs of begins and ends; `unclear` are begins that were open when an end took another than the newest, and those
// that came after that, until none was open.
function pairs(events, begins, ends) {
  const open = new OpenSlices(), found = [], unclear = new Set();
  let needs_matching = false, disordered = false;
  for (const event of inOrder(events)) {
    if (event.ph === begins) open.push(event, event);
    if (event.ph === begins && disordered) unclear.add(event);
    if (event.ph !== ends) continue;
    const before = open.open.map(({item}) => item);
    const begin = open.take(event);
    if (!begin) continue;
    if (begin !== before.at(-1) && !disordered) before.forEach((item) => unclear.add(item));
    disordered = (disordered || begin !== before.at(-1)) && open.open.length > 0;
    if (open.leftOpen.length) needs_matching = true;
    found.push([begin, event]);
    if (nanoseconds(begin.ts) === nanoseconds(event.ts)) needs_matching = true;
  }
  return {found, needs_matching, unclear};
}

const micros = (ns) => EXACT + (ns < 0n ? "-" : "") +
    `${(ns < 0n ? -ns : ns) / 1000n}.${String((ns < 0n ? -ns : ns) % 1000n).padStart(3, "0")}`;

function group(events, key) {
  const groups = new Map();
  for (const event of events) {
    if (!groups.has(key(event))) groups.set(key(event), []);
    groups.get(key(event)).push(event);
  }
  return [...groups.values()];
}

export function completeSlices(trace, how) {
  const gone = new Set(), early = new Set();
  const inEndless = new Set();  // begins behind a B of their time that never ends: an X would be in front of that
  for (const events of group(
           eventsOf(trace).filter((event) => "BEX".includes(event.ph)), (event) => `${event.pid}/${event.tid}`)) {
    const {found, needs_matching} = pairs(events, "B", "E");
    for (const [begin, end] of found)
      if (nanoseconds(begin.ts) < nanoseconds(end.ts)) early.add(end);
    if (!needs_matching && !overlap(events, found)) continue;
    const ended = new Set(found.map(([begin]) => begin)), endless = new Set();
    for (const event of events) {
      if (event.ph !== "B") continue;
      if (!ended.has(event)) endless.add(nanoseconds(event.ts));
      else if (endless.has(nanoseconds(event.ts))) inEndless.add(event);
    }
    for (const [begin, end] of found) {
      if (how === "zero_length" && nanoseconds(begin.ts) !== nanoseconds(end.ts)) continue;
      if (inEndless.has(begin)) continue;
      gone.add(end);
      if (nanoseconds(begin.ts) === nanoseconds(end.ts) && begin.tts === undefined) {
        Object.assign(begin, { ph: "i", s: "t" });
        if (end.args && typeof end.args === "object") begin.args = { ...begin.args, ...end.args };
        continue;
      }
      begin.ph = "X";
      begin.dur = micros(nanoseconds(end.ts) - nanoseconds(begin.ts));
      if (begin.tts !== undefined && end.tts !== undefined)
        begin.tdur = micros(nanoseconds(end.tts) - nanoseconds(begin.tts));
      if (end.args && typeof end.args === "object") begin.args = {...begin.args, ...end.args};
    }
  }
  const rank = (event) => (nanoseconds(event.ts) ?? 0n) * 2n + (early.has(event) ? 0n : 1n);
  trace.traceEvents = eventsOf(trace)
                          .filter((event) => !gone.has(event))
                          .sort(
                              (a, b) =>
                                  (rank(a) < rank(b)     ? -1 :
                                       rank(a) > rank(b) ? 1 :
                                                           0));
}

// Whether a begin and an end can be one legacy event of phase X: its times are microseconds, and what is at its end is
// behind it. An argument of the end that is called as what is carried is the end's alone.
function canBeOne(begin, end, events) {
  const from = nanoseconds(begin.ts), to = nanoseconds(end.ts);
  const inside = events.slice(events.indexOf(begin) + 1, events.indexOf(end));
  return from < to && (to - from) % 1000n === 0n && end.args?.trace_event === undefined &&
      !inside.some((event) => event.ph !== "E" && nanoseconds(event.ts) === to);
}

// The thread's time of an end that is its begin's: a thread duration of 0, which the importer of protobuf knows only of
// legacy events of phase X.
function withoutIdleEnds(trace) {
  const times = (event) => nanoseconds(event.tts);
  const slices = eventsOf(trace).filter((event) => "BEXiIR".includes(event.ph));
  for (const events of group(slices, (event) => `${event.pid}/${event.tid}`)) {
    const {found, unclear} = pairs(events, "B", "E");
    for (const [begin, end] of found)
      if (times(end) !== null && times(begin) === times(end) && (unclear.has(begin) || !canBeOne(begin, end, events)))
        delete end.tts;
  }
}

// A thread duration of 0 of a slice whose duration is no whole number of microseconds: that of such a legacy event is.
function withoutIdleFractions(trace) {
  for (const event of eventsOf(trace))
    if (event.ph === "X" && nanoseconds(event.tdur) === 0n && (nanoseconds(event.dur) ?? 0n) % 1000n) delete event.tdur;
}

// A complete slice without a duration, which the importer drops, is an instant: next to what else is of its time, where
// it is not there, since an instant of the importer's would have that in it.
function withoutUnmeasured(trace) {
  const thread = (event) => `${event.pid}/${event.tid}`;
  const isUnmeasured = (event) => event.ph === "X" && nanoseconds(event.dur) === null;
  const isAlone = ([, ...others]) => others.length === 0;
  const at = (event) => `${thread(event)} ${nanoseconds(event.ts)}`, ends = new Set();
  for (const event of eventsOf(trace))
    if (event.ph === "X" && !isUnmeasured(event))
      ends.add(`${thread(event)} ${nanoseconds(event.ts) + nanoseconds(event.dur)}`);
  const gone = new Set();
  for (const events of group(eventsOf(trace).filter((event) => event.ph !== "M"), at))
    for (const event of events.filter(isUnmeasured))
      if (isAlone(events) && !ends.has(at(event))) {
        Object.assign(event, {ph: "i", s: "t"});
        for (const key of ["dur", "tts", "tdur", "bind_id", "flow_in", "flow_out"]) delete event[key];
      } else
        gone.add(event);
  trace.traceEvents = eventsOf(trace).filter((event) => !gone.has(event));
}

// What the importer calls a slice that has no name: an end by that name ends it, and one without a name would end
// what is in it.
const nameOf = (event) => event.name || "[No name]";

// A complete slice in which a B begins that never ends, where it is no legacy event, as of a fraction of a microsecond:
// a B and an E, which end what is in it with it, as the packets of protobuf do. An end takes the newest of its name: a
// B of the same name has an end then, too.
// One that begins where a B that never ends does, and a B behind that which ends later than it: a B and an E, too, but
// behind those, since it is in the one that ends.
function splitAroundEndless(trace) {
  const isFraction = (event) => [event.dur, event.tdur].some((value) => (nanoseconds(value) ?? 0n) % 1000n) ||
      event.esf !== undefined || event.estack !== undefined;
  const ends = [], split = new Set(), behind = new Map();
  for (const events of group(
           eventsOf(trace).filter((event) => "BEX".includes(event.ph)), (event) => `${event.pid}/${event.tid}`)) {
    const {found} = pairs(events, "B", "E"), ended = new Set(found.map(([begin]) => begin));
    const endless = inOrder(events.filter((event) => event.ph === "B" && !ended.has(event))), closed = new Set();
    const endOf = (event) => nanoseconds(event.ts) + (nanoseconds(event.dur) ?? 0n);
    const complete = events.filter((event) => event.ph === "X" && endOf(event) > nanoseconds(event.ts));
    for (const event of complete.sort((a, b) => Number(endOf(a) - endOf(b)))) {
      const begin = nanoseconds(event.ts), end = endOf(event);
      const around = aroundBehindEndless(events, endless, found, begin, end);
      if (!around && !isFraction(event)) continue;
      const inside = endless.filter(({ts}) => begin <= nanoseconds(ts) && nanoseconds(ts) < end);
      if (!inside.length) continue;
      for (const other of around ? [] : inside) {
        const isLike = nameOf(other) === nameOf(event) && (!event.cat || other.cat === event.cat);
        if (!isLike || closed.has(other)) continue;
        closed.add(other);
        const {name, cat, pid, tid} = other;
        ends.push({ph: "E", name: nameOf({name}), cat, pid, tid, ts: micros(end)});
      }
      const {dur, tdur, ...rest} = event;
      const last = {ph: "E", name: nameOf(event), cat: event.cat, pid: event.pid, tid: event.tid, ts: micros(end)};
      if (tdur !== undefined && event.tts !== undefined)
        last.tts = micros(nanoseconds(event.tts) + nanoseconds(tdur));
      for (const key of Object.keys(event)) delete event[key];
      Object.assign(event, rest, {ph: "B"});
      ends.push(last);
      if (around) behind.set(event, around);
      else split.add(event);
    }
  }
  const events = beforeBegins(eventsOf(trace), split).filter((event) => !behind.has(event));
  for (const [event, begin] of behind) events.splice(events.indexOf(begin) + 1, 0, event);
  trace.traceEvents = [...ends, ...events];
}

// Of B that begin at `from`, behind one of that time that never ends, and end later than `to`: the last.
function aroundBehindEndless(events, endless, found, from, to) {
  const first = endless.find(({ts}) => nanoseconds(ts) === from);
  const around = found.filter(
      ([begin, end]) => first && nanoseconds(begin.ts) === from && to < nanoseconds(end.ts) &&
          events.indexOf(first) < events.indexOf(begin));
  return around.map(([begin]) => begin).sort((a, b) => events.indexOf(a) - events.indexOf(b)).at(-1);
}

// The events with those of `first` in front of what else begins at their time on their thread, as a complete slice is
// to the importer.
function beforeBegins(events, first) {
  const key = (event) => `${event.pid}/${event.tid} ${nanoseconds(event.ts)}`, moved = new Map();
  for (const ofOneTime of group([...first], key)) moved.set(key(ofOneTime[0]), ofOneTime);
  return events.flatMap((event) => {
    if (event.ph !== "B") return [event];
    const own = moved.get(key(event)) ?? [];
    moved.delete(key(event));
    return [...own, ...(first.has(event) ? [] : [event])];
  });
}

// Whether a complete slice of the thread ends within one that a B and an E make, or begins with one that is longer.
function overlap(events, found) {
  const spans = found.map(([begin, end]) => [nanoseconds(begin.ts), nanoseconds(end.ts)]);
  for (const event of events)
    if (event.ph === "X" && nanoseconds(event.dur) !== null)
      spans.push([nanoseconds(event.ts), nanoseconds(event.ts) + nanoseconds(event.dur)]);
  spans.sort((a, b) => (a[0] !== b[0] ? (a[0] < b[0] ? -1 : 1) : a[1] > b[1] ? -1 : 1));
  const open = [];
  for (const [start, end] of spans) {
    if (spans.some(([other, last]) => other === start && last < end)) return true;  // it takes an X before a B
    while (open.length && open.at(-1) <= start) open.pop();
    if (open.length && end > open.at(-1)) return true;
    open.push(end);
  }
  return false;
}

// Whether an event is within a pair, and no other pair that it is within begins later.
function isInnermost(event, pair, pairs) {
  const at = nanoseconds(event.ts);
  return pairs.findLast(
             ([begin, end]) => nanoseconds(begin.ts) <= at && at < nanoseconds(end.ts) &&
                 pairs.every(
                     ([other, last]) => nanoseconds(other.ts) <= nanoseconds(begin.ts) || nanoseconds(other.ts) > at ||
                         nanoseconds(last.ts) <= at)) === pair;
}

export function asyncIds(trace) {
  let free = 0;
  const isAsync = (event) => "bne".includes(event.ph) && (event.id !== undefined || event.id2);
  const key = (event) =>
      JSON.stringify([event.cat, event.scope, event.id ?? event.id2, event.id2?.local !== undefined ? event.pid : 0]);
  for (const events of group(eventsOf(trace).filter(isAsync), key)) {
    if (events.some((event) => event.scope !== undefined))
      for (const event of events) event.id = `proof scope ${event.scope} ${idValue(event.id)}`;
    const {found, needs_matching} = pairs(events, "b", "e");
    if (!needs_matching) continue;
    for (const pair of found) {
      const own = `proof ${free++}`,
            inside = events.filter((event) => event.ph === "n" && isInnermost(event, pair, found));
      for (const event of [...pair, ...inside]) {
        delete event.id2;
        event.id = own;
      }
    }
  }
}

// ---- flows

// Flow events that end or go on with a flow that never began, or began where its thread had no slice yet: the importer
// joins them to the first slice of the trace.
export function withoutUnbegunFlows(trace) {
  const key = (event) => JSON.stringify([event.cat ?? "", event.name ?? "", idValue(event.id)]), begun = new Map();
  const thread = (event) => `${event.pid}/${event.tid}`, firstSlice = new Map();
  for (const event of inOrder(eventsOf(trace)).reverse())
    if ("BX".includes(event.ph)) firstSlice.set(thread(event), nanoseconds(event.ts) ?? 0n);
  for (const event of eventsOf(trace).filter((event) => event.ph === "s")) {
    const at = nanoseconds(event.ts) ?? 0n, first = begun.get(key(event));
    if (!(firstSlice.get(thread(event)) <= at)) continue;
    if (first === undefined || at < first) begun.set(key(event), at);
  }
  const isBegun = (event) => begun.has(key(event)) && begun.get(key(event)) <= (nanoseconds(event.ts) ?? 0n);
  trace.traceEvents = eventsOf(trace).filter((event) => !["t", "f"].includes(event.ph) || isBegun(event));
}

// ---- what is left ---------------------------------------------------------------------------------------------------

// Times from the first one on, in whole nanoseconds.
export function shiftTimes(trace) {
  const times = eventsOf(trace)
                    .map((event) => (event.ph === "M" ? null : nanoseconds(event.ts)))
                    .filter((ns) => ns !== null && ns >= 0n);
  const first = times.reduce((a, b) => (b < a ? b : a), times[0] ?? 0n);
  for (const event of eventsOf(trace).filter((event) => event.ph !== "M"))
    for (const [name, base] of [["ts", first], ["dur", 0n], ["tts", 0n], ["tdur", 0n]])
      if (event[name] !== undefined && nanoseconds(event[name]) !== null)
        event[name] = micros(nanoseconds(event[name]) - base);
  return first;
}

function plainNames(value) {
  if (isExact(value) && /[.eE]/.test(value)) return EXACT + Number(Number(value.slice(1)).toPrecision(15));
  if (!value || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(plainNames);
  return Object.fromEntries(Object.entries(value).map(
      ([key, member]) => [/^[^[]*\[0\]$/.test(key) ? key : key.replace(/[[\]]/g, "_"), plainNames(member)]));
}

export function plainIds(trace) {
  for (const event of eventsOf(trace)) {
    if (event.args && typeof event.args === "object") event.args = plainNames(event.args);
    for (const name of ["id", "bind_id"])
      if (typeof event[name] === "number") event[name] = `0x${event[name].toString(16)}`;
  }
}

// Says the trace in plain words; { ids, shift }: what became of ids, and by how much times moved.
export function sayPlainly(trace, words) {
  const ids = new Ids();
  for (const event of eventsOf(trace)) ids.apply(event);
  trace.traceEvents.unshift(...ids.names);
  withoutIdleFractions(trace);
  withoutUnmeasured(trace);
  splitAroundEndless(trace);
  if (words.slices !== "none") withoutIdleEnds(trace);
  if (words.slices !== "none") completeSlices(trace, words.slices);
  if (words.async) asyncIds(trace);
  plainIds(trace);
  withoutUnbegunFlows(trace);
  return { ids, shift: shiftTimes(trace) };
}
