#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// answers.mjs TRACEBRIDGE FILE...
//
// Each FILE names a trace and asks Perfetto's own trace processor about what TRACEBRIDGE makes of it: a line `trace:
// PATH`, seen from the FILE; then queries, each on a line of its own and followed by the rows that must come, indented,
// with | between their columns, or by `  =`: those that come of the trace itself. A line `through: .SUFFIX ...` has all
// asked once more of what comes back from files of these formats, one after the other. A line `later: TIME` has that
// asked of the trace moved by so much. For tables that comparing traces does not look at. Prints what differs.
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
  let trace, through = [], later = null;
  for (const line of fs.readFileSync(file, "utf8").split("\n")) {
    if (line.startsWith("trace: ")) trace = path.resolve(path.dirname(file), line.slice(7));
    else if (line.startsWith("through: ")) through = line.slice(9).split(" ");
    else if (line.startsWith("later: ")) later = line.slice(7);
    else if (line.startsWith("  ")) questions.at(-1).rows.push(line.slice(2));
    else if (line && !line.startsWith("#")) questions.push({ sql: line, rows: [] });
  }
  if (!trace || !questions.length) throw new Error(`${file}: no trace, or no question`);
  return { trace, through, later, questions };
}

const work = fs.mkdtempSync(path.join(os.tmpdir(), "answers-"));
const home = execFileSync(path.join(here, "fetch.sh"), { encoding: "utf8" }).trim();
let wrong = 0;
const convert = (from, to) => execFileSync(program, ["convert", "--quiet", from, "-o", to]);
const ask = async (trace, questions) => {
  const tables = await queryTrace(home, trace, Object.fromEntries(questions.map(({ sql }, i) => [i, sql])));
  return questions.map((_, i) => tables[i].rows.map((row) => row.map(String).join("|")));
};

for (const file of files) {
  const { trace, through, later, questions } = parse(file);
  const name = path.basename(file), output = path.join(work, `${name}.perfetto-trace`);
  const of_itself = questions.some(({ rows }) => rows[0] === "=") ? await ask(trace, questions) : [];
  if (later) execFileSync(program, ["trim", "--quiet", trace, "-o", output, "--shift", later]);
  else convert(trace, output);
  const outputs = [["", output]];
  let last = output;
  through.forEach((suffix, i) => {
    const next = path.join(work, `${name}.${i}${suffix}`);
    convert(last, next);
    last = next;
  });
  if (through.length) {
    const back = path.join(work, `${name}.back.perfetto-trace`);
    convert(last, back);
    outputs.push([` through ${through.join(" ")}`, back]);
  }
  for (const [how, from] of outputs) {
    const answers = await ask(from, questions);
    questions.forEach(({ sql, rows }, i) => {
      const expected = rows[0] === "=" ? of_itself[i] : rows;
      if (JSON.stringify(answers[i]) === JSON.stringify(expected)) return;
      wrong++;
      console.log(
          `${name}${how}: ${sql}\nexpected\n  ${expected.join("\n  ")}\nanswered\n  ${answers[i].join("\n  ")}`);
    });
  }
  console.log(`${name}: ${questions.length} questions`);
}
fs.rmSync(work, { recursive: true });
process.exit(wrong ? 1 : 0);
