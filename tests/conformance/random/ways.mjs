// SPDX-License-Identifier: Apache-2.0
//
// The ways in which the program is run, and what must be the same whichever it is.
import {spawnSync} from "node:child_process";
import fs from "node:fs";
import {queryTrace} from "../engine.mjs";
import {TABLES} from "../tables.mjs";

export function run(program, words, input) {
  const done = spawnSync(program, words, {input, encoding: "utf8", maxBuffer: 1 << 28});
  if (done.status !== 0 && done.status !== 4)
    throw new Error(`${words.slice(0, 2).join(" ")}: exit status ${done.status ?? done.signal}: ${
        (done.stderr ?? "").trim().split("\n").pop()}`);
}

export function convert(program, input, output, more = []) {
  run(program, ["convert", "-q", input, "-o", output, ...more]);
}

const sorted = ({rows}) => rows.map((row) => JSON.stringify(row.map(String))).sort();

// One thread and two, a file and a pipe: the same bytes. A merge of one: the same answers.
export async function sameEitherWay({program, home, work}, file) {
  const outputs = ["one", "two", "fed", "merged"].map((name) => `${work}/way-${name}.perfetto-trace`), faults = [];
  const [one, two, fed, merged] = outputs;
  convert(program, file, one, ["-j1"]);
  convert(program, file, two, ["-j2"]);
  run(program, ["convert", "-q", "-", "-o", fed], fs.readFileSync(file));
  const bytes = fs.readFileSync(one);
  if (!bytes.equals(fs.readFileSync(two))) faults.push("-j1 and -j2 write other bytes");
  if (!bytes.equals(fs.readFileSync(fed))) faults.push("a file and a pipe give other bytes");
  const source = /\.pftrace$/.test(file) ? file : one;
  run(program, ["merge", "-q", "--unplaced=start", source, "-o", merged]);
  const [before, after] = await Promise.all([source, merged].map((trace) => queryTrace(home, trace, TABLES)));
  for (const table of Object.keys(TABLES)) {
    const [a, b] = [sorted(before[table]), sorted(after[table])];
    const at = a.findIndex((row, i) => row !== b[i]);
    if (at >= 0 || a.length !== b.length)
      faults.push(`merge of one: ${table} ${a.length} and ${b.length} rows: ${a[at]} is ${b[at]}`);
  }
  return faults;
}
