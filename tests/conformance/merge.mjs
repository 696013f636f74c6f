#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// merge.mjs TRACEBRIDGE [--show N] [--options "..."] FILE,FILE[,FILE] ...
//
// Merges each group of files and loads the result and each input alone in Perfetto's own trace processor. The merged trace must hold
// exactly the rows that the inputs hold, their times moved by what the sync report says. Files of other formats stand for the
// Perfetto trace that `tracebridge convert` makes of them. Prints a line for each group; exit status 0 when all is as it
// should be.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { queryTrace } from "./engine.mjs";
import { TABLES } from "./tables.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const TIMES = new Set(["ts", "ts_in"]);

function parseArguments(words) {
  const options = { show: 2, merge: ["--unplaced=start"], groups: [] };
  for (let i = 0; i < words.length; i++) {
    if (words[i] === "--show") options.show = Number(words[++i]);
    else if (words[i] === "--options") options.merge.push(...words[++i].split(" "));
    else options.groups.push(words[i]);
  }
  options.program = options.groups.shift();
  if (!options.program || options.groups.length === 0) {
    console.error('usage: merge.mjs TRACEBRIDGE [--show N] [--options "..."] FILE,FILE ...');
    process.exit(2);
  }
  return options;
}

function run(program, words) {
  const done = spawnSync(program, words, { encoding: "utf8" });
  if (done.status !== 0 && done.status !== 4) throw new Error(`${words[0]}: exit ${done.status}: ${done.stderr.trim().split("\n").pop()}`);
}

function asPerfetto(options, file, work, index) {
  if (/\.(perfetto-trace|pftrace)(\.gz)?$/.test(file)) return file;
  const output = path.join(work, `alone-${index}.perfetto-trace`);
  run(options.program, ["convert", file, "-o", output]);
  return output;
}

// Rows of a result as texts, times moved by `by`. A row's depth depends on what else is on its track: left out.
function texts({ columns, rows }, by) {
  return rows.map((row) => JSON.stringify(row.flatMap((value, i) =>
    columns[i] === "depth" ? [] : [TIMES.has(columns[i]) ? String(BigInt(value) + by) : value === null ? null : String(value)])));
}

function difference(expected, actual) {
  const counts = new Map();
  for (const row of expected) counts.set(row, (counts.get(row) ?? 0) + 1);
  const extra = actual.filter((row) => {
    const left = counts.get(row) ?? 0;
    if (left) counts.set(row, left - 1);
    return !left;
  });
  const missing = [...counts].flatMap(([row, left]) => Array(left).fill(row));
  return { missing, extra };
}

async function judge(options, home, files, work) {
  const merged = path.join(work, "merged.perfetto-trace"), reportFile = path.join(work, "report.json");
  run(options.program, ["merge", ...files, "-o", merged, "--report", reportFile, ...options.merge]);
  const report = JSON.parse(fs.readFileSync(reportFile, "utf8").replace(/("(?:offset|first|last)_ns": )(-?\d+)/g, '$1"$2"'));
  const alone = [];
  for (const [i, file] of files.entries()) alone.push(await queryTrace(home, asPerfetto(options, file, work, i), TABLES));
  const together = await queryTrace(home, merged, TABLES);
  const lines = [];
  let rows = 0;
  for (const table of Object.keys(TABLES)) {
    let expected = alone.flatMap((result, i) => texts(result[table], BigInt(report.inputs[i].offset_ns)));
    if (table === "threads" || table === "processes") expected = [...new Set(expected)]; // they may be one
    rows += expected.length;
    const { missing, extra } = difference(expected, texts(together[table], 0n));
    if (!missing.length && !extra.length) continue;
    lines.push(`  ${table}: ${missing.length} missing, ${extra.length} beyond`);
    for (const row of missing.slice(0, options.show)) lines.push(`    - ${row.slice(0, 240)}`);
    for (const row of extra.slice(0, options.show)) lines.push(`    + ${row.slice(0, 240)}`);
  }
  return { rows, lines };
}

const options = parseArguments(process.argv.slice(2));
const home = execFileSync(path.join(here, "fetch.sh"), { encoding: "utf8" }).trim();
let bad = 0;
for (const group of options.groups) {
  const files = group.split(","), work = fs.mkdtempSync(path.join(os.tmpdir(), "merge-"));
  const name = files.map((file) => path.basename(file)).join(" + ");
  try {
    const { rows, lines } = await judge(options, home, files, work);
    if (lines.length) bad++;
    console.log(`${lines.length ? "MISS" : "PASS"} ${name}: ${rows} rows`);
    for (const line of lines) console.log(line);
  } catch (error) {
    bad++;
    console.log(`MISS ${name}: ${error.message}`);
  } finally {
    fs.rmSync(work, { recursive: true });
  }
}
console.log(`merge: ${options.groups.length - bad} of ${options.groups.length} groups hold what their inputs hold`);
process.exit(bad ? 1 : 0);
