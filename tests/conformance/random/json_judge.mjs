// SPDX-License-Identifier: Apache-2.0
//
// Judges random JSON cases, many in one trace: what Perfetto's trace processor sees in our output, what comes back, and
// whether the same comes out whichever way the trace is read.
import fs from "node:fs";
import path from "node:path";
import {queryTrace} from "../engine.mjs";
import {readTrace, writeTrace} from "../json.mjs";
import {compare, rows} from "../meaning.mjs";
import {SAMPLES, isNear, normalize} from "../plain_rows.mjs";
import {eventsOf, sayPlainly} from "../plain_words.mjs";
import {TABLES, compareTable} from "../tables.mjs";
import {slotOfId} from "./json_case.mjs";
import {writeCases} from "./json_text.mjs";
import {Faults, slotOf} from "./judging.mjs";
import {convert, sameEitherWay} from "./ways.mjs";

const ASKED = Object.fromEntries(Object.entries(TABLES).filter(([table]) => !["sched", "states"].includes(table)));

// What the importer's defects hide, in the order in which it is tried: the source itself, then in plain words.
const WORDS = [
  null, {slices: "none"}, {slices: "zero_length"}, {slices: "all"}, {slices: "none", async: true},
  {slices: "all", async: true}
];

function plain(file, output, words) {
  const trace = readTrace(file), how = sayPlainly(trace, words);
  fs.writeFileSync(output, writeTrace(trace));
  return how;
}

// Rows of the importer's that ours lack, by slot.
async function missing(context, file, ours, words) {
  const faults = new Faults();
  let how = null, source = file;
  if (words) how = plain(file, source = `${file}.plain.json`, words);
  const expected = await queryTrace(context.home, source, ASKED);
  for (const table of Object.keys(ASKED)) {
    if (how && table === SAMPLES) continue;
    const [a, b] = how ?
        [
          normalize(table, expected[table], {}),
          normalize(table, ours[table], {shift: how.shift, ids: how.ids})
        ] :
        [expected[table], ours[table]];
    const found = compareTable(a, b);
    for (const row of found.missing) {
      if (table === "args" && found.more.some((other) => isNear(row, other))) continue;
      const at = how && !["threads", "processes"].includes(table) ? [String(BigInt(row[0]) + how.shift)] : row;
      faults.add(slotOf(table, at), `to Perfetto: - ${table} ${JSON.stringify(row)}`);
    }
  }
  return faults.list;
}

async function toPerfetto(context, cases, faults) {
  const file = path.join(context.work, "source.json"), there = path.join(context.work, "ours.perfetto-trace");
  let left = cases.filter((one) => !one.unplaced), ours, judged, found;
  const open = new Set(left.map((one) => one.slot));  // what no words have explained yet
  const LOOSE = -1;                                   // rows that are of no slot
  open.add(LOOSE);
  // The importer drops these, and sees them in plain words alone
  const isUnmeasured = (event) => event.get("ph") === "X" && !event.has("dur");
  const unmeasured = new Set(left.filter((one) => one.events.some(isUnmeasured)).map((one) => one.slot));
  for (const words of left.length ? WORDS : []) {
    if (judged !== left) {
      fs.writeFileSync(file, writeCases(left));
      convert(context.program, file, there);
      [judged, ours] = [left, await queryTrace(context.home, there, ASKED)];
    }
    found = await missing(context, file, ours, words);
    for (const [slot, texts] of words ? [] : found)
      for (const text of texts.filter((row) => row.includes(` ${SAMPLES} `))) faults.add(slot, text);
    const isLoose = [...found.keys()].some((slot) => !left.some((one) => one.slot === slot));
    for (const slot of open)
      if (slot === LOOSE ? !isLoose : !found.has(slot) && (words || !unmeasured.has(slot))) open.delete(slot);
    if (!open.has(LOOSE) && left.some((one) => !open.has(one.slot))) left = left.filter((one) => open.has(one.slot));
    if (!left.length) return;
  }
  for (const slot of open)
    for (const text of found?.get(slot) ?? [...(found?.values() ?? [])].flat()) faults.add(slot, text);
}

// The events of each slot, as traces of their own.
function bySlot(file) {
  const trace = readTrace(file), slots = new Map();
  const of = (slot) => slots.get(slot) ?? slots.set(slot, {traceEvents: [], samples: []}).get(slot);
  const slotOfEvent = (event) => {
    const ns = Number(String(event.ts ?? "").replace("\u0001", "")) * 1000;
    if (event.ph !== "M" && Number.isFinite(ns) && ns >= 1e6) return Math.floor(ns / 1e6) - 1;
    const text = String(event.pid ?? "").replace("\u0001", "");
    return text.startsWith("p") ? Number(text.slice(1).split(".")[0]) : slotOfId(text);
  };
  for (const event of eventsOf(trace)) of(slotOfEvent(event)).traceEvents.push(event);
  for (const sample of trace.samples ?? []) of(slotOfEvent(sample)).samples.push(sample);
  for (const one of slots.values()) one.stackFrames = trace.stackFrames;
  for (const one of slots.values())
    if (!trace.stackFrames) delete one.stackFrames;
  return slots;
}

function thereAndBack(context, cases, suffix, faults) {
  const [file, there, back] = ["trip.json", `there${suffix}`, "back.json"].map((name) => path.join(context.work, name));
  fs.writeFileSync(file, writeCases(cases));
  convert(context.program, file, there);
  convert(context.program, there, back);
  const before = bySlot(file), after = bySlot(back), none = {traceEvents: []};
  for (const {slot} of cases) {
    const {lost, more} = compare(rows(before.get(slot) ?? none), rows(after.get(slot) ?? none));
    for (const text of lost) faults.add(slot, `back through ${suffix.slice(1)}: - ${text}`);
    for (const text of more) faults.add(slot, `back through ${suffix.slice(1)}: + ${text}`);
  }
}

// {slot: texts of what is wrong}. Where `way` is given, of that way alone.
export async function judgeJson(context, cases, way) {
  const faults = new Faults(), file = path.join(context.work, "whole.json");
  const ways = {
    "to Perfetto": () => toPerfetto(context, cases, faults),
    "back through perfetto-trace": () => thereAndBack(context, cases, ".perfetto-trace", faults),
    "either way": async () => {
      fs.writeFileSync(file, writeCases(cases));
      for (const text of await sameEitherWay(context, file)) faults.add(-1, `either way: ${text}`);
    },
  };
  for (const [name, judge] of Object.entries(ways))
    if (!way || way === name) await judge();
  return faults.list;
}

// The same of cases without what FXT has no place for, there and back.
export async function judgeJsonThroughFxt(context, cases) {
  const faults = new Faults();
  thereAndBack(context, cases, ".fxt", faults);
  return faults.list;
}
