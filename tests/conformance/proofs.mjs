#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// proofs.mjs TRACEBRIDGE [--show N] FILE...
//
// Proves that where Perfetto's trace processor sees less in our output than in the JSON, a defect of its importer of
// JSON is the reason (docs/CONFORMANCE.md). Each FILE is said once more in words that the defects do not touch, and
// what the importer then sees must all be in our output for the FILE as it is: not one row less. The words:
//   * ids of processes and threads that are text, negative or past 31 bits become free numbers; so does thread 0
//   * a B and its E become one X, where in their thread a slice lasts no time or overlaps another; at one time ends of
//     earlier slices come first, but for those behind a slice of no duration, which is in theirs. Such a slice is an
//     instant, which the importer leaves at its place
//   * a b and its e get an id of their own where they overlap others of their id, and scopes that are not the same get
//     other ids
//   * numbers have 15 digits at most: of more the importer makes others (0.00030637254901960784 is 0.0039449 to it)
//   * times count from the first one, in whole nanoseconds; brackets in the names of args are underscores; characters
//     past U+FFFF are not escaped; ids that are the same number look the same
// Numbers in args are compared by 12 digits. Prints a line for each file; exit status 0 when nothing is missing.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArguments } from "./arguments.mjs";
import { queryTrace } from "./engine.mjs";
import { EXACT, idValue, isExact, nanoseconds, readTrace, writeTrace } from "./json.mjs";
import { TABLES, compareTable } from "./tables.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const FIRST_SYNTHETIC = 0x70000000; // where our reader's numbers for ids that are none begin
const FIRST_FREE = 1000000000; // and ours here

// ---- ids of processes and threads -----------------------------------------------------------------------------------

// What our reader makes of an id: [the number that the trace processor shows, whether the importer of JSON takes it as
// it is].
class Ids {
  synthetic = new Map();
  free = new Map(); // number of ours -> free number
  named = new Set();
  names = []; // metadata events

  number(value, bits) {
    const text = String(value).replace(EXACT, "");
    const isNumber = (typeof value === "number" || String(value).startsWith(EXACT)) && /^-?\d+$/.test(text);
    const big = isNumber ? BigInt(text) : 0n, limit = 1n << BigInt(bits - 1);
    if (isNumber && big >= -limit && big < limit)
      return Number(big) >= 0 && big < 1n << 31n ? {plain: Number(big)} : {odd: text};
    const key = text;
    if (!this.synthetic.has(key)) this.synthetic.set(key, FIRST_SYNTHETIC + this.synthetic.size);
    return { odd: String(this.synthetic.get(key)) };
  }

  renamed(ours) {
    if (!this.free.has(ours)) this.free.set(ours, FIRST_FREE + this.free.size);
    return this.free.get(ours);
  }

