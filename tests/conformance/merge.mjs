#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// merge.mjs TRACEBRIDGE [--show N] [--pairs FILE...] [--groups GROUP...] [--orders GROUP...]
//
// Merges each group of files and loads the result and each input alone in Perfetto's own trace processor. The merged
// trace must hold exactly the rows that the inputs hold, their times moved by what the sync report says. Files of other
// formats stand for the Perfetto trace that `tracebridge convert` makes of them.
//
//   GROUP    FILE,FILE[,FILE][@OPTION]...[@flows+N]   options of `tracebridge merge`; as many flows more than each has
//   alone
//   --pairs  all pairs of the files, and each with itself
//   --orders for groups of three: merge(merge(a, b), c) and merge(c, a, b) must hold the rows of merge(a, b, c)
//
// Prints a line for each group; exit status 0 when all is as it should be.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { queryTrace } from "./engine.mjs";
import { TABLES } from "./tables.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const TIMES = new Set(["ts", "ts_in"]);
function pairsOf(files) {
  return files.flatMap((a, i) => files.slice(i).map((b) => ({ files: [a, b], options: [], flows: 0 })));
}

function readGroup(text) {
  const [files, ...options] = text.split("@");
  const flows =
      options.filter((option) => option.startsWith("flows+")).map((option) => Number(option.slice(6)))[0] ?? 0;
  return { files: files.split(","), options: options.filter((option) => !option.startsWith("flows+")), flows };
}

function parseArguments(words) {
  const options = { show: 2, groups: [], orders: [] }, lists = { pairs: [], groups: [], orders: [] };
  let list = lists.groups;
  options.program = words[0];
  for (let i = 1; i < words.length; i++) {
    if (words[i] === "--show") options.show = Number(words[++i]);
    else if (words[i].startsWith("--")) list = lists[words[i].slice(2)];
    else list?.push(words[i]);
  }
  options.groups = [...pairsOf(lists.pairs), ...lists.groups.map(readGroup)];
  options.orders = lists.orders.map(readGroup);
  if (!options.program || options.groups.length + options.orders.length === 0) {
    console.error("usage: merge.mjs TRACEBRIDGE [--show N] [--pairs FILE...] [--groups GROUP...] [--orders GROUP...]");
    process.exit(2);
  }
  return options;
}

function run(program, words) {
  const done = spawnSync(program, words, { encoding: "utf8" });
  if (done.status !== 0 && done.status !== 4)
    throw new Error(`${words[0]}: exit ${done.status}: ${done.stderr.trim().split("\n").pop()}`);
}

function asPerfetto(options, file, work, index) {
  if (/\.(perfetto-trace|pftrace)(\.gz)?$/.test(file)) return file;
  const output = path.join(work, `alone-${index}.perfetto-trace`);
  run(options.program, ["convert", file, "-o", output]);
  return output;
}

