// SPDX-License-Identifier: Apache-2.0
//
// across.mjs PROGRAM: a trace and its conversion into another format are equal, also where formats say one thing in
// different ways; the same conversion and a trace that truly says something else are not, and `diff` says what differs.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { execFileSync, spawnSync } from "node:child_process";

const program = path.resolve(process.argv[2]);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "across-"));
const json = (...events) => ({ end: "json", text: JSON.stringify({ traceEvents: events }) });
const packets = (...list) => ({ end: "txt", text: list.map((packet) => `packet { ${packet} }`).join("\n") });
const lines = (...list) => ({ end: "systrace", text: ["# tracer: nop", "#", ...list, ""].join("\n") });
const at = { pid: 7, tid: 8, cat: "c" };
const slice = { ...at, ph: "X", name: "work", ts: 900, dur: 5 };

// ---- what is one, in two formats ------------------------------------------------------------------------------------

const sequence = "trusted_packet_sequence_id: 1", start = `${sequence} sequence_flags: 1`;
const onTrack = (name) => packets(
  `${start} track_descriptor { uuid: 5 process { pid: 7 } }`,
  `${sequence} track_descriptor { uuid: 6 parent_uuid: 5 name: "row" }`,
  `${sequence} track_descriptor { uuid: 9 parent_uuid: 5 }`,
  `timestamp: 10 ${sequence} track_event { type: TYPE_SLICE_BEGIN track_uuid: 6 name: "${name}" }`,
  `timestamp: 20 ${sequence} track_event { type: TYPE_SLICE_END track_uuid: 6 }`,
  `timestamp: 30 ${sequence} track_event { type: TYPE_SLICE_BEGIN track_uuid: 9 name: "other" }`,
  `timestamp: 40 ${sequence} track_event { type: TYPE_SLICE_END track_uuid: 9 }`);
const onProcess = (name) => packets(
  `${start} track_descriptor { uuid: 5 process { pid: 7 } }`,
  `timestamp: 10 ${sequence} track_event { type: TYPE_SLICE_BEGIN track_uuid: 5 name: "${name}" }`,
  `timestamp: 20 ${sequence} track_event { type: TYPE_SLICE_END track_uuid: 5 }`,
  `timestamp: 30 ${sequence} track_event { type: TYPE_INSTANT track_uuid: 5 name: "here" }`);
const ofNoProcess = (value) => packets(
  `${start} track_descriptor { uuid: 5 name: "load" counter { } }`,
  `timestamp: 10 ${sequence} track_event { type: TYPE_COUNTER track_uuid: 5 counter_value: ${value} }`);
const ofThread = (...events) => packets(
  `${start} track_descriptor { uuid: 5 process { pid: 7 } }`,
  `${sequence} track_descriptor { uuid: 6 parent_uuid: 5 thread { pid: 7 tid: 8 } }`,
  ...events.map((event) => `${sequence} timestamp: ${event.replace("{", "{ track_uuid: 6")}`));
const saidTwice = (value) => ofThread(
  '10 track_event { type: TYPE_SLICE_BEGIN name: "a" debug_annotations { name: "x" int_value: 1 } }',
  `20 track_event { type: TYPE_SLICE_END debug_annotations { name: "x" int_value: 1 }
     debug_annotations { name: "y" int_value: ${value} } }`);
const logged = (level) => ofThread(
  `10 track_event { type: TYPE_INSTANT name: "a" log_message { prio: PRIO_${level} body_iid: 1 } }
     interned_data { log_message_body { iid: 1 body: "text" } }`);
const heapOf = (pid) => packets(
  `timestamp: 10 profile_packet { process_dumps { pid: ${pid} heap_name: "malloc" samples { self_allocated: 5 } } }`);
