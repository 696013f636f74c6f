#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// Whether the trace processor sees in what filter keeps the rows of the whole trace that match.
// run.mjs TRACEBRIDGE [--seed N] [--show N] [--only CASE] [--to SUFFIX] TRACE...
// run.mjs TRACEBRIDGE --whose 1 TRACE...: by each process and thread of it, and by nothing else
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { queryTrace } from "../conformance/engine.mjs";
import { compareTable } from "../conformance/tables.mjs";
import { chance } from "../conformance/chance.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const PLACES = fs.readFileSync(path.join(here, "tracks.sql"), "utf8");
const TABLES = readTables();

// The tables: each a query with the marks $slice, $counter, $thread and $stays, where
// a case's conditions go.
function readTables() {
  const tables = {};
  for (const file of fs.readdirSync(here).filter((name) => name.endsWith(".sql") && name !== "tracks.sql"))
    tables[path.basename(file, ".sql")] = fs.readFileSync(path.join(here, file), "utf8");
  return tables;
}

// What of a trace there is to choose from.
const ABOUT = {
  places: PLACES,
  processes: "select name from process where ifnull(name, '') != '' group by name having count(*) = 1",
  threads: "select name from thread where ifnull(name, '') != '' and tid != 0 group by name",
  names: "select name from slice join track_place using (track_id) where named group by name",
  categories:
    "select category from slice where ifnull(category, '') != '' and category not glob '*,*' group by category",
  counters: "select track_name from counter join track_place using (track_id) where chosen_counter group by track_name",
  durations: "select dur from slice join track_place using (track_id) where named and dur > 0 order by dur",
};

const quoted = (text) => `'${text.replaceAll("'", "''")}'`;
const glob = (text) => text.replaceAll(/[\\*?[\]!]/g, "\\$&");

// The cases of a trace: options of filter, and which rows of the whole must be there. `thread`: of what is of a thread.
function processCase(process, refuse) {
  const [mark, is] = refuse ? ["!", "!="] : ["", "="];
  const of = `ifnull(process, '') ${is} ${quoted(process)}`;
  return { name: label("process", refuse), args: ["--process", mark + glob(process)],
           slice: `(not of_process or ${of})`, counter: `(not of_process or ${of})`, thread: of };
}

function threadCase(thread, refuse) {
  const [mark, is] = refuse ? ["!", "!="] : ["", "="];
  const of = `ifnull(thread, '') ${is} ${quoted(thread)}`;
  return { name: label("thread", refuse), args: ["--thread", mark + glob(thread)],
           slice: `(not of_thread or ${of})`, counter: `(not of_thread or ${of})`, thread: of };
}

const label = (word, refuse) => (refuse ? `not_${word}` : word);

function casesOfAll(about) {
  const cases = [];
  for (const refuse of [false, true]) {
    for (const [process] of about.processes.rows) cases.push(processCase(process, refuse));
    for (const [thread] of about.threads.rows) cases.push(threadCase(thread, refuse));
  }
  return cases;
}

function casesOf(about, random) {
  const cases = [];
  const add = (name, args, slice, more = {}) => cases.push({ name, args, slice, ...more });
  const some = (table) => (about[table].rows.length ? random.of(about[table].rows)[0] : null);
  for (const refuse of [false, true]) {
    const [mark, is] = refuse ? ["!", "!="] : ["", "="];
    const process = some("processes"), thread = some("threads"), name = some("names");
    if (process !== null) cases.push(processCase(process, refuse));
    if (thread !== null) cases.push(threadCase(thread, refuse));
    if (name !== null)
      add(label("name", refuse), ["--name", mark + glob(name)],
          `(not named or ifnull(s.name, '') ${is} ${quoted(name)})`);
    const category = some("categories"), counter = some("counters");
    if (category !== null) {
      const listed = `',' || ifnull(category, '') || ',' glob ${quoted(`*,${category},*`)}`;
      add(label("category", refuse), ["--category", mark + glob(category)],
          `(not named or ${refuse ? "not " : ""}(${listed}))`);
    }
    if (counter !== null)
      add(label("counter", refuse), ["--counter", mark + glob(counter)], "1",
          { counter: `(not chosen_counter or track_name ${is} ${quoted(counter)})` });
  }
  const durations = about.durations.rows;
  if (durations.length) {
    const least = durations[durations.length >> 1][0];
    // instants stay and slices of no length do not: the engine does not tell them apart
    add("min_dur", ["--min-dur", `${least}ns`], `(not named or dur >= ${least} or dur = -1)`,
        { left: "(not named or dur != 0)" });
  }
  add("no_args", ["--no-args"], "1", { skip: ["args"] });
  add("no_flows", ["--no-flows"], "1", { skip: ["flows"] });
  return cases;
}

