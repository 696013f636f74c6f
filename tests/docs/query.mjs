#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// query.mjs TRACE SQL: what Perfetto's trace processor answers: names of columns, then rows, cells apart by tabs.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { queryTrace } from "../conformance/engine.mjs";

const [trace, sql] = process.argv.slice(2);
const home =
    execFileSync(fileURLToPath(new URL("../conformance/fetch.sh", import.meta.url)), {encoding: "utf8"}).trim();
try {
  const { answer } = await queryTrace(home, trace, { answer: sql });
  for (const row of [answer.columns, ...answer.rows]) console.log(row.map((cell) => String(cell ?? "NULL")).join("\t"));
} catch (error) {
  console.log(error.message);
  process.exitCode = 1;
}
