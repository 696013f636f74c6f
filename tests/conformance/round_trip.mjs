#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// round_trip.mjs TRACEBRIDGE [--show N] [--through-fxt] FILE...
//
// Converts each JSON FILE to Perfetto and back, or with --through-fxt to FXT and back. What comes back must mean what
// went in: every event with every member, the metadata, the other members of the outermost object (meaning.mjs says
// what is equal). Which slices flows join is compared in run.mjs. Prints a line for each file; exit status 0 when
// nothing differs.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArguments } from "./arguments.mjs";
import { readTrace } from "./json.mjs";
import { compare, rows } from "./meaning.mjs";

function convert(program, input, output) {
  const run = spawnSync(program, ["convert", input, "-o", output], { encoding: "utf8" });
  if (run.status !== 0 && run.status !== 4)
    throw new Error(`exit status ${run.status}: ${run.stderr.trim().split("\n").pop()}`);
}

const options = parseArguments("round_trip.mjs");
const work = fs.mkdtempSync(path.join(os.tmpdir(), "round_trip-"));
let bad = 0;
for (const file of options.files) {
  const there = path.join(work, options.throughFxt ? "there.fxt" : "there.perfetto-trace");
  const back = path.join(work, "back.json");
  try {
    convert(options.program, file, there);
    convert(options.program, there, back);
    const { lost, more } = compare(rows(readTrace(file)), rows(readTrace(back)));
    if (lost.length || more.length) bad++;
    console.log(`${lost.length || more.length ? "DIFFER" : "same  "} ${path.basename(file)}: lost ${lost.length}, new ${
        more.length}`);
    for (const text of lost.slice(0, options.show)) console.log(`    - ${text.slice(0, 300)}`);
    for (const text of more.slice(0, options.show)) console.log(`    + ${text.slice(0, 300)}`);
  } catch (error) {
    bad++;
    console.log(`FAILED ${path.basename(file)}: ${error.message}`);
  }
}
fs.rmSync(work, { recursive: true });
process.exit(bad ? 1 : 0);
