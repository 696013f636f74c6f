#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// engine_rows.mjs FILE...: what Perfetto's trace processor sees in each file, as JSON by its path: of slices their
// name, number and length; of counters their name, number of values and sum; how many flows there are.
import { execFileSync } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { queryTrace } from "../conformance/engine.mjs";

const fetch = path.join(path.dirname(fileURLToPath(import.meta.url)), "../conformance/fetch.sh");
const home = execFileSync(fetch, { encoding: "utf8" }).trim();
const QUERIES = {
  slices: "select ifnull(name, ''), count(*), sum(dur) from slice where dur >= 0 group by 1",
  counters: `select ifnull(t.name, ''), count(*), sum(c.value)
             from counter c join track t on t.id = c.track_id group by 1`,
  flows: "select '', count(*), 0 from flow",
};
const rows = {};
for (const file of process.argv.slice(2)) {
  const tables = await queryTrace(home, file, QUERIES);
  rows[file] = Object.fromEntries(Object.keys(QUERIES).map((kind) =>
    [kind, Object.fromEntries(tables[kind].rows.map(([name, ...values]) => [name, values.map(Number)]))]));
}
console.log(JSON.stringify(rows));
process.exit(0);
