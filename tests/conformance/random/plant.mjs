#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// plant.mjs SOURCE [--apply | --cases N]
//
// Do the random traces find defects? Copies the source tree SOURCE, builds the program, plants one defect at a time in
// the converter, and runs run.mjs (300 cases) with what comes of it: ten builds, so this is run by hand. Prints a line
// for each; exit status 0 when the tree as it is passes and at least nine of the ten are found. --apply only looks
// whether each defect can still be planted, which is a test.
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const ENOUGH = 9;
const seed = String(randomInt(2 ** 30)); // of all runs, so that only a defect makes a difference

// What it is, the file below bridge/, the text that goes, and the one that comes.
const DEFECTS = [
  ["a global or process instant of phase I is its thread's", "chrome_json/reader/event_resolve.c",
    "PHASE('I') = {TB_EVENT_INSTANT, BY_SCOPE,", "PHASE('I') = {TB_EVENT_INSTANT, ON_THREAD,"],
  ["id2 is not taken", "chrome_json/reader/event_resolve.c",
    "if (parse->id2.kind && event->id.kind == TB_ID_NONE)", "if (parse->id2.kind && event->id.kind != TB_ID_NONE)"],
  ["flow ends always bind to the next slice", "timeline/flow_binder.c",
    "return e->flow == TB_FLOW_IN_NEXT ? wait_for_next", "return e->flow == TB_FLOW_IN ? wait_for_next"],
  ["the last digit of a time is off", "json/text.c", "rest = (unsigned)(n % 1000), first",
    "rest = (unsigned)(n % 1000) & ~1u, first"],
  ["an end takes the innermost slice whatever its name", "timeline/slice_matcher.c",
    "uint32_t number = m->tops[e->key];\n", "uint32_t number = m->tops[e->key];\n  if (number) return number;\n"],
  ["complete slices that end where others begin enclose these", "timeline/slice_nester.c",
    "return tb_slice_end(e->ts, e->dur);", "return tb_slice_end(e->ts, e->dur + 1);"],
  ["steps of async slices of FXT have no id", "fxt/reader/events.c",
    "[TB_FXT_ASYNC_INSTANT] = {TB_EVENT_ASYNC_INSTANT, 'n', true}",
    "[TB_FXT_ASYNC_INSTANT] = {TB_EVENT_ASYNC_INSTANT, 'n', false}"],
  ["inline threads of FXT are of the process of their own number", "fxt/reader/args.c",
    "tb_fxt_thread_track(&fx->tables, process_koid, thread_koid, &track)",
    "tb_fxt_thread_track(&fx->tables, thread_koid | (process_koid & 0), thread_koid, &track)"],
  ["flows of Perfetto do not end", "perfetto/reader/track_event_importer.c",
    "event->terminating_flow_count = fields->terminating_flows.count;", "event->terminating_flow_count = 0;"],
  ["interned data stays when a sequence starts again", "perfetto/packet/sequence_state.c",
    "if (head->cleared) clear(state, sequence);", "if (head->cleared && !sequence->id) clear(state, sequence);"],
];

const [source, ...words] = process.argv.slice(2);
if (!source) {
  console.error("usage: plant.mjs SOURCE [--apply | --cases N]");
  process.exit(2);
}
const lost = DEFECTS.filter(([, name, from]) => {
  const file = path.join(source, "bridge", name);
  return !fs.existsSync(file) || fs.readFileSync(file, "utf8").split(from).length !== 2;
});
for (const [what, name, from] of lost) console.log(`FAIL ${what}: bridge/${name} has no single ${from.trim()}`);
if (lost.length || words.includes("--apply")) process.exit(lost.length ? 1 : 0);
const work = fs.mkdtempSync(path.join(os.tmpdir(), "plant-")), tree = path.join(work, "tree");
const build = path.join(work, "build");

function must(words, options = {}) {
  const done = spawnSync(words[0], words.slice(1), { encoding: "utf8", ...options });
  if (done.status !== 0) throw new Error(`${words.join(" ")}: ${(done.stderr || done.stdout).slice(-600)}`);
  return done.stdout;
}

// How many cases of each kind fail with the tree as it is now, as a map of those with any.
function judge(more = []) {
  must(["cmake", "--build", build, "--target", "tracebridge", "-j2"]);
  const script = path.join(tree, "tests/conformance/random/run.mjs");
  const run = [script, path.join(build, "tracebridge"), "--no-shrink", "--from", seed, ...more, ...words];
  const done = spawnSync(process.execPath, run, { encoding: "utf8" });
  const failed = [...done.stdout.matchAll(/^FAIL (\w+): (\d+) of (\d+)/gm)];
  // It came to no end, which says nothing of a defect
  if (done.status !== 0 && !failed.length)
    throw new Error(`run.mjs: ${(done.stderr || String(done.error)).slice(-600)}`);
  return new Map(failed.map(([, kind, passed, all]) => [kind, all - passed]));
}

fs.mkdirSync(tree);
for (const file of must(["git", "-C", source, "ls-files"]).trim().split("\n")) {
  fs.mkdirSync(path.dirname(path.join(tree, file)), { recursive: true });
  fs.copyFileSync(path.join(source, file), path.join(tree, file));
}
must(["cmake", "-S", tree, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", "-DBUILD_TESTING=OFF",
  "-DTRACEBRIDGE_EXAMPLES=OFF", "-DTRACEBRIDGE_FUZZERS=OFF"]);
const show = (counts) => [...counts].map(([kind, count]) => `${count} of ${kind}`).join(", ") || "all cases pass";
const before = judge();
console.log(`${before.size ? "FAIL" : "PASS"} no defect, seeds from ${seed}: ${show(before)}`);
let found = 0;
for (const [what, name, from, to] of DEFECTS) {
  const file = path.join(tree, "bridge", name), text = fs.readFileSync(file, "utf8");
  fs.writeFileSync(file, text.replace(from, to));
  const failed = judge(before.size ? [] : ["--first"]); // the same seeds
  fs.writeFileSync(file, text);
  const isFound = [...failed].some(([kind, count]) => count > (before.get(kind) ?? 0));
  found += isFound;
  console.log(`${isFound ? "found" : "MISSED"} ${what}: ${show(failed)}`);
}
fs.rmSync(work, { recursive: true });
console.log(`${found} of ${DEFECTS.length} defects found`);
process.exit(before.size || found < ENOUGH ? 1 : 0);