// Rows of a result as texts, times moved by `by`. A row's depth depends on what else is on its track: left out.
function texts({ columns, rows }, by) {
  return rows.map((row) => JSON.stringify(row.flatMap((value, i) => columns[i] === "depth" ? []
                          : columns[i] === "cpu" && value !== null ? [String(Number(value) % 4096)]
                                                                   : // 4096 for each machine
                          [TIMES.has(columns[i]) ? String(BigInt(value) + by)
                                : value === null ? null
                                                 : String(value)])));
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

const known = new Map(); // what a file holds alone: it is in many groups

function alone(options, home, file, work) {
  if (!known.has(file)) known.set(file, queryTrace(home, asPerfetto(options, file, work, known.size), TABLES));
  return known.get(file);
}

function merge(options, group, files, output) {
  const report = `${output}.json`;
  run(options.program,
      ["merge", ...files, "-o", output, "--report", report, "--quiet", "--unplaced=start", ...group.options]);
  return JSON.parse(fs.readFileSync(report, "utf8").replace(/("(?:offset|first|last)_ns": )(-?\d+)/g, '$1"$2"')).inputs;
}

function compare(options, expected, actual) {
  const lines = [];
  for (const table of Object.keys(TABLES)) {
    const { missing, extra } = difference(expected[table], actual[table]);
    if (missing.length === 0 && extra.length === 0) continue;
    lines.push(`  ${table}: ${missing.length} missing, ${extra.length} beyond`);
    for (const row of missing.slice(0, options.show)) lines.push(`    - ${row.slice(0, 240)}`);
    for (const row of extra.slice(0, options.show)) lines.push(`    + ${row.slice(0, 240)}`);
  }
  return lines;
}

const rowsOf = (result, by) =>
    Object.fromEntries(Object.keys(TABLES).map((table) => [table, texts(result[table], by)]));

async function judgeUnion(options, home, group, work) {
  const output = path.join(work, "merged.perfetto-trace");
  const inputs = merge(options, group, group.files, output);
  const each = [];
  for (const [i, file] of group.files.entries())
    each.push(rowsOf(await alone(options, home, file, options.work), BigInt(inputs[i].offset_ns)));
  const expected = {};
  for (const table of Object.keys(TABLES)) {
    expected[table] = each.flatMap((rows) => rows[table]);
    if (table === "threads" || table === "processes")
      expected[table] = [...new Set(expected[table])]; // they may be one
  }
  const actual = rowsOf(await queryTrace(home, output, TABLES), 0n), lines = [];
  if (group.flows) { // which ends meet is another matter then
    if (actual.flows.length !== expected.flows.length + group.flows)
      lines.push(`  flows: ${expected.flows.length} alone, ${actual.flows.length} together, not ${group.flows} more`);
    expected.flows = actual.flows = [];
  }
  lines.push(...compare(options, expected, actual));
  return { rows: Object.values(expected).flat().length, lines };
}

// The same three inputs in another order or step by step: all times may be apart by one amount, no more.
async function judgeOrders(options, home, group, work) {
  const [a, b, c] = group.files, file = (name) => path.join(work, `${name}.perfetto-trace`);
  const abc = merge(options, group, [a, b, c], file("abc")), cab = merge(options, group, [c, a, b], file("cab"));
  const ab = merge(options, group, [a, b], file("ab")),
        abThenC = merge(options, group, [file("ab"), c], file("abThenC"));
  const offset = (input) => BigInt(input.offset_ns), expected = await queryTrace(home, file("abc"), TABLES);
  const ways = {
    cab: [offset(cab[1]) - offset(abc[0]), offset(cab[2]) - offset(abc[1]), offset(cab[0]) - offset(abc[2])],
    abThenC: [offset(ab[0]) + offset(abThenC[0]) - offset(abc[0]), offset(ab[1]) + offset(abThenC[0]) - offset(abc[1]),
      offset(abThenC[1]) - offset(abc[2])],
  };
  const lines = [];
  for (const [way, apart] of Object.entries(ways)) {
    if (apart.some((by) => by !== apart[0])) lines.push(`  ${way}: inputs are ${apart.join(", ")} ns apart`);
    const differences =
        compare(options, rowsOf(expected, apart[0]), rowsOf(await queryTrace(home, file(way), TABLES), 0n));
    if (differences.length) lines.push(`  ${way}:`, ...differences);
  }
  return { rows: Object.values(expected).reduce((sum, table) => sum + table.rows.length, 0), lines };
}

async function judge(options, home, group, how) {
  const work = fs.mkdtempSync(path.join(options.work, "group-"));
  const name = [group.files.map((file) => path.basename(file)).join(" + "), ...group.options].join(" ");
  let result;
  try {
    result = await how(options, home, group, work);
  } catch (error) {
    result = { rows: 0, lines: [`  ${error.message}`] };
  }
  fs.rmSync(work, { recursive: true });
  console.log(`${result.lines.length ? "MISS" : "PASS"} ${name}: ${result.rows} rows`);
  for (const line of result.lines) console.log(line);
  return result.lines.length === 0;
}

const options = parseArguments(process.argv.slice(2));
const home = execFileSync(path.join(here, "fetch.sh"), { encoding: "utf8" }).trim();
options.work = fs.mkdtempSync(path.join(os.tmpdir(), "merge-"));
let good = 0;
for (const group of options.groups) good += await judge(options, home, group, judgeUnion);
for (const group of options.orders) good += await judge(options, home, group, judgeOrders);
fs.rmSync(options.work, { recursive: true });
const count = options.groups.length + options.orders.length;
console.log(`merge: ${good} of ${count} groups hold what their inputs hold`);
process.exit(good === count ? 0 : 1);
