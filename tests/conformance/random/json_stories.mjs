// SPDX-License-Identifier: Apache-2.0
//
// What happens in random JSON traces: each story returns events, as {at, order, members}, of the case `of`
// ({slot, threads}). `order` is the place in the file.
import {OpenSlices} from "../open_slices.mjs";
import {Digits, Members} from "./json_text.mjs";
import * as make from "./json_values.mjs";

const LENGTH = 400;  // microseconds in which all of a case happens

// A thread of the case: where slices of several stories overlap only in mixed cases, each story has its own.
const threadOf = (random, of, story, i = 0) => (of.mixed ? random.of(of.threads) : of.own(story, i));

// A thread of the case or, where nothing nests, one of which the file does not say all.
const looseThread = (random, of) => random.of(of.bare && random.true(0.4) ? of.nameless : of.threads);

const on = ({pid, tid}) => [...(pid === undefined ? [] : [["pid", pid]]), ...(tid === undefined ? [] : [["tid", tid]])];

function event(random, ph, at, thread, more = []) {
  const list = [["ph", ph], ["ts", null], ...on(thread), ...more];
  return {at, list: random.true(0.3) ? [...list.slice(1), list[0]] : list};
}

function described(random, share = 0.5) {
  const more = random.true(0.97) ? [["name", make.name(random)]] : [];
  if (random.true(0.5)) more.push(["cat", make.category(random)]);
  if (random.true(share)) more.push(["args", make.args(random)]);
  if (random.true(0.08)) more.push(["cname", "good"]);
  if (random.true(0.05)) more.push(["own", make.value(random)]);
  return more;
}

const threadTimes = (random, times) => times.map(([key, ns]) => [key, make.micros(random, ns)]);

// Slices of one thread that nest, as X or B and E, some never ended.
function nested(random, of) {
  const thread = threadOf(random, of, "nested"), events = [], timed = random.true(0.2);
  let endless = false;
  const fill = (from, to, depth) => {
    for (let n = 1 + random.below(3), at = from; n > 0 && at < to && events.length < 24; n--) {
      const begin = make.timeIn(random, at, to), idle = timed && random.true(0.3);
      let end = begin + random.below(Math.max(1, to * 1000 - begin));
      if (idle) end -= (end - begin) % 1000;  // the importer of protobuf has it of no other
      if (end > to * 1000) break;
      const times = timed ? [["tts", begin + 5000]] : [];
      if (random.true(0.5)) {
        const more = random.true(0.95) ? [["dur", make.micros(random, end - begin)]] : [];
        if (timed && more.length) times.push(["tdur", idle ? 0 : Math.floor((end - begin) / 2)]);
        events.push(event(random, "X", begin, thread, [...described(random), ...more, ...threadTimes(random, times)]));
        if (depth < 3 && end - begin > 3000) fill(Math.ceil(begin / 1000), Math.floor(end / 1000), depth + 1);
      } else {
        const what = described(random);
        const open = random.true(0.06);
        endless ||= open;
        events.push(event(random, "B", begin, thread, [...what, ...threadTimes(random, times)]));
        const together = random.true(0.5) ? 0 : 1;
        if (depth < 3 && end - begin > 3000)
          fill(Math.ceil(begin / 1000) + together, Math.floor(end / 1000), depth + 1);
        const time = idle ? begin + 5000 : timed && end > begin ? end + 4000 : null;
        if (!open) events.push(event(random, "E", end, thread, ending(random, what, time)));
      }
      at = Math.floor(end / 1000) + 1;
    }
  };
  fill(1, LENGTH, 0);
  // The importer ends a B that never ends with an X around it, as further events come, and takes an X before a B of its
  // time; asked in plain words, it ends such a B otherwise.
  of.unplaced ||= endless && events.some(({list}) => list.some(([key, value]) => key === "ph" && value === "X"));
  return events;
}

function ending(random, begun, time) {
  const more = random.true(0.5) ? begun.filter(([key]) => key === "name" || key === "cat") : [];
  if (random.true(0.2) &&
      (!begun.some(([key]) => key === "args") || random.true(0.5)))
    more.push(["args", make.args(random)]);
  return [...more, ...(time === null ? [] : threadTimes(random, [["tts", time]]))];
}