const placedLate = (tgid) => packets( // behind more events than a reader reads before they are written
  ...Array.from({ length: 4000 }, (_, i) => `${start} ftrace_events { cpu: 1 event { timestamp: ${10 + i} pid: 31
     sched_waking { comm: "app" pid: 31 prio: 120 target_cpu: 1 } } }`),
  `timestamp: 9000 process_tree { processes { pid: ${tgid} ppid: 1 cmdline: "of" }
     threads { tid: 31 tgid: ${tgid} } }`);
const otherPacket = (id) => packets(`timestamp: 10 104 { 1: ${id} }`);
const async = { ...at, id: 1 };
const nested = (name) => json({ ...async, ph: "b", name: "outer", ts: 1 }, { ...async, ph: "e", name: "outer", ts: 9 },
                              { ...async, ph: "b", name, ts: 20 }, { ...async, ph: "e", name, ts: 29 });
const shared = (pid) => json({ ...async, ph: "b", name: "first", ts: 1 },
                             { ...async, pid, ph: "b", name: "of", ts: 2 },
                             { ...async, pid, ph: "e", name: "of", ts: 3 },
                             { ...async, ph: "e", name: "first", ts: 4 });
const old = { ...at, id: 2, name: "old" };
const steps = (step) => json({ ...old, ph: "S", ts: 1 }, { ...old, ph: "F", ts: 9 },
                             { ...old, ph: "T", ts: 5, args: { step } });
const object = (end) => json({ ...at, ph: "N", id: "0x1", name: "Node", ts: 1, args: {} },
                             { ...at, ph: "O", id: "0x1", name: "Node", ts: 5, args: { snapshot: { n: 1 } } },
                             { ...at, ph: "D", id: "0x1", name: "Node", ts: end, args: {} });
const dump = (ts) => json(slice, { ...at, ph: "v", id: "0x1", name: "periodic", ts, args: { dumps: {} } });
const overlapping = (name) => json({ ...slice, name, ts: 902 }, slice);
const textIds = (name) => json({ ...slice, name, pid: "Spans", tid: "Profiler" });
const lateEnd = (name) => json({ ...at, ph: "E", name: "gone", ts: 1 }, { ...slice, name });
const counters = (value, series) => json({ ...at, ph: "C", name: "heap", ts: 1, args: { [series]: value } },
                                         { ...at, ph: "C", name: "heap", id: 3, ts: 2, args: { used: 5 } });
const withoutEnd = (name) => json({ ...at, ph: "X", name, ts: 9 }, { ...at, ph: "X", id: 1, name: "b", ts: 9 },
                                  { ...at, ph: "X", name: "c", ts: 9, dur: -2 });
const argsAtEnd = (value) => json({ ...at, ph: "B", name: "work", ts: 1, args: { x: 1 } },
                                  { ...at, ph: "E", name: "work", ts: 9, args: { y: value } });
const counterIds = (id) => json({ ...at, ph: "C", name: "heap", id: 0, ts: 1, args: { value: 5 } },
                                { ...at, ph: "C", name: "heap", id, ts: 2, args: { used: 5 } },
                                { ...at, ph: "C", name: "heap", id: "here", ts: 3, args: { used: 5 } });
const profile = (name) => json({ ...at, ph: "P", id: 1, name, ts: 1, args: { data: 1 } });
const endsOutOfOrder = (ts) => json({ ...at, ph: "B", name: "all", ts: 0 }, { ...at, ph: "B", name: "outer", ts: 1 },
                                    { ...at, ph: "B", name: "inner", ts: 2 }, { ...at, ph: "E", name: "outer", ts: 5 },
                                    { ...at, ph: "E", name: "inner", ts }, { ...at, ph: "E", name: "all", ts: 9 });
const flowTo = (end, ...slices) => json({ ...slice, ts: 1 }, { ...at, ph: "s", name: "go", id: 9, ts: 2 },
                                        { ...at, tid: 9, ph: "f", name: "go", id: 9, ts: 20, ...end },
                                        ...slices.map((event) => ({ ...at, tid: 9, ts: 20, name: "to", ...event })));
