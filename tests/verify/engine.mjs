// SPDX-License-Identifier: Apache-2.0
//
// engine.mjs FOLDER: Perfetto's trace processor counts in its table `stats` what `verify` says that it counts.
// The traces are those that run.py left in FOLDER, and what verify found in each, NAME.found. Of the names that a
// finding has, one at least must count something where the trace is loaded, and no error may be counted that no finding
// has a name of.
import fs from "node:fs";
import path from "node:path";
import { execFileSync } from "node:child_process";
import { queryTrace } from "../conformance/engine.mjs";

const home = process.env.TRACE_PROCESSOR_HOME ??
  execFileSync(path.join(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname),
                         "../conformance/fetch.sh"), { encoding: "utf8" }).trim();
const stats = "select name from stats where value > 0 and severity in ('error', 'data_loss')";
const counted = "select name from stats where value > 0";

// What it counts in one format and not in another.
const UNCOUNTED = new Set(["flow_without_begin.pftrace"]);

async function fault(found) {
  const trace = found.slice(0, -".found".length);
  const { findings } = JSON.parse(fs.readFileSync(found, "utf8"));
  let tables;
  try {
    tables = await queryTrace(home, trace, { stats, counted });
  } catch (error) {
    const known = findings.some(({ code }) => code === "cut" || code === "damaged");
    return known ? null : `${trace}: refused: ${error.message}`;
  }
  const names = new Set(tables.counted.rows.map(([name]) => name));
  for (const { code, stats: said } of findings) {
    const wanted = said.split(" ").filter(Boolean);
    if (UNCOUNTED.has(code + path.extname(trace))) continue;
    if (wanted.length && !wanted.some((name) => names.has(name))) return `${trace}: ${code}: none of ${wanted} counts`;
  }
  // What the engine calls an error is one of ours, or none of it is found.
  const explained = new Set(findings.flatMap(({ stats: said }) => said.split(" ")));
  const odd = tables.stats.rows.flat().filter((name) => !explained.has(name) && !name.startsWith("clock_sync_failure"));
  return odd.length ? `${trace}: the engine counts ${odd}, verify found ${findings.map(({ code }) => code)}` : null;
}

const folder = process.argv[2];
const traces = fs.readdirSync(folder).filter((name) => name.endsWith(".found")).map((name) => path.join(folder, name));
const faults = [];
for (const trace of traces) faults.push(await fault(trace));
const said = faults.filter(Boolean);
for (const line of said) console.log(line);
console.log(`${traces.length} traces, ${said.length} faults`);
process.exit(said.length || !traces.length ? 1 : 0);