// Whether a slice begins in one that ends, and does not end itself: the importer then ends it with that one, and what
// is in it, too, or not, as further events come.
function endlessInEnded(events) {
  const open = new OpenSlices(), ended = [];
  for (const event of [...events].sort((a, b) => a.at - b.at)) {
    const get = (key) => event.list.find(([name]) => name === key)?.[1];
    if (get("ph") === "B") open.push({at: event.at}, {name: get("name"), cat: get("cat")});
    const slice = get("ph") === "E" ? open.take({name: get("name"), cat: get("cat")}) : undefined;
    if (slice) ended.push({...slice, end: event.at});
  }
  return open.left().some(({at}) => ended.some((slice) => slice.at <= at && at < slice.end));
}

// Begins and ends in no order that makes sense. No end is at the time of a begin: the importer takes it first, and what
// it ends then depends on the order of the file.
function wild(random, of) {
  const thread = threadOf(random, of, "wild");
  const events = Array.from({length: 3 + random.below(6)}, (_, i) => {
    const ph = random.of(["B", "E", "B", "i"]), at = make.timeIn(random, 1, 20);
    const name = random.true(0.5) ? random.of(["p", "q"]) : `p ${i}`;
    const more = ph === "E" && random.true(0.5) ? [] : [["name", name]];
    return event(random, ph, at + (ph === "E" ? 250 : 0), thread, more);
  });
  of.unplaced ||= endlessInEnded(events);
  return events;
}

function asyncSlices(random, of) {
  const id = make.id(random, of.slot), thread = looseThread(random, of), cat = ["cat", random.of(["async", "net"])];
  const letters = random.true(0.25) ? ["S", "T", "F"] : ["b", "n", "e"], events = [];
  for (let n = 1 + random.below(3), at = 1; n > 0; n--) {
    const begin = make.timeIn(random, at, LENGTH), end = make.timeIn(random, Math.floor(begin / 1000) + 1, LENGTH + 50);
    const name = ["name", make.name(random)], args = () => (random.true(0.3) ? [["args", make.args(random)]] : []);
    events.push(event(random, letters[0], begin, thread, [name, cat, ...id, ...args()]));
    if (random.true(0.4)) {
      const inside = begin + random.below(Math.max(1, end - begin));
      const step = letters[1] === "T" ? [["args", new Members([["step", "half"]])]] : args();
      events.push(event(random, letters[1], inside, thread, [name, cat, ...id, ...step]));
    }
    if (random.true(0.9)) events.push(event(random, letters[2], end, random.of(of.threads), [name, cat, ...id]));
    if (!of.mixed && end >= (LENGTH - 1) * 1000) break;
    at = !of.mixed || random.true(0.7) ? Math.min(LENGTH - 1, Math.floor(end / 1000) + 1) : at;
  }
  return events;
}

function instants(random, of) {
  return Array.from({length: 1 + random.below(4)}, () => {
    const thread = looseThread(random, of), more = described(random);
    const scope = random.of([undefined, "t", "p", "g"]);
    if (scope) more.push(["s", scope]);
    if (scope === "g" ? random.true(0.1) : random.true(0.05))
      more.push(...make.id(random, of.slot));
    return event(random, random.of(["i", "I", "i", "R"]), make.timeIn(random, 1, LENGTH), thread, more);
  });
}

function counters(random, of) {
  const name = random.of(["memory", "free pages", "n"]), keys = random.of([["used"], ["used", "rest"], ["a b", "c"]]);
  const id = random.true(0.2) ? [["id", `${of.slot}c`]] : [];
  const thread = looseThread(random, of);
  return Array.from({length: 1 + random.below(5)}, (_, i) => {
    const values = keys.filter(() => random.true(0.9)).map((key) => [key, random.of([i, -5, 1e6, new Digits("2.5")])]);
    const more = [["name", name], ["args", new Members(values)], ...id];
    const at = random.true(0.3) ? 50000 : (10 + i * 20 + random.below(9)) * 1000;
    return event(random, "C", at, thread, more);
  });
}

function objects(random, of) {
  const thread = looseThread(random, of), id = ["id", `0x${(of.slot * 16 + 9).toString(16)}`], name = ["name", "Tree"];
  const snapshot = ["args", new Members([["snapshot", make.args(random)]])];
  const events = [["N", 10, []], ["O", 20, [snapshot]], ["O", 30, [snapshot]], ["D", 40, []]];
  return events.filter(() => random.true(0.8)).map(([ph, at, more]) => event(random, ph, at * 1000, thread, [
                                                     name, ["cat", "o"], id, ...more
                                                   ]));
}

