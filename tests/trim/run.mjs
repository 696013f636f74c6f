#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// Whether the trace processor sees in a window that trim cuts out what each *.sql says of the whole trace.
// run.mjs TRACEBRIDGE [--windows N] [--seed N] [--show N] [--only TABLE] [--overrun NS] TRACE...
// --overrun plants a fault that must be found: windows that end later than those that are asked for.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { queryTrace } from "../conformance/engine.mjs";
import { compareTable } from "../conformance/tables.mjs";
import { chance } from "../conformance/chance.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const BORDER = "-- of the part\n";
const PLACES = fs.readFileSync(path.join(here, "tracks.sql"), "utf8");
const SPAN = "select start_ts as start, end_ts as end from trace_bounds";

function readQueries() {
  const queries = {};
  for (const file of fs.readdirSync(here).filter((name) => name.endsWith(".sql") && name !== "tracks.sql")) {
    const [whole, part] = fs.readFileSync(path.join(here, file), "utf8").split(BORDER);
    if (!part) throw new Error(`${file} lacks the line ${BORDER}`);
    queries[path.basename(file, ".sql")] = { whole, part };
  }
  return queries;
}

const QUERIES = readQueries();

function readOptions(args) {
  const options = { windows: 3, seed: 1, show: 3, overrun: 0, traces: [] };
  options.program = args.shift();
  while (args.length) {
    const arg = args.shift();
    if (arg.startsWith("--")) options[arg.slice(2)] = arg === "--only" ? args.shift() : Number(args.shift());
    else options.traces.push(arg);
  }
  return options;
}

// `which` of each table, of a window.
function queriesOf(which, options, window) {
  const asked = { places: PLACES };
  for (const [name, query] of Object.entries(QUERIES)) {
    if (options.only && options.only !== name) continue;
    asked[name] = query[which].replaceAll("$start", window.start).replaceAll("$end", window.end);
  }
  return asked;
}

function trim(options, trace, window, output) {
  const args = ["trim", "-q", trace, "-o", output, "--start", `TRACE:${window.start}ns`,
                "--end", `TRACE:${window.end + BigInt(options.overrun)}ns`];
  const run = spawnSync(options.program, args, { encoding: "utf8" });
  if (run.status !== 0 && run.status !== 4) throw new Error(run.stderr.trim());
}

// Windows of all sizes, and of those one in three with an edge at the start or the end of a slice.
function chooseWindows(options, random, span, edges) {
  const windows = [];
  const length = span.end - span.start;
  if (length < 2n) return [span]; // there is no other one
  const time = () => {
    const at = edges.length && random.true(1 / 3) ? random.of(edges) : null;
    return at ?? span.start + BigInt(Math.floor(random.between(0, Number(length))));
  };
  while (windows.length < options.windows) {
    const [a, b] = [time(), time()];
    if (a !== b) windows.push(a < b ? { start: a, end: b } : { start: b, end: a });
  }
  return windows;
}

// What the trace processor is to read: of other formats what they are as Perfetto's, since it reads them otherwise.
function wholeOf(options, given, work) {
  if (/\.(pftrace|perfetto-trace)$/.test(given)) return given;
  const whole = path.join(work, "whole.pftrace");
  const run = spawnSync(options.program, ["convert", "-q", given, "-o", whole], { encoding: "utf8" });
  if (run.status !== 0 && run.status !== 4) throw new Error(run.stderr.trim());
  return whole;
}

async function judge(options, home, given, work) {
  const trace = wholeOf(options, given, work);
  const edges = "select ts from slice union select ts + dur from slice where dur > 0 order by 1 limit 10000";
  const about = await queryTrace(home, trace, { span: SPAN, edges });
  const [start, end] = about.span.rows[0].map(BigInt);
  if (start >= end) return [];
  const random = chance(options.seed);
  const windows = chooseWindows(options, random, { start, end }, about.edges.rows.map(([ts]) => BigInt(ts)));
  const faults = [];
  const output = path.join(work, "part.pftrace");
  for (const window of windows) {
    trim(options, given, window, output);
    const [whole, part] = [await queryTrace(home, trace, queriesOf("whole", options, window)),
                           await queryTrace(home, output, queriesOf("part", options, window))];
    for (const name of Object.keys(whole)) {
      if (name === "places") continue;
      const { missing, more } = compareTable(whole[name], part[name]);
      if (missing.length || more.length) faults.push({ window, name, missing, more });
    }
  }
  return faults;
}

const options = readOptions(process.argv.slice(2));
const home = execFileSync(path.join(here, "../conformance/fetch.sh"), { encoding: "utf8" }).trim();
const work = fs.mkdtempSync(path.join(os.tmpdir(), "trim-"));
let failed = 0;
for (const trace of options.traces) {
  const faults = await judge(options, home, trace, work).catch(
    (error) => [{ name: error.message, missing: [], more: [] }]);
  console.log(`${faults.length ? "FAIL" : "ok  "} ${path.basename(trace)}: ${options.windows} windows`);
  failed += faults.length > 0;
  for (const { window, name, missing, more } of faults.slice(0, options.show)) {
    const at = window ? `--start TRACE:${window.start}ns --end TRACE:${window.end}ns ` : "";
    console.log(`  ${at}${name}: ${missing.length} missing, ${more.length} more`);
    for (const row of missing.slice(0, options.show)) console.log(`    - ${row.join(" | ")}`);
    for (const row of more.slice(0, options.show)) console.log(`    + ${row.join(" | ")}`);
  }
}
fs.rmSync(work, { recursive: true });
process.exit(failed ? 1 : 0);
