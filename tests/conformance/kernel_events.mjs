#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// kernel_events.mjs EXAMPLES [--show N] [--known FILE] [--update] FILE...
//
// Runs kernel_events of docs/examples, from the folder EXAMPLES, over each FILE, and asks Perfetto's trace processor
// for the same events of the kernel: time, processor, thread, kind and fields. All that the program prints must be
// among them, and all of kinds that no slice, counter or state says. Where the trace processor knows why a thread
// waited, an event must say it. What differs must be in KNOWN, in lines `FILE: DIFFERENCES | REASON`, exactly so;
// --update writes what is seen and keeps the reasons. Exit status 0 when all is as known.
import { execFileSync, spawnSync } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { queryTrace } from "./engine.mjs";
import { SAID } from "./kernel_kinds.mjs";
import { judgeAll } from "./known.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const QUERIES = {
  events: `select f.id, f.ts, c.cpu, t.tid, f.name, a.key, a.value_type, a.string_value, a.int_value
           from ftrace_event f join cpu c using (ucpu) join thread t using (utid)
           left join args a on a.arg_set_id = f.arg_set_id`,
  waits: `select tid, since, until, io_wait, blocked_function from (
            select t.tid, s.ts since, lead(s.ts) over (partition by s.utid order by s.ts) until, io_wait,
              blocked_function
            from thread_state s join thread t using (utid) where s.state not in ('R', 'R+', 'Running'))
          where io_wait is not null`,
};

function parse(words) {
  const options = { show: 3, known: path.join(here, "known_kernel_events.txt"), update: false, files: [] };
  for (let i = 0; i < words.length; i++) {
    if (words[i] === "--show") options.show = Number(words[++i]);
    else if (words[i] === "--known") options.known = words[++i];
    else if (words[i] === "--update") options.update = true;
    else options.files.push(words[i]);
  }
  options.examples = options.files.shift();
  if (options.examples && options.files.length) return options;
  console.error("usage: kernel_events.mjs EXAMPLES [--show N] [--known FILE] [--update] FILE...");
  process.exit(2);
}

const timeOf = (row) => BigInt(row.split("\t", 1)[0]);
const kindOf = (row) => row.split("\t", 4)[3];
const fieldOf = (row, name) => row.split("\t").find((field) => field.startsWith(`${name}=`))?.slice(name.length + 1);

// A number as the trace processor has it: of 64 bits with a sign.
const signed = (field) => field.replace(/(?<==)\d{19,20}$/, (digits) => String(BigInt.asIntN(64, BigInt(digits))));

// TIME, CPU, THREAD, KIND and fields in the order of their names, with tabs between.
function rowOf(head, fields) {
  return [...head, ...fields.sort()].join("\t");
}

function ours(examples, file) {
  const run = spawnSync(path.join(examples, "example_kernel_events"), [file], { encoding: "utf8", maxBuffer: 1 << 28 });
  if (run.error) throw run.error;
  if (run.status !== 0) throw new Error(`exit status ${run.status}: ${run.stderr.trim()}`);
  const lines = run.stdout.split(/\n(?=-?\d+\t\d+\t\d+\t|$)/).filter((line) => line);
  return lines.map((line) => line.split("\t")).map((parts) => rowOf(parts.slice(0, 4), parts.slice(4).map(signed)));
}

function rowsOf(table) {
  const events = new Map();
  for (const [id, ts, cpu, tid, name, key, type, text, number] of table.rows) {
    if (!events.has(id)) events.set(id, { head: [ts, cpu, tid, name], fields: [] });
    if (key !== null) events.get(id).fields.push(`${key}=${type === "string" ? text : number}`);
  }
  return [...events.values()].map(({ head, fields }) => rowOf(head, fields));
}

// What of `rows` is not in `others`, each as often as it is.
function without(rows, others) {
  const left = new Map();
  for (const row of others) left.set(row, (left.get(row) ?? 0) + 1);
  return rows.filter((row) => {
    const count = left.get(row) ?? 0;
    left.set(row, count - 1);
    return count <= 0;
  });
}

// Waits of which no event of ours, before the thread waits again, says the same.
function unexplained(waits, own) {
  const reasons = own.filter((row) => kindOf(row) === "sched_blocked_reason");
  return waits.rows.filter(([tid, from, to, ioWait, place]) => !reasons.some((row) =>
    fieldOf(row, "pid") === String(tid) && fieldOf(row, "io_wait") === String(ioWait) &&
    (place === null || fieldOf(row, "caller") === place) &&
    timeOf(row) >= BigInt(from) && (to === null || timeOf(row) <= BigInt(to))));
}

async function judge(options, home, file) {
  const own = ours(options.examples, file);
  const { events, waits } = await queryTrace(home, file, QUERIES);
  const all = rowsOf(events);
  const found = {
    lost: without(all.filter((row) => !SAID.has(kindOf(row))), own),
    made: without(own, all),
    waits: unexplained(waits, own),
  };
  const notes = Object.keys(found).filter((what) => found[what].length).map((what) => `${what} ${found[what].length}`);
  const lines = Object.entries(found).flatMap(([what, rows]) =>
    rows.slice(0, options.show).map((row) => `    ${what}: ${String(row).replaceAll("\t", " ")}`));
  return { notes: notes.join(", "), lines };
}

const options = parse(process.argv.slice(2));
const home = execFileSync(path.join(here, "fetch.sh"), { encoding: "utf8" }).trim();
process.exit(await judgeAll("kernel events", options, (file) => judge(options, home, file)) ? 0 : 1);