// Flow events over slices of several threads.
function flows(random, of) {
  const id = of.slot * 16 + 12 + random.below(3), events = [], what = [["name", "flow"], ["cat", "f"]];
  const twice = random.wants("flow that ends twice", 0.3);
  const shape = random.of(twice ? [["s", "f", "f"], ["f"], ["t", "f"]] : [["s", "f"], ["s", "t", "f"]]);
  let at = 10;
  for (const ph of shape) {
    const thread = threadOf(random, of, "flows", random.below(2)), begin = at + 1 + random.below(20);
    if (random.true(0.9))
      events.push(event(
          random, "X", begin * 1000, thread,
          [["name", make.name(random)], ["dur", make.micros(random, (6 + random.below(20)) * 1000)]]));
    const more =
        ph !== "s" && random.true(0.6) && (ph === "f" || random.true(0.5)) ? [["bp", "e"]] : [];
    if (random.true(0.2)) more.push(["args", make.args(random)]);
    events.push(event(
        random, ph, (begin + random.below(5)) * 1000, thread,
        [...what, ["id", random.true(0.8) ? id : `0x${id.toString(16)}`], ...more]));
    at = begin + 30;
  }
  return events;
}

function bound(random, of) {
  if (!random.wants("bind_id", 1)) return [];
  const id = `0x${(of.slot * 16 + 15).toString(16)}`, thread = () => threadOf(random, of, "bound", random.below(2));
  return ["flow_out", "flow_in", "flow_in"]
      .slice(0, 2 + random.below(2))
      .map((flag, i) => event(random, "X", (20 + 40 * i + random.below(9)) * 1000, thread(), [
             ["name", make.name(random)], ["bind_id", id], [flag, true],
             ["dur", make.micros(random, (1 + random.below(25)) * 1000)]
           ]));
}

const dump = (random) => new Members([
  ["process_totals", new Members([["resident_set_bytes", random.of(["1f000", "0"])]])],
  [
    "allocators",
    new Members([["malloc", new Members([
                    ["guid", "1a"], ["attrs", new Members([["size", new Members([
                                                               ["type", "scalar"], ["units", "bytes"], ["value", "20"]
                                                             ])]])]
                  ])]])
  ]
]);

// Ends of what began before the trace did.
function orphans(random, of) {
  const thread = of.own("orphans", 0), cat = ["cat", "orphan"], id = ["id", `0x${(of.slot * 16 + 11).toString(16)}`];
  const around = random.true(0.4) ? [event(random, "X", 500, thread, [["name", "around"], ["dur", 90]])] : [];
  const ends = Array.from({length: 1 + random.below(3)}, (_, i) => {
    const [ph, more] = random.of([["E", []], ["E", [["name", "gone"]]], ["e", [["name", "gone"], cat, id]]]);
    return event(
        random, ph, make.timeIn(random, 1 + 9 * i, 9 * i + 8), thread,
        [...more, ...(random.true(0.4) ? [["args", make.args(random)]] : [])]);
  });
  return [...around, ...ends];
}

// Callstacks: frames of the case, samples and events that refer to them.
function callstacks(random, of) {
  const thread = of.own("callstacks", 0), frame = (i) => `${of.slot}f${i}`, events = [];
  const parent = (i) => (i && random.true(0.8) ? [["parent", frame(random.below(i))]] : []);
  of.frames = Array.from(
      {length: 1 + random.below(4)},
      (_, i) => [frame(i), new Members([["name", make.name(random)], ["category", "lib"], ...parent(i)])]);
  const reference = () => random.of(of.frames)[0];
  of.samples = Array.from({length: random.below(4)}, (_, i) => ({
                                                       at: (10 + 20 * i) * 1000,
                                                       list: [
                                                         ["cpu", i], ["tid", thread.tid], ["ts", null],
                                                         ["name", "cycles"], ["sf", reference()], ["weight", 1 + i]
                                                       ]
                                                     }));
  const stack = () => random.of([["sf", reference()], ["stack", ["main", make.name(random)]]]);
  if (random.true(0.7)) events.push(event(random, "i", 5000, thread, [["name", "where"], stack()]));
  if (random.true(0.7)) {
    events.push(event(random, "B", 20000, thread, [["name", "called"], stack()]));
    events.push(event(random, "E", 30000, thread, random.true(0.5) ? [stack()] : []));
  }
  if (random.true(0.5))
    events.push(event(random, "X", 40000, thread, [["name", "whole"], ["dur", 7], stack(), ["esf", reference()]]));
  return events;
}

