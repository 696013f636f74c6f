#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// answers.mjs TRACEBRIDGE FILE...
//
// Each FILE names a trace and asks Perfetto's own trace processor about what TRACEBRIDGE makes of it: a line `trace: PATH`, seen from the
// FILE; then queries, each on a line of its own and followed by the rows that must come, indented, with | between their columns. For
// tables that the importers of other formats do not fill, so that nothing is there to compare with. Prints what differs.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { queryTrace } from "./engine.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const [program, ...files] = process.argv.slice(2);
if (!files.length) {
  console.error("usage: answers.mjs TRACEBRIDGE FILE...");
  process.exit(2);
}

function parse(file) {
  const questions = [];
  let trace;
  for (const line of fs.readFileSync(file, "utf8").split("\n")) {
    if (line.startsWith("trace: ")) trace = path.resolve(path.dirname(file), line.slice(7));
    else if (line.startsWith("  ")) questions.at(-1).rows.push(line.slice(2));
    else if (line && !line.startsWith("#")) questions.push({ sql: line, rows: [] });
  }
  if (!trace || !questions.length) throw new Error(`${file}: no trace, or no question`);
  return { trace, questions };
}

const work = fs.mkdtempSync(path.join(os.tmpdir(), "answers-"));
const home = execFileSync(path.join(here, "fetch.sh"), { encoding: "utf8" }).trim();
let wrong = 0;
for (const file of files) {
  const { trace, questions } = parse(file);
  const output = path.join(work, `${path.basename(file)}.perfetto-trace`);
  execFileSync(program, ["convert", "--quiet", trace, "-o", output]);
  const tables = await queryTrace(home, output, Object.fromEntries(questions.map(({ sql }, i) => [i, sql])));
  questions.forEach(({ sql, rows }, i) => {
    const answer = tables[i].rows.map((row) => row.map(String).join("|"));
    if (JSON.stringify(answer) === JSON.stringify(rows)) return;
    wrong++;
    console.log(`${path.basename(file)}: ${sql}\nexpected\n  ${rows.join("\n  ")}\nanswered\n  ${answer.join("\n  ")}`);
  });
  console.log(`${path.basename(file)}: ${questions.length} questions`);
}
fs.rmSync(work, { recursive: true });
process.exit(wrong ? 1 : 0);
