#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// shape.mjs EXAMPLES [--show N] [--known FILE] [--update] FILE...
//
// Runs self_time, counters and flow_edges of docs/examples, which read the one shape of events, from the folder
// EXAMPLES over each FILE, and asks Perfetto's trace processor for the same numbers: by name how many slices there are
// and how long they last in all and without those inside of them; of each counter how many values and their sum; how
// many flows join two slices. Events of the kernel that are instants to users are slices of no length in both. What
// differs must be in KNOWN, in lines `FILE: DIFFERENCES | REASON`, exactly so; --update writes what is seen and keeps
// the reasons. Exit status 0 when all is as known.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { queryTrace } from "./engine.mjs";
import { SAID } from "./kernel_kinds.mjs";
import { judgeAll } from "./known.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const QUERIES = {
  slice: `select name, count(*), sum(dur), sum(own) from (
            select ifnull(name, '') name, dur,
              dur - ifnull((select sum(c.dur) from slice c where c.parent_id = s.id and c.dur > 0), 0) own
            from slice s where dur >= 0
            union all select name, 0, 0 from ftrace_event where name not in (${[...SAID].map((name) => `'${name}'`)}))
          group by 1`,
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
  options.examples = options.files.shift();
  if (options.examples && options.files.length) return options;
  console.error("usage: shape.mjs EXAMPLES [--show N] [--known FILE] [--update] FILE...");
  process.exit(2);
}

// The name and the numbers behind it of each row that an example prints of a file; names may have tabs and line breaks.
function rowsOf(examples, name, file, numbers) {
  const run = spawnSync(path.join(examples, `example_${name}`), [file], { encoding: "utf8", maxBuffer: 1 << 28 });
  if (run.error) throw run.error;
  if (run.status !== 0) throw new Error(`${name}: exit status ${run.status}: ${run.stderr.trim()}`);
  const row = new RegExp(`([^]*?)${"\\t([-+.\\w]+)".repeat(numbers)}\\n`, "g");
  return [...run.stdout.matchAll(row)].map((found) => found.slice(1));
}

// {kind: {name: numbers}} of what the programs print.
function ours(examples, file) {
  const slice = new Map(rowsOf(examples, "self_time", file, 3).map(([name, ...numbers]) => [name, numbers]));
  const counter = new Map();
  for (const [name, count, , , , sum] of rowsOf(examples, "counters", file, 5)) {
    const [before, total] = counter.get(name) ?? [0, 0];
    counter.set(name, [String(Number(before) + Number(count)), String(Number(total) + Number(sum))]);
  }
  return { slice, counter, flows: new Map([["", [String(rowsOf(examples, "flow_edges", file, 1).length)]]]) };
}

const round = (value) => (/^-?\d+$/.test(value) ? value : Number(value).toPrecision(6));
const same = (a, b) => a.length === b.length && a.every((value, i) => value === b[i] || round(value) === round(b[i]));

async function judge(options, home, file) {
  const own = ours(options.examples, file);
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
process.exit(await judgeAll("shape", options, (file) => judge(options, home, file)) ? 0 : 1);