const complete = { ph: "X", dur: 5 }, halves = [{ ph: "B" }, { ph: "E", ts: 25 }];
const enclosing = { bp: "e" };
const idle = "swapper/0", processor = "(-----) [000] ....";
const switched = (from, [tid, state], to, next) =>
  `sched_switch: prev_comm=${from} prev_pid=${tid} prev_prio=120 prev_state=${state} ==>` +
  ` next_comm=${to} next_pid=${next} next_prio=120`;
const kernel = (name, kind) => lines(
  `idle-0 ${processor} 1.000000: ${switched(idle, [0, "R"], name, 31)}`,
  `app-31 ${processor} 1.000100: ${kind}: state=1800000 cpu_id=0`,
  `app-31 ${processor} 1.000200: tracing_mark_write: B|30|draw`,
  `app-31 ${processor} 1.000300: tracing_mark_write: E|30`,
  `app-31 ${processor} 1.000400: ${switched(name, [31, "S"], idle, 0)}`);
const switches = (tid) => {
  const { end, text } = kernel("app", "cpu_frequency");
  return { end, text: text.replaceAll("-31 ", `-${tid} `).replaceAll("pid=31 ", `pid=${tid} `) };
};

const two = (first, second) => json({ ...async, ph: "b", name: "load", ts: 0 },
                                    { ...async, id: 2, ph: "b", name: "load", ts: 5 },
                                    { ...async, ph: "e", name: "load", ts: first },
                                    { ...async, id: 2, ph: "e", name: "load", ts: second });
const atOnce = (outer, inner) => json({ ...slice, name: "outer", dur: 9, args: { a: outer } },
                                      { ...slice, name: "inner", args: { a: inner } });
const flowFrom = (tid) => json(slice, { ...slice, tid: 9 }, { ...slice, tid: 10, ts: 950 },
                               { ...at, tid, ph: "s", name: "go", id: 9, ts: 902 },
                               { ...at, tid: 10, ph: "f", bp: "e", name: "go", id: 9, ts: 951 });
const profiled = (frame, weight, sf = 2) => ({ end: "json", text: JSON.stringify({
  traceEvents: [{ ...slice, sf, tts: 5, tdur: 3 }],
  stackFrames: { 1: { name: "main" }, 2: { name: frame, parent: 1 } },
  samples: [{ cpu: 0, tid: 8, ts: 2, name: "cycles", sf: 2, weight }] }) });
const spent = (tdur) => json({ ...slice, tts: 5, tdur });
const labelled = (labels) => json(slice, { ...at, ph: "M", name: "process_labels", args: { labels } });
const says = (value) => json({ ...slice, args: { value } });
const snapshot = (n) => json({ ...at, ph: "O", id: "0x1", name: "Node", ts: 5, args: { snapshot: { n } } });
const onProcessor = (cpu) => {
  const { end, text } = kernel("app", "cpu_frequency");
  return { end, text: text.replaceAll("[000]", `[00${cpu}]`) };
};

const withoutId = (ts) => json({ ...at, ph: "S", name: "alone", ts }, { ...at, ph: "F", name: "alone", ts: 50 },
                               { ...at, ph: "n", name: "alone", ts: 60 });