// A CPU profile of V8: one thread says when it began, another what was sampled, each sample so much later than the one
// before it. All of that in one event: the importer adds up in the order of the file.
function profiles(random, of) {
  const about = [["cat", "v8"], ["id", `0x${(of.slot * 16 + 13).toString(16)}`]], start = 1 + random.below(200);
  const data = (list) => ["args", new Members([["data", new Members(list)]])];
  const nodes = Array.from({length: 1 + random.below(4)}, (_, i) => new Members([
    ["id", i + 1], ...(i ? [["parent", 1 + random.below(i)]] : []),
    ["callFrame", new Members([["functionName", make.name(random)], ["url", "a.js"], ["lineNumber", i]])]
  ]));
  const samples = Array.from({length: random.below(6)}, () => 1 + random.below(nodes.length));
  const later = samples.map(() => random.below(30));
  return [
    event(random, "P", start * 1000, of.own("profiles", 0),
          [["name", "Profile"], ...about, data([["startTime", (of.slot + 1) * 1000 + start]])]),
    event(random, "P", (start + 150) * 1000, of.own("profiles", 1), [
      ["name", "ProfileChunk"], ...about,
      data([["cpuProfile", new Members([["nodes", nodes], ["samples", samples]])], ["timeDeltas", later]])
    ])
  ].filter((_, i) => i || random.true(0.95));
}

function oddities(random, of) {
  const thread = looseThread(random, of), at = make.timeIn(random, 1, LENGTH),
        id = ["id", `0x${(of.slot + 1).toString(16)}`];
  const kinds = {
    R: () => [["name", "mark"], ["cat", "blink.user_timing"]],
    P: () => [["name", "sample"], ["stack", ["main", "f"]]],
    c: () => [["name", "clock_sync"], ["args", new Members([["sync_id", `s${of.slot}`], ["issue_ts", 12]])]],
    "=": () => [["name", "link"], id, ["args", new Members([["linked_id", "0x5"]])]],
    "(": () => [["name", "context"], id],
    ")": () => [["name", "context"], id],
    q: () => [["name", "unknown"], ["args", make.args(random)]],
    T: () => [["name", "Running"], ["dur", new Digits("3.5")], ["args", new Members([["cpu", 1]])]],
    v: () => [["name", "periodic_interval"], id, ["args", new Members([["dumps", dump(random)]])]],
    V: () => [["name", "periodic_interval"], id, ["args", new Members([["dumps", make.args(random)]])]],
  };
  const ph = random.of(Object.keys(kinds));
  return [event(random, ph, at, thread, kinds[ph]())];
}

function metadata(random, of) {
  const thread = random.of(of.threads), {pid} = thread, events = [];
  const again = random.true(0.15);  // of names with times the importer takes the last by time
  const say = (name, args, tid) => {
    const at = random.true(0.5) ? null : make.timeIn(random, 1, LENGTH);
    const ts = random.true(0.2) && !again ? [["ts", null]] : [];
    events.push({at, list: [["ph", "M"], ["name", name], ...ts, ...on({pid, tid}), ["args", new Members(args)]]});
  };
  const further = random.true(0.2) ? [["uptime", 5]] : [];
  const empty = random.true(0.1);
  if (random.true(0.6)) say("process_name", [["name", `proc ${of.slot}`], ...further]);
  if (random.true(0.6)) say("thread_name", [["name", empty ? "" : `thread ${of.slot}`]], thread.tid);
  if (again) say("thread_name", [["name", `thread ${of.slot} again`]], thread.tid);
  if (random.true(0.2)) say("process_labels", [["labels", "a,b"]]);
  if (random.true(0.2)) say("process_sort_index", [["sort_index", -5]]);
  if (random.true(0.2)) say("thread_sort_index", [["sort_index", 3]], thread.tid);
  if (random.true(0.1)) say("num_cpus", [["number", 8]]);
  return events;
}

function torn(random, of) {
  const events = [];
  if (random.true(0.5))
    events.push({at: null, list: [["ph", "i"], ["name", "no time"], ...on(random.of(of.threads))]});
  if (random.true(0.3)) events.push(event(random, random.of(["b", "C", "s", "N"]), 3000, looseThread(random, of), []));
  if (random.fxt && random.true(0.3)) {
    const before = make.timeIn(random, 1, 9);  // before the clock's zero
    events.push({
      at: null,
      list: [["ph", "i"], ["name", "early"], ["ts", new Digits(`-${before / 1000}`)], ...on(of.threads[0]), ["s", "t"]]
    });
  }
  return events;
}

export const STORIES = {
  nested,
  wild,
  asyncSlices,
  instants,
  counters,
  objects,
  flows,
  bound,
  oddities,
  metadata,
  orphans,
  callstacks,
  profiles,
  torn
};
