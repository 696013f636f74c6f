#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// Whether the trace processor sees in a window that trim cuts out what each *.sql says of the whole trace.
// run.mjs TRACEBRIDGE [--windows N] [--seed N] [--show N] [--only TABLE] [--open 1] [--overrun NS] TRACE...
// --open: windows without a start, which are all from the trace's.
// --overrun plants a fault that must be found: windows that end later than those that are asked for.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { openTrace } from "../conformance/engine.mjs";
import { compareTable } from "../conformance/tables.mjs";
import { chance } from "../conformance/chance.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const BORDER = "-- of the part\n";
const PLACES = fs.readFileSync(path.join(here, "tracks.sql"), "utf8");
// Of a trace: where it starts and ends, and edges of slices, each or every so many.
const ABOUT = {
  places: PLACES,
  span: "select start_ts as start, end_ts as end from trace_bounds",
  edges: `with edge as (select ts from slice union select ts + dur from slice where dur > 0)
    select ts from (select ts, row_number() over (order by ts) as number, count() over () as count from edge)
    where number % (count / 10000 + 1) = 0 order by ts`,
};

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
  const options = { windows: 3, seed: 1, show: 3, open: 0, overrun: 0, traces: [] };
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
  const asked = {};
  for (const [name, query] of Object.entries(QUERIES)) {
    if (options.only && options.only !== name) continue;
    asked[name] = query[which].replaceAll("$start", window.start).replaceAll("$end", window.end);
  }
  return asked;
}

// How many rows there are and a sum of their hashes. The engine's hash takes neither NULL nor where a text ends.
function digestsOf(queries, columns) {
  const digest = ([name, query]) => {
    const values = columns[name].map((column) => `ifnull("${column}", '\u001e')`).join(", '\u001f', ");
    return [name, `select count() as rows, sum(hash(${values}) >> 20) as sum from (${query})`];
  };
  return Object.fromEntries(Object.entries(queries).map(digest));
}

async function columnsOf(whole, options, window) {
  const none = Object.entries(queriesOf("whole", options, window)).map(([name, query]) =>
    [name, `select * from (${query}) limit 0`]);
  return Object.fromEntries(Object.entries(await whole.query(Object.fromEntries(none)))
    .map(([name, { columns }]) => [name, columns]));
}

function trim(options, trace, window, output) {
  const args = ["trim", "-q", trace, "-o", output, "--end", `TRACE:${window.end + BigInt(options.overrun)}ns`];
  if (!options.open) args.push("--start", `TRACE:${window.start}ns`);
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
    const [a, b] = [options.open ? span.start : time(), time()];
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

async function openPart(options, home, given, window, output) {
  trim(options, given, window, output);
  const part = await openTrace(home, output);
  await part.query({ places: PLACES });
  return part;
}

// Rows are asked for where their digests differ.
async function compareWindow(options, whole, columns, part, window) {
  const queries = { whole: queriesOf("whole", options, window), part: queriesOf("part", options, window) };
  const ask = (make) => Promise.all([whole.query(make(queries.whole)), part.query(make(queries.part))]);
  const [expected, actual] = await ask((all) => digestsOf(all, columns));
  const names = Object.keys(columns).filter((name) => expected[name].rows[0].join() !== actual[name].rows[0].join());
  const [missing, more] = await ask((all) => Object.fromEntries(names.map((name) => [name, all[name]])));
  return names.map((name) => ({ window, name, ...compareTable(missing[name], more[name]) }))
    .filter((fault) => fault.missing.length || fault.more.length);
}

// What differs, and how many windows were looked at. The whole trace is loaded once for all of them.
async function judge(options, home, given, work) {
  const output = path.join(work, "part.pftrace");
  const whole = await openTrace(home, wholeOf(options, given, work));
  const about = await whole.query(ABOUT);
  const [start, end] = about.span.rows[0].map(BigInt);
  const edges = about.edges.rows.map(([ts]) => BigInt(ts));
  const windows = start < end ? chooseWindows(options, chance(options.seed), { start, end }, edges) : [];
  const columns = await columnsOf(whole, options, { start, end });
  const faults = [];
  for (const window of windows) {
    try {
      const part = await openPart(options, home, given, window, output);
      faults.push(...await compareWindow(options, whole, columns, part, window));
      await part.close();
    } catch (error) {
      faults.push(failure(error, window));
    }
  }
  await whole.close();
  return { faults, count: windows.length };
}

const failure = (error, window) => ({ window, name: error.message, missing: [], more: [] });

const options = readOptions(process.argv.slice(2));
const home = execFileSync(path.join(here, "../conformance/fetch.sh"), { encoding: "utf8" }).trim();
const work = fs.mkdtempSync(path.join(os.tmpdir(), "trim-"));
let failed = 0;
for (const trace of options.traces) {
  const { faults, count } = await judge(options, home, trace, work).catch(
    (error) => ({ faults: [failure(error)], count: 0 }));
  const differ = new Set(faults.map(({ window }) => window)).size;
  const result = differ ? ["FAIL", `, ${differ} differ`] : ["ok  ", ""];
  console.log(`${result[0]} ${path.basename(trace)}: ${count} windows${result[1]}`);
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