  // The event with ids that the importer takes. One that was text is the name of what has no other.
  apply(event) {
    for (const [key, bits, name] of [["pid", 32, "process_name"], ["tid", 64, "thread_name"]]) {
      const source = event[key];
      if (source === undefined || source === "") continue;
      const id = this.number(source, bits);
      event[key] = id.odd === undefined ? id.plain : this.renamed(id.odd);
      const of = `${event.pid}/${key === "tid" ? event.tid : ""}`;
      if (typeof source !== "string" || source.startsWith(EXACT) || this.named.has(of)) continue;
      this.named.add(of);
      this.names.push({ ph: "M", name, pid: event.pid, tid: event.tid, args: { name: source } });
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
// it.
function withoutThreadZero(trace) {
  for (const event of eventsOf(trace)) if (event.tid === 0) event.tid = FIRST_FREE - 1;
}

const eventsOf = (trace) =>
    (trace.traceEvents ?? []).filter((event) => event && typeof event === "object" && !Array.isArray(event));

// ---- slices ---------------------------------------------------------------------------------------------------------

function inOrder(events) {
  const at = (event) => nanoseconds(event.ts) ?? 0n;
  return [...events].sort((a, b) => (at(a) < at(b) ? -1 : at(a) > at(b) ? 1 : 0));
}

// Pairs of begins and ends, by what docs/CONFORMANCE.md says: an end takes the newest open begin that has its name.
function pairs(events, begins, ends) {
  const open = [], found = [];
  let needs_matching = false;
  for (const event of inOrder(events)) {
    if (event.ph === begins) open.push(event);
    if (event.ph !== ends) continue;
    const at = open.findLastIndex((begin) => !event.name || begin.name === event.name);
    if (at < 0) continue;
    if (at !== open.length - 1) needs_matching = true;
    const [begin] = open.splice(at, 1);
    found.push([begin, event]);
    if (nanoseconds(begin.ts) === nanoseconds(event.ts)) needs_matching = true;
  }
  return { found, needs_matching };
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

function completeSlices(trace, how) {
  const gone = new Set(), early = new Set();
  for (const events of group(
           eventsOf(trace).filter((event) => "BEX".includes(event.ph)), (event) => `${event.pid}/${event.tid}`)) {
    const { found, needs_matching } = pairs(events, "B", "E");
    for (const [begin, end] of found) if (nanoseconds(begin.ts) < nanoseconds(end.ts)) early.add(end);
    if (!needs_matching && !overlap(events, found)) continue;
    for (const [begin, end] of found) {
      if (how === "zero_length" && nanoseconds(begin.ts) !== nanoseconds(end.ts)) continue;
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
      if (end.args && typeof end.args === "object") begin.args = { ...begin.args, ...end.args };
    }
  }
  const rank = (event) => (nanoseconds(event.ts) ?? 0n) * 2n + (early.has(event) ? 0n : 1n);
  trace.traceEvents = eventsOf(
      trace).filter((event) => !gone.has(event))
                          .sort((a, b) => (rank(a) < rank(b) ? -1
                                        : rank(a) > rank(b)  ? 1
                                                             : 0));
}

// Whether a complete slice of the thread ends within one that a B and an E make.
function overlap(events, found) {
  const spans = found.map(([begin, end]) => [nanoseconds(begin.ts), nanoseconds(end.ts)]);
  for (const event of events)
    if (event.ph === "X" && nanoseconds(event.dur) !== null)
      spans.push([nanoseconds(event.ts), nanoseconds(event.ts) + nanoseconds(event.dur)]);
  spans.sort((a, b) => (a[0] !== b[0] ? (a[0] < b[0] ? -1 : 1) : a[1] > b[1] ? -1 : 1));
  const open = [];
  for (const [start, end] of spans) {
    while (open.length && open.at(-1) <= start) open.pop();
    if (open.length && end > open.at(-1)) return true;
    open.push(end);
  }
  return false;
}

function asyncIds(trace) {
  let free = 0;
  const isAsync = (event) => "bne".includes(event.ph) && (event.id !== undefined || event.id2);
  const key = (event) =>
      JSON.stringify([event.cat, event.scope, event.id ?? event.id2, event.id2?.local !== undefined ? event.pid : 0]);
  for (const events of group(eventsOf(trace).filter(isAsync), key)) {
    if (events.some((event) => event.scope !== undefined))
      for (const event of events) event.id = `proof scope ${event.scope} ${idValue(event.id)}`;
    const { found, needs_matching } = pairs(events, "b", "e");
    if (!needs_matching) continue;
    for (const pair of found) {
      const own = `proof ${free++}`;
      for (const event of pair) {
        delete event.id2;
        event.id = own;
      }
    }
  }
}

// ---- what is left ---------------------------------------------------------------------------------------------------

// Times from the first one on, in whole nanoseconds.
function shiftTimes(trace) {
  const times = eventsOf(
      trace).map((event) => (event.ph === "M" ? null : nanoseconds(event.ts)))
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

function plainIds(trace) {
  for (const event of eventsOf(trace)) {
    if (event.args && typeof event.args === "object") event.args = plainNames(event.args);
    for (const name of ["id", "bind_id"])
      if (typeof event[name] === "number") event[name] = `0x${event[name].toString(16)}`;
  }
}

// A number with as many digits as the importers agree in.
function roundNumber(value) {
  if (typeof value !== "string" || !/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value)) return value;
  const short = Number(value).toPrecision(12);
  return Number.isFinite(Number(short)) ? String(Number(short)) : value;
}

// Whether two rows of args differ in the last digits of a number alone.
function isNear(row, other) {
  const [a, b] = [Number(row[4]), Number(other[4])];
  return row.slice(0, 4).every((value, i) => value === other[i]) && Math.abs(a - b) <= 1e-11 * Math.abs(a);
}

const AT = {
  slices: [0],
  instants: [0],
  args: [0],
  counters: [0],
  flows: [0, 3],
  threads: [],
  processes: [],
  threadtimes: [0]
};

function normalize(table, { rows }, { shift = 0n, ids = null }) {
  return { rows: rows.map((row) => {
    let out = row.map((value) => (value === null || value === undefined ? null : String(value)));
    if (ids) out = ids.rename(out, table === "threads" || table === "processes");
    for (const column of AT[table] ?? [0]) out[column] = (BigInt(out[column]) - shift).toString();
    if (table === "args") out[4] = roundNumber(out[4]);
    if (table === "counters") out[3] = roundNumber(out[3]);
    return out;
  }) };
}

// The words differ in how much they change: what is proved in few of them needs no others.
const WORDS = [
  {slices: "none"}, {slices: "zero_length"}, {slices: "all"}, {slices: "none", async: true},
  {slices: "all", async: true}
];

async function prove(options, home, file, work) {
  let best = null;
  for (const words of WORDS) {
    const result = await proveIn(words, options, home, file, work);
    if (!best || result.missing < best.missing) best = result;
    if (!best.missing) break;
  }
  return best;
}

async function proveIn(words, options, home, file, work) {
  const [input, ours, plain] = ["input.json", "ours.perfetto-trace", "plain.json"].map((name) => path.join(work, name));
  const trace = readTrace(file), ids = new Ids();
  withoutThreadZero(trace);
  fs.writeFileSync(input, writeTrace(trace));
  const run = spawnSync(options.program, ["convert", input, "-o", ours], { encoding: "utf8" });
  if (run.status !== 0 && run.status !== 4)
    throw new Error(`exit status ${run.status}: ${run.stderr.trim().split("\n").pop()}`);
  for (const event of eventsOf(trace)) ids.apply(event);
  trace.traceEvents.unshift(...ids.names);
  if (words.slices !== "none") completeSlices(trace, words.slices);
  if (words.async) asyncIds(trace);
  plainIds(trace);
  const shift = shiftTimes(trace);
  fs.writeFileSync(plain, writeTrace(trace));
  const [expected, actual] = await Promise.all([queryTrace(home, plain, TABLES), queryTrace(home, ours, TABLES)]);
  const lines = [], notes = [];
  let lost = 0;
  for (const table of Object.keys(TABLES)) {
    const {missing: unlike, more} =
        compareTable(normalize(table, expected[table], {}), normalize(table, actual[table], {shift, ids}));
    const missing = table === "args" ? unlike.filter((row) => !more.some((other) => isNear(row, other))) : unlike;
    lost += missing.length;
    if (missing.length) notes.push(`${table} -${missing.length}`);
    for (const row of missing.slice(0, options.show)) lines.push(`    - ${table} ${JSON.stringify(row).slice(0, 250)}`);
  }
  return { notes, lines, missing: lost, rows: Object.values(expected).reduce((sum, { rows }) => sum + rows.length, 0) };
}

const options = parseArguments("proofs.mjs");
const home = execFileSync(path.join(here, "fetch.sh"), { encoding: "utf8" }).trim();
const work = fs.mkdtempSync(path.join(os.tmpdir(), "proofs-"));
let bad = 0;
for (const file of options.files) {
  const {notes, lines, rows} = await prove(
      options, home, file, work).catch((error) => ({notes: [`FAILED: ${error.message}`], lines: [], rows: 0}));
  if (notes.length || !rows) bad++;
  console.log(`${
      notes.length ? "MISS"
          : rows   ? "PROVED"
                   : "EMPTY"} ${path.basename(file)}: ${notes.join(", ") || `${rows} rows`}`);
  for (const line of lines) console.log(line);
}
fs.rmSync(work, { recursive: true });
process.exit(bad ? 1 : 0);