function queriesOf(the, whole) {
  const asked = { places: PLACES };
  for (const [name, query] of Object.entries(TABLES)) {
    if (the.skip?.includes(name)) continue;
    const marks = { slice: whole ? the.slice : (the.left ?? "1"), counter: (whole && the.counter) || "1",
                    stays: the.thread ?? "1",
                    thread: !the.thread ? "1" : `(tid != 0 and ${whole ? the.thread : "1"})` };
    asked[name] = query.replaceAll(/\$(slice|counter|stays|thread)/g, (_, mark) => marks[mark]);
  }
  return asked;
}

function filter(program, trace, the, output) {
  const run = spawnSync(program, ["filter", "-q", trace, "-o", output, ...the.args], { encoding: "utf8" });
  if (run.status !== 0 && run.status !== 4) throw new Error(`${the.args.join(" ")}: ${run.stderr.trim()}`);
}

// What a trace of another format is for the engine: converted, which other tests judge.
function asPerfetto(options, trace, work) {
  if (/\.(perfetto-trace|pftrace)(\.gz)?$/.test(trace)) return trace;
  const output = path.join(work, "whole.pftrace");
  const run = spawnSync(options.program, ["convert", "-q", trace, "-o", output], { encoding: "utf8" });
  if (run.status !== 0 && run.status !== 4) throw new Error(run.stderr.trim());
  return output;
}

async function judge(options, home, trace, work) {
  const faults = [];
  const output = path.join(work, `part.${options.to}`);
  const random = chance(options.seed);
  const perfetto = asPerfetto(options, trace, work);
  const about = await queryTrace(home, perfetto, ABOUT);
  let rows = 0;
  for (const the of options.whose ? casesOfAll(about) : casesOf(about, random)) {
    if (options.only && options.only !== the.name) continue;
    filter(options.program, trace, the, output);
    const [whole, part] = [await queryTrace(home, perfetto, queriesOf(the, true)),
                           await queryTrace(home, output, queriesOf(the, false))];
    for (const name of Object.keys(whole)) {
      if (name === "places") continue;
      rows += part[name].rows.length;
      const { missing, more } = compareTable(whole[name], part[name]);
      if (missing.length || more.length) faults.push({ the, name, missing, more });
    }
    if (the.skip) {
      const asked = { places: PLACES, left: the.skip[0] === "args" ? LEFT_ARGS : LEFT_FLOWS };
      const left = await queryTrace(home, output, asked);
      if (left.left.rows.length) faults.push({ the, name: "left", missing: [], more: left.left.rows });
    }
  }
  return { faults, rows };
}

const LEFT_ARGS = `select key, display_value from slice join args using (arg_set_id)
  where (key glob 'debug.*' and key not glob 'debug.trace_event*') or key glob 'chrome_*' or key glob 'task.*'
    or key glob 'track_event.*'`;
const LEFT_FLOWS = `select * from flow
  where slice_out in (select s.id from slice s join track_place using (track_id)
    where named and ifnull(s.name, '') not glob 'binder*')`;

function readOptions(args) {
  const options = { seed: 1, show: 3, to: "pftrace", traces: [] };
  options.program = args.shift();
  while (args.length) {
    const arg = args.shift();
    const is_text = ["--only", "--to"].includes(arg);
    if (arg.startsWith("--")) options[arg.slice(2)] = is_text ? args.shift() : Number(args.shift());
    else options.traces.push(arg);
  }
  return options;
}

const options = readOptions(process.argv.slice(2));
const home = execFileSync(path.join(here, "../conformance/fetch.sh"), { encoding: "utf8" }).trim();
const work = fs.mkdtempSync(path.join(os.tmpdir(), "filter-"));
let failed = 0;
for (const trace of options.traces) {
  const { faults, rows } = await judge(options, home, trace, work).catch(
    (error) => ({ faults: [{ name: error.message, missing: [], more: [] }], rows: 0 }));
  console.log(`${faults.length ? "FAIL" : "ok  "} ${path.basename(trace)}: ${rows} rows`);
  failed += faults.length > 0;
  for (const { the, name, missing, more } of faults.slice(0, options.show)) {
    console.log(`  ${the ? the.args.join(" ") : ""} ${name}: ${missing.length} missing, ${more.length} more`);
    for (const row of missing.slice(0, options.show)) console.log(`    - ${row.join(" | ")}`);
    for (const row of more.slice(0, options.show)) console.log(`    + ${row.join(" | ")}`);
  }
}
fs.rmSync(work, { recursive: true });
process.exit(failed ? 1 : 0);
