#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// proofs.mjs TRACEBRIDGE [--show N] FILE...
//
// Proves that where Perfetto's trace processor sees less in our output than in the JSON, a defect of its importer of
// JSON is the reason (docs/CONFORMANCE.md). Each FILE is said once more in words that the defects do not touch, and
// what the importer then sees must all be in our output for the FILE as it is: not one row less. The words:
//   * ids of processes and threads that are text, negative or past 31 bits become free numbers; so does thread 0. Texts
//     of digits become their number, an empty pid 0
//   * events have one array around them, called traceEvents, and a comma between two of them
//   * a B and its E become one X, where in their thread a slice lasts no time or overlaps another; at one time ends of
//     earlier slices come first, but for those behind a slice of no duration, which is in theirs. Such a slice is an
//     instant, which the importer leaves at its place. Behind a B of its time that never ends a B stays one
//   * the thread's time of an E that is its B's goes: of a B and an E the importer of protobuf knows no thread duration
//     of 0; nor of a slice that does not last whole microseconds
//   * a b and its e get an id of their own where they overlap others of their id, and scopes that are not the same get
//     other ids
//   * numbers have 15 digits at most: of more the importer makes others (0.00030637254901960784 is 0.0039449 to it)
//   * times count from the first one, in whole nanoseconds; brackets in the names of args are underscores; characters
//     past U+FFFF are not escaped; ids that are the same number look the same
//   * flow events whose flow never began are not there
// Numbers in args are compared by 12 digits. Prints a line for each file; exit status 0 when nothing is missing.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArguments } from "./arguments.mjs";
import { queryTrace } from "./engine.mjs";
import { readTrace, writeTrace } from "./json.mjs";
import { SAMPLES, isNear, normalize } from "./plain_rows.mjs";
import { sayPlainly, withoutThreadZero } from "./plain_words.mjs";
import { TABLES, compareTable } from "./tables.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
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
  const [changed, ours, plain] = ["input.json", "ours.perfetto-trace", "plain.json"].map(
      (name) => path.join(work, name));
  const trace = readTrace(file);
  const isChanged = withoutThreadZero(trace) > 0;
  if (isChanged) fs.writeFileSync(changed, writeTrace(trace));
  const run = spawnSync(options.program, ["convert", isChanged ? changed : file, "-o", ours], { encoding: "utf8" });
  if (run.status !== 0 && run.status !== 4)
    throw new Error(`exit status ${run.status}: ${run.stderr.trim().split("\n").pop()}`);
  const { ids, shift } = sayPlainly(trace, words);
  fs.writeFileSync(plain, writeTrace(trace));
  const [expected, actual] = await Promise.all([queryTrace(home, plain, TABLES), queryTrace(home, ours, TABLES)]);
  const lines = [], notes = [];
  let lost = 0;
  for (const table of Object.keys(TABLES).filter((name) => name !== SAMPLES)) {
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
