// SPDX-License-Identifier: Apache-2.0
//
// engine.mjs PROGRAM [PAIRS]: of random pairs of traces with a planted change, `diff` and the trace processor say that
// the same kinds of rows differ.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { execFileSync, spawnSync } from "node:child_process";
import { queryTrace } from "../conformance/engine.mjs";

const here = path.dirname(new URL(import.meta.url).pathname);
const home = process.env.TRACE_PROCESSOR_HOME ??
  execFileSync(path.join(here, "../conformance/fetch.sh"), { encoding: "utf8" }).trim();
const program = path.resolve(process.argv[2]), pairs = Number(process.argv[3] ?? 16);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "diff-"));
let seed = 1;
const below = (most) => (seed = (seed * 48271) % 2147483647) % most;

// ---- traces ---------------------------------------------------------------------------------------------------------

function randomTrace() {
  const events = [];
  for (let tid = 1; tid <= 3; tid++) {
    events.push({ ph: "M", name: "thread_name", pid: 5, tid, args: { name: `thread ${tid}` } });
    for (let ts = 100 * tid; ts < 4000; ts += 200 + below(100)) {
      events.push({ ph: "X", name: `slice ${below(5)}`, cat: "c", pid: 5, tid, ts, dur: 100, args: { n: below(9) } });
      if (below(2)) events.push({ ph: "X", name: "inner", cat: "c", pid: 5, tid, ts: ts + 10, dur: 20 + below(50) });
      if (!below(3)) events.push({ ph: "C", name: "load", pid: 5, tid, ts: ts + 1, args: { value: below(100) } });
    }
  }
  const async = { name: "async", cat: "a", id: 9, pid: 5, tid: 9 }; // a thread of its own, which has no other event
  events.push({ ...async, ph: "b", ts: 50 }, { ...async, ph: "e", ts: 90 });
  events.push({ ph: "O", name: "object", cat: "o", id: "0x1", pid: 5, tid: 1, ts: 60, args: { snapshot: {} } });
  events.push({ ph: "M", name: "process_name", pid: 5, args: { name: "process" } });
  const slices = events.filter(({ name }) => name.startsWith("slice"));
  for (let id = 1; id <= 4; id++) {
    const [from, to] = [below(slices.length), below(slices.length)].sort((a, b) => slices[a].ts - slices[b].ts);
    const flow = { name: "f", cat: "f", id, pid: 5 };
    events.push({ ...flow, ph: "s", tid: slices[from].tid, ts: slices[from].ts + 80 },
                { ...flow, ph: "f", bp: "e", tid: slices[to].tid, ts: slices[to].ts + 90 });
  }
  return events;
}

const pick = (events, wanted) => { const found = events.filter(wanted); return found[below(found.length)]; };
const isSlice = ({ ph }) => ph === "X", isLeaf = ({ name }) => name === "inner";
const CHANGES = {
  nothing: () => {},
  order: (events) => events.sort(({ ts: a = 0 }, { ts: b = 0 }) => b - a),
  "slice's name": (events) => { pick(events, isSlice).name = "renamed"; },
  "slice's duration": (events) => { pick(events, isLeaf).dur += 3; },
  "slice's begin": (events) => { const slice = pick(events, isLeaf); slice.ts += 2; slice.dur -= 2; },
  "slice gone": (events) => { events.splice(events.indexOf(pick(events, isLeaf)), 1); },
  argument: (events) => { pick(events, ({ args, ph }) => ph === "X" && args).args.n = 77; },
  "argument's type": (events) => {
    const { args } = pick(events, ({ args, ph }) => ph === "X" && args);
    args.n = `${args.n}`;
  },
  "flow's begin": (events) => {
    const flow = pick(events, ({ ph }) => ph === "s");
    const slice = pick(events, ({ name, ts, tid }) => name.startsWith("slice") && tid !== flow.tid && ts < 1000);
    Object.assign(flow, { tid: slice.tid, ts: slice.ts + 80 });
  },
  "counter's value": (events) => { pick(events, ({ ph }) => ph === "C").args.value = 1000; },
  "flow gone": (events) => {
    const { id } = pick(events, ({ ph }) => ph === "f");
    for (let i = events.length; i-- > 0;) if (events[i].id === id) events.splice(i, 1);
  },
  "thread's name": (events) => { pick(events, ({ name }) => name === "thread_name").args.name = "renamed"; },
  "process' name": (events) => { pick(events, ({ name }) => name === "process_name").args.name = "renamed"; },
};

