#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// Whether the parts that split makes of a trace open by themselves, hold each row of it once, and merge to the same
// tables as the whole, all in the eyes of the trace processor.
// run.mjs TRACEBRIDGE [--by WHAT] [--show N] [--merged] TRACE...   --merged: parts are not opened one by one
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { queryTrace } from "../conformance/engine.mjs";
import { compareTable, ERRORS, TABLES } from "../conformance/tables.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));

// What the tables of the whole are, besides those that all tests compare.
const WHOLE = {
  ...TABLES,
  all_processes: "select pid, name, cmdline from process",
  all_threads: "select tid, (select pid from process p where p.upid = t.upid) as pid, name from thread t",
  tracks: "select name, type, count(*) from track group by 1, 2",
  raw: "select ts, name, cpu, (select tid from thread where utid = e.utid) as tid from ftrace_event e",
  logs: "select ts, prio, tag, msg from android_logs",
  frames: "select ts, dur, name, layer_name from actual_frame_timeline_slice",
  samples: "select ts, (select tid from thread where utid = s.utid) as tid from perf_sample s",
  packages: "select package_name, uid from package_list",
  // a clock of a sequence is set again where a part begins in its middle
  clocks: "select ts, clock_id, clock_name, clock_value from clock_snapshot where clock_id < 64",
};

// What is in exactly one part: of a Perfetto trace's slices those of track events, since others need what is said
// elsewhere. Those of FXT have no such track where nothing overlaps them, as it may be in a part.
const TRACK_EVENTS = "select count(*) from slice s join track k on k.id = s.track_id where k.type glob '*track_event*'";
const COUNTS = {
  slices: TRACK_EVENTS,
  counters: "select count(*) from counter",
  sched: "select count(*) from sched_slice",
  endless: `${TRACK_EVENTS} and s.dur = -1`,
};
const ENDED = ["slices", "endless"];

const run = (program, args) => {
  const done = spawnSync(program, args, { encoding: "utf8", maxBuffer: 1 << 28 });
  if (done.status !== 0 && done.status !== 4) throw new Error(`${args.slice(0, 2).join(" ")}: ${done.stderr.trim()}`);
  return done.stdout;
};

const countsOf = (trace) => trace.endsWith(".fxt") ? { ...COUNTS, slices: "select count(*) from slice" } : COUNTS;

const isPerfetto = (file) => /\.(perfetto-trace|pftrace)(\.gz)?$/.test(file);

function asPerfetto(options, trace, work, command = "convert") {
  if (isPerfetto(trace)) return trace;
  const output = path.join(work, "whole.pftrace");
  run(options.program, [command, "-q", trace, "-o", output]);
  return output;
}

// Readers pass over times below zero, and merge moves all by what it takes: so the whole and each part are read.
async function readerOf(options, home, trace, work) {
  const first = { time: "select coalesce(min(ts), 0) from clock_snapshot" };
  const seen = await queryTrace(home, asPerfetto(options, trace, work), first);
  return BigInt(seen.time.rows[0][0]) < 0n ? "merge" : "convert";
}

// A tenth of the time, or of the size.
async function waysOf(options, home, trace, perfetto) {
  if (options.by?.includes("=")) return [options.by];
  const span = await queryTrace(home, perfetto, { span: "select start_ts, end_ts from trace_bounds" });
  const [start, end] = span.span.rows[0].map(BigInt);
  const ways = ["process", "thread", "machine", `time=${(end - start) / 3n + 1n}ns`,
                `time=${(end - start) / 10n + 1n}ns`,
                `size=${Math.ceil(fs.statSync(trace).size / 4)}`];
  return ways.filter((way) => !options.by || way.startsWith(options.by));
}