const CASES = [ // [what, to, the trace, one that says something else, tables that differ then]
  ["when async slices end", "pftrace", two(10, 20), two(20, 10), ["ends"]],
  ["arguments of slices that begin at one time", "pftrace", atOnce(1, 2), atOnce(2, 1), ["args"]],
  ["the thread that a flow comes from", "pftrace", flowFrom(8), flowFrom(9), ["flows"]],
  ["a frame", "pftrace", profiled("draw", 1), profiled("paint", 1), ["args", "events"]],
  ["a stack", "pftrace", profiled("draw", 1), profiled("draw", 1, 1), ["args"]],
  ["a sample's weight", "pftrace", profiled("draw", 1), profiled("draw", 2), ["events"]],
  ["thread time", "pftrace", spent(3), spent(4), ["args"]],
  ["labels", "pftrace", labelled("a"), labelled("b"), ["processes"]],
  ["a number and its text", "pftrace", says(1), says("1"), ["args"]],
  ["a bool and its text", "pftrace", says(true), says("true"), ["args"]],
  ["null and its text", "pftrace", says(null), says("null"), ["args"]],
  ["numbers past 64 bits", "pftrace", says(1e300), says("1e300"), ["args"]],
  ["async events without an id", "pftrace", withoutId(1), withoutId(2), ["events"]],
  ["async events without an id", "fxt", withoutId(1), withoutId(2), ["events"]],
  ["a snapshot", "pftrace", snapshot(1), snapshot(2), ["args"]],
  ["when async slices end", "fxt", two(10, 20), two(20, 10), ["ends"]],
  ["arguments of slices that begin at one time", "fxt", atOnce(1, 2), atOnce(2, 1), ["args"]],
  ["the thread that a flow comes from", "fxt", flowFrom(8), flowFrom(9), ["flows"]],
  ["a frame", "fxt", profiled("draw", 1), profiled("paint", 1), ["args", "events"]],
  ["a stack", "fxt", profiled("draw", 1), profiled("draw", 1, 1), ["args"]],
  ["a sample's weight", "fxt", profiled("draw", 1), profiled("draw", 2), ["events"]],
  ["thread time", "fxt", spent(3), spent(4), ["args"]],
  ["labels", "fxt", labelled("a"), labelled("b"), ["processes"]],
  ["a number and its text", "fxt", says(1), says("1"), ["args"]],
  ["a bool and its text", "fxt", says(true), says("true"), ["args"]],
  ["null and its text", "fxt", says(null), says("null"), ["args"]],
  ["numbers past 64 bits", "fxt", says(1e300), says("1e300"), ["args"]],
  ["a snapshot", "fxt", snapshot(1), snapshot(2), ["args"]],
  ["the CPU of a thread", "fxt", kernel("app", "cpu_frequency"), onProcessor(3), ["events", "args"]],
  ["async slices of one id and two names", "pftrace", nested("inner"), nested("renamed"), ["slices", "ends"]],
  ["async slices of one id, of another process", "pftrace", nested("inner"),
    json(...JSON.parse(nested("inner").text).traceEvents.map((event) => ({ ...event, pid: 9 }))), ["slices", "ends"]],
  ["an id that two processes share", "pftrace", shared(9), shared(10), ["slices", "ends"]],
  ["old async steps", "pftrace", steps("a"), steps("b"), ["args"]],
  ["the life of an object", "pftrace", object(9), object(8), ["events"]],
  ["a track for what Perfetto has no form for", "pftrace", dump(1), dump(2), ["events", "args"]],
  ["an end that ends nothing", "pftrace", lateEnd("work"), lateEnd("renamed"), ["slices", "ends"]],
  ["slices that overlap", "pftrace", overlapping("other"), overlapping("renamed"), ["slices", "ends"]],
  ["ids that are text", "pftrace", textIds("other"), textIds("renamed"), ["slices", "ends"]],
  ["names of counters", "fxt", counters(1, "used"), counters(2, "used"), ["counters"]],
  ["names of counters, another series", "fxt", counters(1, "used"), counters(1, "free"), ["counters", "tracks"]],
  ["complete events without a duration", "fxt", withoutEnd("a"), withoutEnd("other"), ["slices"]],
  ["complete events without a duration", "pftrace", withoutEnd("a"), withoutEnd("other"), ["slices"]],
  ["arguments of an end", "fxt", argsAtEnd(2), argsAtEnd(3), ["args"]],
  ["ids of counters", "fxt", counterIds("0x10"), counterIds(17), ["counters", "tracks"]],
  ["ids of counters", "pftrace", counterIds("0x10"), counterIds(17), ["counters", "tracks"]],
  ["samples with an id", "fxt", profile("a"), profile("b"), ["slices", "args"]],
  ["a flow's end before its slice in the file", "fxt", flowTo(enclosing, complete), flowTo({}, complete), ["flows"]],
  ["a flow's end that joins the next slice, none", "fxt", flowTo({}, complete), flowTo(enclosing, complete), ["flows"]],
  ["a flow's end that joins the next slice", "fxt", flowTo({}, ...halves), flowTo(enclosing, ...halves), ["flows"]],
  ["ends in another order", "fxt", endsOutOfOrder(5), endsOutOfOrder(6), ["ends"]],
  ["an argument of begin and end", "json", saidTwice(1), saidTwice(2), ["args"]],
  ["an argument of begin and end", "fxt", saidTwice(1), saidTwice(2), ["args"]],
  ["the level of a log message", "json", logged("WARN"), logged("INFO"), ["args"]],
  ["the level of a log message", "fxt", logged("WARN"), logged("INFO"), ["args"]],
  ["samples of a process", "json", heapOf(7), heapOf(8), ["events", "args"]],
  ["samples of a process", "fxt", heapOf(7), heapOf(8), ["events", "args"]],
  ["a thread whose process comes late", "fxt", placedLate(30), placedLate(40), ["events", "processes", "threads"]],
  ["a thread whose process comes late, in a file that can be read twice", "fxt", { ...placedLate(30), inBytes: true },
    placedLate(40), ["events", "processes", "threads"]],
  ["tracks with and without a name", "json", onTrack("a"), onTrack("b"), ["slices", "ends"]],
  ["tracks with and without a name", "fxt", onTrack("a"), onTrack("b"), ["slices", "ends"]],
  ["slices of a process", "json", onProcess("a"), onProcess("b"), ["slices", "ends"]],
  ["what is of no process", "json", ofNoProcess(1), ofNoProcess(2), ["counters"]],
  ["packets that are instants", "json", otherPacket(5), otherPacket(6), ["args"]],
  ["kinds of the kernel's events that are instants", "fxt", kernel("app", "cpu_frequency"), kernel("app", "cpu_idle"),
    ["slices", "args"]],
  ["states of threads", "fxt", kernel("app", "cpu_frequency"), switches(32),
    ["events", "slices", "ends", "args", "threads"]],
  ["a thread's name", "fxt", kernel("app", "cpu_frequency"), kernel("game", "cpu_frequency"), ["threads"]],
];