// ---- what both say --------------------------------------------------------------------------------------------------

const QUERIES = {
  slices: "select ts, dur, s.name, category, tid from slice s join thread_track k on k.id = s.track_id"
    + " join thread using (utid)",
  args: "select ts, s.name, key, value_type, display_value from slice s join args using (arg_set_id)",
  counters: "select ts, value, t.name from counter c join track t on t.id = c.track_id",
  flows: "select a.ts, b.ts, b.name from flow f join slice a on a.id = slice_out join slice b on b.id = slice_in",
  threads: "select tid, name from thread where tid != 0",
  processes: "select pid, name from process where pid != 0",
};
const rowsOf = (table) => table.rows.map((row) => row.map(String).join("\t")).sort().join("\n");

async function engineSays(first, second) {
  const [a, b] = [await queryTrace(home, first, QUERIES), await queryTrace(home, second, QUERIES)];
  return Object.keys(QUERIES).filter((name) => rowsOf(a[name]) !== rowsOf(b[name]));
}

function diffSays(first, second) {
  const done = spawnSync(program, ["diff", "-q", "--json", first, second], { encoding: "utf8" });
  const { equal, tables } = JSON.parse(done.stdout);
  const differ = ([, { only }]) => only[0] || only[1];
  const names = Object.entries(tables).filter(differ).map(([name]) => name);
  if (equal !== !names.length || done.status !== (equal ? 0 : 1)) throw new Error(`status ${done.status}: ${names}`);
  return names;
}

// A slice's end is a row of its own for diff; its arguments are those of another slice for the engine where it has
// another name. A flow leads to another row where the slice that it leads to does.
const isSame = (engine, diff) => {
  const said = new Set(diff.map((name) => name === "ends" ? "slices" : name));
  const wanted = new Set(engine);
  if (wanted.has("slices")) for (const name of ["args", "flows"]) { wanted.delete(name); said.delete(name); }
  return [...wanted].sort().join() === [...said].sort().join();
};

const faults = [];
let compared = 0;
for (let i = 0; i < pairs; i++) {
  const change = Object.keys(CHANGES)[i % Object.keys(CHANGES).length];
  const events = randomTrace(), changed = structuredClone(events);
  CHANGES[change](changed);
  const [first, second] = ["a.json", "b.json"].map((name) => path.join(folder, name));
  fs.writeFileSync(first, JSON.stringify({ traceEvents: events }));
  fs.writeFileSync(second, JSON.stringify({ traceEvents: changed }));
  const engine = await engineSays(first, second);
  if ((change === "nothing" || change === "order") !== !engine.length) faults.push(`${change}: the engine: ${engine}`);
  for (const end of ["json", "pftrace"]) {
    const third = path.join(folder, `b.${end}`);
    if (end !== "json") execFileSync(program, ["convert", "-q", second, "-o", third]);
    const diff = diffSays(first, third);
    compared++;
    if (!isSame(engine, diff)) faults.push(`pair ${i}, ${change}, ${end}: engine ${engine}, diff ${diff}`);
  }
}
fs.rmSync(folder, { recursive: true });
for (const fault of faults) console.log(fault);
console.log(`${compared} comparisons, ${faults.length} faults`);
process.exit(faults.length || !compared ? 1 : 0);
