// SPDX-License-Identifier: Apache-2.0
//
// Judges random cases of FXT and of Perfetto, many in one trace: Perfetto's trace processor must see in what we make of
// them what it sees in them.
import fs from "node:fs";
import path from "node:path";
import {queryTrace} from "../engine.mjs";
import {TABLES, compareTable} from "../tables.mjs";
import {writeFxt} from "./fxt_case.mjs";
import {Faults, slotOf} from "./judging.mjs";
import {writePerfetto} from "./perfetto_packets.mjs";
import {convert, sameEitherWay} from "./ways.mjs";

// What idle threads do, which FXT does not say.
function withoutIdle(sched) {
  const tid = sched.columns.indexOf("tid");
  sched.rows = sched.rows.filter((row) => String(row[tid]) !== "0");
}

// Compares the tables of `file` with those of what the conversions to `suffixes`, one after the other, make of it.
async function through(context, file, suffixes, faults, tables) {
  let last = file;
  for (const [i, suffix] of suffixes.entries()) {
    const next = path.join(context.work, `through-${i}${suffix}`);
    convert(context.program, last, next);
    last = next;
  }
  const [expected, actual] = await Promise.all([file, last].map((trace) => queryTrace(context.home, trace, tables)));
  if (expected.sched && suffixes.includes(".fxt")) withoutIdle(expected.sched);
  for (const table of Object.keys(tables))
    for (const row of compareTable(expected[table], actual[table]).missing)
      faults.add(slotOf(table, row), `through ${suffixes.join(" ")}: - ${table} ${JSON.stringify(row)}`);
}

// The importer of FXT has arguments under their names alone.
const FXT_TABLES = {
  ...TABLES,
  args: `
    select s.ts, s.name, a.key,
      coalesce(a.string_value, cast(a.int_value as text), printf('%.15g', a.real_value)) as value
    from slice s join args a using (arg_set_id)`,
};

const only = (...names) => Object.fromEntries(names.map((name) => [name, TABLES[name]]));

// `piped`: the file that is read both ways.
async function judge(context, file, ways, way, piped = file) {
  const faults = new Faults();
  for (const [suffixes, tables] of ways)
    if (!way || way === `through ${suffixes.join(" ")}`) await through(context, file, suffixes, faults, tables);
  if (!way || way === "either way")
    for (const text of await sameEitherWay(context, piped)) faults.add(-1, `either way: ${text}`);
  return faults.list;
}

export async function judgeFxt(context, cases, way) {
  const file = path.join(context.work, "source.fxt");
  fs.writeFileSync(file, writeFxt(cases));
  return judge(
      context, file,
      [
        [[".perfetto-trace"], TABLES],
        [[".fxt"], FXT_TABLES],
        [[".perfetto-trace", ".fxt"], FXT_TABLES],
        [[".json"], only("flows")],
      ],
      way);
}

export async function judgePerfetto(context, cases, way) {
  const file = path.join(context.work, "source.pftrace");
  fs.writeFileSync(file, writePerfetto(cases));
  // A pipe is not searched for what describes a track behind its events
  const piped = path.join(context.work, "piped.pftrace");
  fs.writeFileSync(piped, writePerfetto(cases, true));
  return judge(context, file, [[[".json"], TABLES], [[".fxt", ".perfetto-trace"], TABLES]], way, piped);
}

// Cases without some of their events.
export function* fewer(one) {
  for (let size = Math.ceil(one.events.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let at = 0; at < one.events.length; at += size) yield {...one, events: one.events.toSpliced(at, size)};
}

// A text for people: an event a line.
export function showEvents(one) {
  const plain = (key, value) =>
      (typeof value === "bigint"    ? String(value) :
           value?.type === "Buffer" ? Buffer.from(value.data).toString("hex") :
                                      value);
  return [...(one.objects ?? one.tracks), ...one.events].map((event) => JSON.stringify(event, plain)).join("\n");
}