function said(first, second) {
  const done = spawnSync(program, ["diff", "-q", "--json", first, second], { encoding: "utf8" });
  const { equal, tables } = JSON.parse(done.stdout);
  const names = Object.entries(tables).filter(([, { only }]) => only[0] || only[1]).map(([name]) => name);
  const allowed = equal ? [0, 4] : [1]; // 4: something could not be read, as an end that ends nothing
  if (!allowed.includes(done.status)) return `status ${done.status} ${names}`;
  return names.sort().join();
}

function write(name, { end, text, inBytes }) {
  const file = path.join(folder, `${name}.${end}`), bytes = `${file}.pftrace`;
  fs.writeFileSync(file, text);
  if (inBytes) execFileSync(program, ["convert", "-q", file, "-o", bytes]);
  return inBytes ? bytes : file;
}

const faults = [];
for (const [what, to, trace, other, tables] of CASES) {
  const first = write("first", trace), second = path.join(folder, `second.${to}`), third = write("third", other);
  execFileSync(program, ["convert", "-q", first, "-o", second]);
  const same = said(first, second), different = said(third, second), wanted = tables.sort().join();
  if (same) faults.push(`${what}, ${to}: the conversion differs in ${same}`);
  if (different !== wanted) faults.push(`${what}, ${to}: another trace differs in ${different}, not ${wanted}`);
}
fs.rmSync(folder, { recursive: true });
for (const fault of faults) console.log(fault);
console.log(`${CASES.length} cases, ${faults.length} faults`);
process.exit(faults.length ? 1 : 0);
