#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// run.mjs TRACEBRIDGE [--show N] [--known FILE] [--update] [--through-fxt | --copy] FILE...
//
// Converts each JSON or FXT FILE to Perfetto (a Perfetto one to JSON), FXT also back to FXT, directly to FXT and, for
// what flows join, to JSON, and loads input and output in Perfetto's own trace processor; with --through-fxt each FILE
// to FXT and that to Perfetto. With --copy the program is docs/examples/copy.c, which copies each FILE to Perfetto
// event by event. Every row that it makes of the input it must make of the output too. Where the two
// differ, the file KNOWN must say exactly so, in lines `FILE: DIFFERENCES | REASON`; where rows of the input are
// missing, it must give a reason. --update writes KNOWN anew from what is seen and keeps the reasons. Prints a line for
// each file; exit status 0 when all is as known.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { queryTrace } from "./engine.mjs";
import { readKnown, writeKnown } from "./known.mjs";
import { ERRORS, TABLES, compareTable } from "./tables.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));

function parseArguments(words) {
  const options = { show: 2, known: path.join(here, "known.txt"), update: false, throughFxt: false, copy: false,
    files: [] };
  for (let i = 0; i < words.length; i++) {
    if (words[i] === "--show") options.show = Number(words[++i]);
    else if (words[i] === "--known") options.known = words[++i];
    else if (words[i] === "--update") options.update = true;
    else if (words[i] === "--through-fxt") options.throughFxt = true;
    else if (words[i] === "--copy") options.copy = true;
    else options.files.push(words[i]);
  }
  options.program = options.files.shift();
  if (!options.program || options.files.length === 0) {
    console.error("usage: run.mjs TRACEBRIDGE [--show N] [--known FILE] [--update] [--through-fxt | --copy] FILE...");
    process.exit(2);
  }
  return options;
}

function convert(program, file, work, suffix) {
  const output = path.join(work, `${path.basename(file)}${suffix}`);
  const run = spawnSync(program, ["convert", file, "-o", output], { encoding: "utf8" });
  if (run.status !== 0 && run.status !== 4)
    throw new Error(`exit status ${run.status}: ${run.stderr.trim().split("\n").pop()}`);
  return { output, partial: run.status === 4 };
}

const load = (home, file) => queryTrace(home, file, { ...TABLES, errors: ERRORS });

// Errors of the importer in our output that it does not find in the input.
function newErrors(expected, actual) {
  const before = new Map(expected.errors.rows.map(([name, count]) => [name, Number(count)]));
  return actual.errors.rows.filter(([name, count]) => Number(count) > (before.get(name) ?? 0)).map(([name,
    count]) => `${name}=${count}`);
}

// Scheduling is FXT's and ftrace's; what the importer makes of ftrace text within JSON we carry as text.
const tablesOf = (file) =>
    Object.keys(TABLES).filter((table) => !/\.json(\.gz)?$/.test(file) || !["sched", "states"].includes(table));

// All tables, or `tables` alone.
function compare(options, file, expected, actual, notes, tables) {
  const lines = [];
  let missing = 0;
  for (const table of tables ?? tablesOf(file)) {
    const difference = compareTable(expected[table], actual[table]);
    missing += difference.missing.length;
    if (difference.missing.length) notes.push(`${table} -${difference.missing.length}`);
    if (difference.more.length) notes.push(`${table} +${difference.more.length}`);
    for (const sign of ["missing", "more"])
      for (const row of difference[sign].slice(0, options.show))
        lines.push(`    ${sign === "more" ? "+" : "-"} ${table} ${JSON.stringify(row)}`);
  }
  for (const error of tables ? [] : newErrors(expected, actual)) {
    missing++;
    notes.push(`error ${error}`);
  }
  return { missing, notes, lines };
}

async function judgeThroughFxt(options, home, file, work) {
  const there = convert(options.program, file, work, ".fxt");
  const back = convert(options.program, there.output, work, ".perfetto-trace");
  const [expected, actual] = await Promise.all([load(home, file), load(home, back.output)]);
  return compare(options, file, expected, actual, there.partial || back.partial ? ["partial"] : []);
}

async function judgeCopy(options, home, file, work) {
  const output = path.join(work, `${path.basename(file)}.perfetto-trace`);
  const run = spawnSync(options.program, [file, output], { encoding: "utf8" });
  if (run.status !== 0) throw new Error(`exit status ${run.status}: ${run.stderr.trim().split("\n").pop()}`);
  const [expected, actual] = await Promise.all([load(home, file), load(home, output)]);
  fs.rmSync(output);
  return compare(options, file, expected, actual, []);
}

async function judge(options, home, file, work) {
  if (options.throughFxt) return judgeThroughFxt(options, home, file, work);
  if (options.copy) return judgeCopy(options, home, file, work);
  const perfetto = /\.(perfetto-trace|pftrace)(\.gz)?$/.test(file);
  const { output, partial } = convert(options.program, file, work, perfetto ? ".json" : ".perfetto-trace");
  const [expected, actual] = await Promise.all([load(home, file).catch((error) => ({ error })), load(home, output)]);
  const notes = partial ? ["partial"] : [];
  if (expected.error)
    return {missing: 0, notes: [...notes, `input refused, slices of ours ${actual.slices.rows.length}`], lines: []};
  const forward = compare(options, file, expected, actual, notes);
  if (!/\.fxt(\.gz)?$/.test(file)) return forward;
  const ways = { back: [output, ".fxt"], again: [file, ".fxt"], json: [file, ".json", ["flows"]] };
  for (const [way, [from, suffix, tables]] of Object.entries(ways)) {
    const there = convert(options.program, from, work, suffix);
    const result = compare(
        options, file, expected, await load(home, there.output), there.partial && !tables ? ["partial"] : [], tables);
    forward.missing += result.missing;
    forward.notes.push(...result.notes.map((note) => `${way} ${note}`));
    forward.lines.push(...result.lines.map((line) => line.replace("    ", `    ${way} `)));
  }
  return forward;
}

async function main() {
  const options = parseArguments(process.argv.slice(2));
  const home = execFileSync(path.join(here, "fetch.sh"), { encoding: "utf8" }).trim();
  const work = fs.mkdtempSync(path.join(os.tmpdir(), "conformance-"));
  const known = readKnown(options.known);
  const seen = new Map();
  let bad = 0;
  for (const file of options.files) {
    const inside = path.relative(path.join(here, "..", "data"), file);
    const name = inside.startsWith("..") ? path.join(...file.split(path.sep).slice(-2)) : inside; // made by the build
    const result = await judge(options, home, file, work).catch((error) =>
      ({ missing: 1, notes: [`FAILED: ${error.message}`], lines: [] }));
    const notes = result.notes.join(", ");
    const expected = known.get(name) ?? { notes: "" };
    seen.set(name, { notes });
    const good = notes === expected.notes && (result.missing === 0 || Boolean(expected.reason));
    if (!good) bad++;
    console.log(`${good ? "PASS" : "MISS"} ${name}${notes ? `: ${notes}` : ""}`);
    if (!good && expected.notes) console.log(`    known: ${expected.notes}${expected.reason ? "" : " (no reason)"}`);
    if (!good) result.lines.forEach((line) => console.log(line));
  }
  fs.rmSync(work, { recursive: true });
  if (options.update) writeKnown(options.known, known, seen);
  console.log(`conformance: ${options.files.length - bad} as known, ${bad} not`);
  process.exit(bad ? 1 : 0);
}

await main();
