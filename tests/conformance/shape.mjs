#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// shape.mjs NUMBERS [--show N] [--known FILE] [--update] FILE...
//
// Runs docs/examples/numbers.c, which reads the one shape of events, over each FILE, and asks Perfetto's trace
// processor for the same numbers: by name how many slices there are and how long they last in all and without those
// inside of them; of each counter how many values and their sum; how many flows join two slices. What differs must be
// in KNOWN, in lines `FILE: DIFFERENCES | REASON`, exactly so; --update writes what is seen and keeps the reasons. Exit
// status 0 when all is as known.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { queryTrace } from "./engine.mjs";
import { readKnown, writeKnown } from "./known.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const QUERIES = {
  slice: `select ifnull(name, ''), count(*), sum(dur),
            sum(dur - ifnull((select sum(c.dur) from slice c where c.parent_id = s.id and c.dur > 0), 0))
          from slice s where dur >= 0 group by 1`,
  counter: `select ifnull(t.name, ''), count(*), sum(c.value)
            from counter c join track t on t.id = c.track_id where t.name != 'thread_time' group by 1`,
  flows: "select '', count(*) from flow",
};

function parse(words) {
  const options = { show: 2, known: path.join(here, "known_shape.txt"), update: false, files: [] };
  for (let i = 0; i < words.length; i++) {
    if (words[i] === "--show") options.show = Number(words[++i]);
    else if (words[i] === "--known") options.known = words[++i];
    else if (words[i] === "--update") options.update = true;
    else options.files.push(words[i]);
  }
  options.program = options.files.shift();
  if (options.program && options.files.length) return options;
  console.error("usage: shape.mjs NUMBERS [--show N] [--known FILE] [--update] FILE...");
  process.exit(2);
}

// {kind: {name: numbers}} of what the program prints.
function ours(program, file) {
  const run = spawnSync(program, [file], { encoding: "utf8", maxBuffer: 1 << 28 });
  if (run.error) throw run.error;
  if (run.status !== 0) throw new Error(`exit status ${run.status}: ${run.stderr.trim()}`);
  const all = { slice: new Map(), counter: new Map(), flows: new Map() };
  for (const line of run.stdout.split("\n").filter(Boolean)) {
    const [kind, ...rest] = line.split("\t");
    if (kind === "flows") all.flows.set("", rest);
    else all[kind]?.set(rest[0], rest.slice(1));
  }
  return all;
}

const round = (value) => (/^-?\d+$/.test(value) ? value : Number(value).toPrecision(6));
const same = (a, b) => a.length === b.length && a.every((value, i) => value === b[i] || round(value) === round(b[i]));

async function judge(options, home, file) {
  const own = ours(options.program, file);
  const tables = await queryTrace(home, file, QUERIES);
  const notes = [], lines = [];
  for (const kind of Object.keys(QUERIES)) {
    const rows = new Map(tables[kind].rows.map(([name, ...values]) => [String(name), values.map(String)]));
    const names = [...new Set([...rows.keys(), ...own[kind].keys()])];
    const different = names.filter((name) => !same(rows.get(name) ?? [], own[kind].get(name) ?? []));
    if (different.length) notes.push(`${kind} ${different.length}/${names.length}`);
    for (const name of different.slice(0, options.show))
      lines.push(`    ${kind} ${JSON.stringify(name)}: engine ${rows.get(name)}, ours ${own[kind].get(name)}`);
  }
  return { notes: notes.join(", "), lines };
}

const options = parse(process.argv.slice(2));
const home = execFileSync(path.join(here, "fetch.sh"), { encoding: "utf8" }).trim();
const known = readKnown(options.known);
const seen = new Map();
let bad = 0;
for (const file of options.files) {
  const name = path.join(...file.split(path.sep).slice(-2));
  const { notes, lines } = await judge(options, home, file).catch(
      (error) => ({ notes: `FAILED: ${error.message}`, lines: [] }));
  const expected = known.get(name) ?? { notes: "" };
  const failed = notes.startsWith("FAILED"); // nothing was compared: never known
  const good = !failed && notes === expected.notes && (!notes || Boolean(expected.reason));
  if (!failed) seen.set(name, { notes });
  if (!good) bad++;
  console.log(`${good ? "PASS" : "MISS"} ${name}${notes ? `: ${notes}` : ""}`);
  if (!good) lines.forEach((line) => console.log(line));
}
if (options.update) writeKnown(options.known, known, seen);
console.log(`shape: ${options.files.length - bad} as known, ${bad} not`);
process.exit(bad ? 1 : 0);
