#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// run.mjs TRACEBRIDGE [--cases N] [--seed K [--slot N]] [--from K] [--kind KIND] [--way WAY] [--no-shrink]
//         [--first]
//
// Random traces, judged by Perfetto's trace processor: README.md says how.
//
//   --cases N    so many cases, each of a seed that nobody chose (300), which are printed
//   --seed K     the case of this seed alone, as a failure prints it
//   --slot N     of that case alone: its place in the trace of a batch (0)
//   --from K     seeds from here on
//   --kind KIND  cases of one kind: json, json_fxt, fxt or perfetto
//   --way WAY    judged in one way alone: "to Perfetto", "back through perfetto-trace", …
//   --first      ends at the first batch in which one fails
//
// Prints a line for each kind, and for each case that fails the smallest trace that still does; exit status 0 when none
// fails.
import {execFileSync} from "node:child_process";
import {randomInt} from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import {fileURLToPath} from "node:url";
import {fewer, judgeFxt, judgePerfetto, showEvents} from "./binary_judge.mjs";
import {fxtCase} from "./fxt_case.mjs";
import {jsonCase} from "./json_case.mjs";
import {judgeJson, judgeJsonThroughFxt} from "./json_judge.mjs";
import {smaller, writeCases} from "./json_text.mjs";
import {perfettoCase} from "./perfetto_case.mjs";
import {shrink} from "./shrink.mjs";

const BATCH = 100; // cases that one start of the trace processor judges
const SHRUNK = 3;   // failures of a kind that are made smaller; the others have their seeds
const JSON_KIND = {
  smaller,
  show: (one) => writeCases([one])
};
const KINDS = {
  json: {share: 1, make: jsonCase, judge: judgeJson, ...JSON_KIND},
  json_fxt: {
    share: 1,
    make: (seed, slot, options) => jsonCase(seed, slot, {...options, fxt: true}),
    judge: judgeJsonThroughFxt,
    ...JSON_KIND
  },
  fxt: {share: 1 / 3, make: fxtCase, judge: judgeFxt, smaller: fewer, show: showEvents},
  perfetto: {share: 1 / 3, make: perfettoCase, judge: judgePerfetto, smaller: fewer, show: showEvents},
};

function readArguments([program, ...words]) {
  const options = {program, cases: 300, slot: 0, shrink: true, first: false};
  for (let i = 0; i < words.length; i++) {
    if (words[i] === "--first")
      options.first = true;
    else if (words[i] === "--no-shrink")
      options.shrink = false;
    else if (["--cases", "--seed", "--slot", "--from"].includes(words[i]))
      options[words[i].slice(2)] = Number(words[++i]);
    else if (["--kind", "--way"].includes(words[i]))
      options[words[i].slice(2)] = words[++i];
    else
      options.program = undefined;
  }
  if (options.program) return options;
  console.error("usage: run.mjs TRACEBRIDGE [--cases N] [--seed K [--slot N]] [--from K] [--kind KIND] " +
      "[--way WAY] [--no-shrink] [--first]");
  process.exit(2);
}

// The cases of a batch that fail: the trace processor and the program see all of them in one trace, or each half.
async function failing(context, kind, cases, way) {
  const found = await kind.judge(context, cases, way).catch((error) => new Map([[-1, [error.message]]]));
  if (cases.length === 1) return found.size ? [{one: cases[0], faults: [...found.values()].flat()}] : [];
  const failed = cases.filter((one) => found.has(one.slot)).map((one) => ({one, faults: found.get(one.slot)}));
  if (![...found.keys()].some((slot) => !cases.some((one) => one.slot === slot))) return failed;
  const half = cases.length >> 1, rest = cases.filter((one) => !found.has(one.slot));
  if (rest.length < cases.length && rest.length) return [...failed, ...await failing(context, kind, rest, way)];
  const first = await failing(context, kind, cases.slice(0, half), way);
  const halves = first.length ? first : await failing(context, kind, cases.slice(half), way);
  return halves.length ? halves : [{one: cases[0], faults: [...found.values()].flat(), together: true}];
}

async function report(context, options, kind, name, {one, faults, together}) {
  console.log(`MISS ${name} --seed ${one.seed} --slot ${one.slot} (${one.stories.join(", ")})${
      together ? " and the others of its batch together" : ""}`);
  for (const fault of faults.slice(0, 4)) console.log(`  ${fault.slice(0, 900)}`);
  if (!options.shrink || together) return;
  const way = faults[0].split(": ")[0];
  const small =
      await shrink(one, kind.smaller, async (less) => (await failing(context, kind, [less], way))[0]?.faults);
  if (!small) return console.log("  alone it does not fail");
  for (const fault of small.faults.slice(0, 4)) console.log(`  smallest: ${fault.slice(0, 900)}`);
  console.log(kind.show(small.one).split("\n").map((line) => `    ${line}`).join("\n"));
}

async function main() {
  const options = readArguments(process.argv.slice(2));
  const fetch = path.join(path.dirname(fileURLToPath(import.meta.url)), "..", "fetch.sh");
  const home = execFileSync(fetch, {encoding: "utf8"}).trim();
  const context = {home, program: options.program, work: fs.mkdtempSync(path.join(os.tmpdir(), "random-"))};
  let bad = 0;
  for (const [name, kind] of Object.entries(KINDS).filter(([name]) => !options.kind || name === options.kind)) {
    if (options.first && bad) break;
    const count = options.seed === undefined ? Math.ceil(options.cases * (options.kind ? 1 : kind.share)) : 1;
    const first = options.seed ?? options.from ?? randomInt(2 ** 31 - count);
    let failed = 0, done = 0;
    for (; done < count && !(options.first && failed); done += BATCH) {
      const seeds = Array.from({length: Math.min(BATCH, count - done)}, (_, i) => first + done + i);
      const cases = seeds.map((seed, i) => kind.make(seed, options.slot + i, options));
      for (const failure of await failing(context, kind, cases, options.way)) {
        failed++;
        await report(context, {...options, shrink: options.shrink && failed <= SHRUNK}, kind, name, failure);
      }
    }
    const judged = Math.min(done, count);
    console.log(`${failed ? "FAIL" : "PASS"} ${name}: ${judged - failed} of ${judged} cases, seeds from ${first}`);
    bad += failed;
  }
  fs.rmSync(context.work, {recursive: true});
  process.exit(bad ? 1 : 0);
}

await main();