async function judgeWay(options, home, trace, reader, whole, by, work) {
  const folder = path.join(work, "parts"), merged = path.join(work, "merged.pftrace"), faults = [];
  fs.rmSync(folder, { recursive: true, force: true });
  const report = JSON.parse(run(options.program, ["split", "-q", "--json", trace, "--by", by, "-o", folder]));
  const files = fs.readdirSync(folder).sort().map((name) => path.join(folder, name));
  if (files.length !== report.parts.length) faults.push({ name: "report", missing: [[files.length]], more: [] });
  const sums = Object.fromEntries(Object.keys(COUNTS).map((name) => [name, 0]));
  const errors = new Set(whole.errors.rows.map((row) => row[0]));
  for (const file of options.merged ? [] : files) {
    const part = isPerfetto(file) ? file : asPerfetto(options, file, work, reader);
    const seen = await queryTrace(home, part, { ...countsOf(trace), errors: ERRORS });
    for (const name of Object.keys(COUNTS)) sums[name] += Number(seen[name].rows[0][0]);
    const more = seen.errors.rows.filter((row) => !errors.has(row[0]));
    if (more.length) faults.push({ name: `errors of ${path.basename(file)}`, missing: [], more });
  }
  run(options.program, ["merge", "-q", ...files, "-o", merged]);
  const seen = await queryTrace(home, merged, WHOLE);
  for (const name of Object.keys(WHOLE)) {
    const { missing, more } = compareTable(whole[name], seen[name]);
    if (missing.length || more.length) faults.push({ name, missing, more });
  }
  const of_parts = by.startsWith("time") || by.startsWith("size") ? ENDED : Object.keys(COUNTS);
  for (const name of options.merged ? [] : of_parts)
    if (sums[name] !== Number(whole[`${name}_count`].rows[0][0]))
      faults.push({ name: `${name} of parts`, missing: [[whole[`${name}_count`].rows[0][0]]], more: [[sums[name]]] });
  const rows = Object.keys(WHOLE).reduce((sum, name) => sum + seen[name].rows.length, 0);
  return { by, faults, rows, parts: files.length };
}

async function judge(options, home, given, work) {
  const trace = given.endsWith(".textproto") ? path.join(work, "edges.pftrace") : given;
  if (trace !== given) run(options.program, ["merge", "-q", given, "-o", trace]);
  const reader = await readerOf(options, home, trace, work);
  const perfetto = asPerfetto(options, trace, work, reader);
  const counts = Object.fromEntries(Object.entries(countsOf(trace)).map(([name, query]) => [`${name}_count`, query]));
  const whole = await queryTrace(home, perfetto, { ...WHOLE, ...counts, errors: ERRORS });
  const judged = [];
  for (const by of await waysOf(options, home, trace, perfetto))
    judged.push(await judgeWay(options, home, trace, reader, whole, by, work)
      .catch((error) => ({ by, faults: [{ name: error.message, missing: [], more: [] }], rows: 0, parts: 0 })));
  return judged;
}

function readOptions(args) {
  const options = { show: 3, traces: [], program: args.shift() };
  while (args.length) {
    const arg = args.shift();
    if (arg === "--merged") options.merged = true;
    else if (arg.startsWith("--")) options[arg.slice(2)] = arg === "--show" ? Number(args.shift()) : args.shift();
    else options.traces.push(arg);
  }
  return options;
}

const options = readOptions(process.argv.slice(2));
const home = execFileSync(path.join(here, "../conformance/fetch.sh"), { encoding: "utf8" }).trim();
const work = fs.mkdtempSync(path.join(os.tmpdir(), "split-"));
let failed = 0;
for (const trace of options.traces) {
  for (const { by, faults, rows, parts } of await judge(options, home, trace, work)) {
    console.log(`${faults.length ? "FAIL" : "ok  "} ${path.basename(trace)} by ${by}: ${parts} parts, ${rows} rows`);
    failed += faults.length > 0;
    for (const { name, missing, more } of faults) {
      console.log(`  ${name}: ${missing.length} missing, ${more.length} more`);
      for (const row of missing.slice(0, options.show)) console.log(`    - ${row.join(" | ")}`);
      for (const row of more.slice(0, options.show)) console.log(`    + ${row.join(" | ")}`);
    }
  }
}
fs.rmSync(work, { recursive: true });
process.exit(failed ? 1 : 0);
