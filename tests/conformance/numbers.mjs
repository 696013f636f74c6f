#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// numbers.mjs [--root DIR] [--list]
//
// Compares every number of a format that is in our sources with the published one:
//   * fields, enum values and extensions of protos/, by name, number and type, with Perfetto's .proto files
//     (published.mjs), and the constants that field_numbers.awk makes of them with the fields themselves;
//   * paths of fields next to their names in merge/, and numbers of fields in the formats of ftrace lines;
//   * constants and arrays that are written by hand in C, with numbers.tsv, whose rows name what is published, and
//     where. What is of no format has a row, too, which says so: a number in C without a row is wrong, and so is a row
//     without a number.
// Prints what differs; --list also what was looked up. DIR is the tree to look at (another than this file's, to test
// this).
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { arraysOf, constantsOf, formatsOf, literalsOf, pathsOf } from "./numbers_in_c.mjs";
import { findDescriptors, readDescriptorSet } from "./published.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const words = process.argv.slice(2);
const root = words.includes("--root") ? words[words.indexOf("--root") + 1] : path.join(here, "../..");
const home = execFileSync(path.join(here, "fetch.sh"), { encoding: "utf8" }).trim();
const published = findDescriptors(path.join(home, "trace_processor.wasm"));
const lookedUp = [], wrong = [];
const PACKAGE = "perfetto.protos.";

// ---- the table: number, name in our source, where that is, what is published, in which file -------------------------

function readTable(file) {
  const rows = new Map();
  for (const line of fs.readFileSync(file, "utf8").split("\n")) {
    if (!line || line.startsWith("#")) continue;
    const [number, name, at, what, source] = line.split("\t");
    if (what === undefined) throw new Error(`${file}: not a row: ${line}`);
    for (const each of number === "own" ? name.split(" ") : [name])
      rows.set(`${at} ${each}`, {number, what, source, used: false});
  }
  return rows;
}
const table = readTable(path.join(root, "tests/conformance/numbers.tsv"));

function takeRow(at, name) {
  const row = table.get(`${at} ${name}`) ?? table.get(`${at} ${name.replace(/\[.*\]$/, "[*]")}`);
  if (row) row.used = true;
  return row;
}

const same = (where, number, what, expected, source) => {
  lookedUp.push(`${number}\t${where}\t${what}\t${source}`);
  if (String(number) !== String(expected)) wrong.push(`${where} is ${number}, ${what} of ${source} is ${expected}`);
};

// The number and file of `message.field` or `enum.VALUE`; undefined where Perfetto has no such thing.
function findPublished(what) {
  const dot = what.lastIndexOf("."), name = what.slice(dot + 1);
  const scope = what.startsWith("google.") ? what.slice(0, dot) : PACKAGE + what.slice(0, dot);
  const field = published.messages.get(scope)?.fields.get(name);
  if (field) return [field.number, field.file];
  const values = published.enums.get(scope);
  return values?.values.has(name) ? [values.values.get(name), values.file] : undefined;
}

function checkAgainstRow(at, name, number, row) {
  if (row.number === "own") return;
  const found = findPublished(row.what);
  if (found) {
    same(`${at}: ${name}`, number, row.what, found[0], found[1]);
    if (row.source !== found[1]) wrong.push(`numbers.tsv: ${row.what} is published in ${found[1]}, not ${row.source}`);
  }
  if (!found && /\.proto$/.test(row.source))
    wrong.push(`numbers.tsv: ${row.source} has no ${row.what}`);
  else same(`${at}: ${name}`, number, row.what, row.number, row.source ?? "numbers.tsv");
  if (found && String(found[0]) !== row.number)
    wrong.push(`numbers.tsv: ${row.what} is ${found[0]}, not ${row.number}`);
}

// ---- protos/ --------------------------------------------------------------------------------------------------------

const work = fs.mkdtempSync(path.join(os.tmpdir(), "numbers-"));
const protos = path.join(root, "protos");
const list = (directory) =>
    fs.readdirSync(path.join(protos, directory)).map((name) => path.join(protos, directory, name));
const protoFiles = list("perfetto").filter((name) => name.endsWith(".proto"));
execFileSync("protoc",
    [`-I${protos}`, "--include_imports", `--descriptor_set_out=${work}/set`, ...protoFiles, ...list("extensions")]);
const ours = readDescriptorSet(fs.readFileSync(path.join(work, "set")));
fs.rmSync(work, { recursive: true });

const BYTES = new Set(["bytes", "string", "message"]), NUMBERS = new Set(["int32", "uint32", "enum"]);
const short = (name) => name.replace(PACKAGE, "");

// Text is bytes to us, messages that pass through as well; an enum may be a number.
const agree = (mine, theirs) => mine.repeated === theirs.repeated &&
    (mine.type === theirs.type || (mine.type === "bytes" && BYTES.has(theirs.type)) ||
        (NUMBERS.has(mine.type) && theirs.type === "enum"));

const pairs = new Set(), complete = new Set(), partial = new Map();

// A message of ours may stand for several published ones with the same fields: each place that has it is looked at.
function compareMessages(name, as) {
  const mine = ours.messages.get(name), theirs = published.messages.get(as);
  if (pairs.has(`${name} ${as}`)) return;
  pairs.add(`${name} ${as}`);
  for (const field of mine.fields.values()) {
    const place = `${short(name)}.${field.name}`, row = takeRow("protos", place),
          found = theirs?.fields.get(field.name);
    const taken = theirs && [...theirs.fields.values()].find(({ number }) => number === field.number);
    if (row && (row.number === "own" || row.source?.endsWith("(newer)"))) {
      if (taken) wrong.push(`protos: ${place} has the number of ${as}.${taken.name}`);
      checkAgainstRow("protos", place, field.number, row);
    } else if (!found) {
      const complaint = `protos: ${place} is not published as ${short(as)}.${field.name}, which has ${
          taken?.name ?? "nothing"} as ${field.number}`;
      if (taken || name === as) wrong.push(complaint);
      else partial.set(place, complaint);
    } else {
      complete.add(place);
      same(`protos: ${place}`, field.number, `${short(as)}.${field.name}`, found.number, found.file);
      if (!agree(field, found))
        wrong.push(`protos: ${place} is ${field.type}, ${short(as)}.${field.name} is ${found.type}`);
      compareTypes(field, found);
    }
  }
}

function compareTypes(mine, theirs) {
  if (mine.type === "message" && theirs.type === "message") compareMessages(mine.typeName, theirs.typeName);
  if (mine.type === "enum" && theirs.type === "enum" && mine.typeName !== theirs.typeName)
    wrong.push(`protos: ${mine.name} is of ${mine.typeName}, published of ${theirs.typeName}`);
}

// The published message that one of ours has a part of, by the same name or by its row.
const publishedAs = (name) => published.messages.has(name) ? name : PACKAGE + takeRow("protos", short(name))?.what;

for (const [name] of ours.messages)
  if (published.messages.has(publishedAs(name))) compareMessages(name, publishedAs(name));
for (const [name, message] of ours.messages) {
  if ([...pairs].some((pair) => pair.startsWith(`${name} `))) continue;
  for (const field of message.fields.values()) {
    const place = `${short(name)}.${field.name}`, row = takeRow("protos", place);
    if (row?.source?.endsWith("(newer)")) checkAgainstRow("protos", place, field.number, row);
    else if (row?.number !== "own") wrong.push(`protos: ${place} is of a message that is not published`);
  }
}
for (const [place, complaint] of partial) if (!complete.has(place)) wrong.push(complaint);
for (const [name, mine] of ours.enums) {
  for (const [value, number] of mine.values) {
    const place = `${short(name)}.${value}`, row = takeRow("protos", place), theirs = published.enums.get(name);
    if (row) checkAgainstRow("protos", place, number, row);
    else if (!theirs?.values.has(value)) wrong.push(`protos: ${place} is not published`);
    else same(`protos: ${place}`, number, place, theirs.values.get(value), theirs.file);
  }
}
for (const mine of ours.extensions) {
  const theirs = published.extensions.find(
      ({extendee, scope, name}) => extendee === mine.extendee && scope === mine.scope && name === mine.name);
  const place = `${short(mine.scope)}${mine.name}`;
  if (!theirs) wrong.push(`protos: no published extension ${place} of ${mine.extendee}`);
  else {
    same(`protos: ${place}`, mine.number, place, theirs.number, theirs.file);
    if (!agree(mine, theirs)) wrong.push(`protos: ${place} is ${mine.type}, published ${theirs.type}`);
    compareTypes(mine, theirs);
  }
}

// ---- the constants that field_numbers.awk makes ---------------------------------------------------------------------

const upperSnake = (name) => name.replace(/[A-Z][a-z]/g, "_$&").replaceAll("__", "_").replace(/^_/, "").toUpperCase();
const constantName =
    (scope, name) => ["TB", ...short(`${scope}.`).split(".").filter(Boolean).map(upperSnake), name].join("_");
const made = new Map(constantsOf(execFileSync("awk", ["-f", path.join(protos, "field_numbers.awk"), ...protoFiles],
                                     {encoding: "utf8", maxBuffer: 1 << 26}))
                         .map(({name, number}) => [name, number]));
for (const [scope, { file, fields }] of ours.messages) {
  if (!file.startsWith("perfetto/")) continue;
  for (const { name, number } of fields.values()) {
    const constant = constantName(scope, name.toUpperCase());
    if (made.get(constant) !== number)
      wrong.push(`field_numbers.awk: ${constant} is ${made.get(constant)}, not ${number}`);
  }
}
for (const [name, { file, values }] of ours.enums) {
  if (!file.startsWith("perfetto/")) continue;
  for (const [value, number] of values) {
    const constant = constantName(name.slice(0, name.lastIndexOf(".")), value);
    if (made.get(constant) !== number)
      wrong.push(`field_numbers.awk: ${constant} is ${made.get(constant)}, not ${number}`);
  }
}

// ---- C --------------------------------------------------------------------------------------------------------------

const sources = execFileSync("find", ["bridge", "merge", "toolbox", "-name", "*.[ch]"], {cwd: root, encoding: "utf8"})
                    .trim()
                    .split("\n")
                    .sort();

function checkPath(at, name, numbers) {
  let message = `${PACKAGE}TracePacket`;
  name.split(".").forEach((step, i) => {
    const field = published.messages.get(message)?.fields.get(step),
          mine = ours.messages.get(message)?.fields.get(step);
    const row = takeRow("paths", `${short(message)}.${step}`),
          number = numbers[i] in Object.fromEntries(made) ? made.get(numbers[i]) : Number(numbers[i]);
    if (field) same(`${at}: ${name}`, number, `${short(message)}.${step}`, field.number, field.file);
    else if (row) checkAgainstRow("paths", `${short(message)}.${step}`, number, row);
    else if (mine) same(`${at}: ${name}`, number, `${short(message)}.${step}`, mine.number, "protos/");
    else wrong.push(`${at}: ${name}: ${short(message)}.${step} is not published`);
    message = (field ?? mine)?.typeName ?? row?.what;
  });
  if (numbers.length !== name.split(".").length) wrong.push(`${at}: ${name} has ${numbers.length} numbers`);
}

for (const at of sources) {
  const text = fs.readFileSync(path.join(root, at), "utf8");
  const found = [...constantsOf(text), ...arraysOf(text)].map((each) => ({ ...each, row: takeRow(at, each.name) }));
  for (const { row, fellows } of found) if (row && row.number !== "own" && fellows) fellows.published = true;
  for (const { name, number, needsRow, fellows, row } of found) {
    if (row) checkAgainstRow(at, name, number, row);
    else if (needsRow || fellows?.published)
      wrong.push(`${at}: ${name} = ${number} has no row in tests/conformance/numbers.tsv`);
  }
  for (const { name, numbers } of pathsOf(text)) checkPath(at, name, numbers);
  for (const { kind, number, place } of formatsOf(text)) {
    const type = published.messages.get(`${PACKAGE}FtraceEvent`).fields.get(kind)?.typeName ?? "";
    const row = takeRow(at, `${kind} ${place}`);
    if (!row) wrong.push(`${at}: ${kind} "${place}" has no row in tests/conformance/numbers.tsv`);
    else checkAgainstRow(at, `${kind} ${place}`, number, row);
    if (row && !row.what.startsWith(`${short(type)}.`)) wrong.push(`numbers.tsv: ${row.what} is not of ${type}`);
  }
  for (const literal of literalsOf(text)) wrong.push(`${at}: a number of a format without a name: ${literal}`);
}
for (const [key, row] of table) if (!row.used) wrong.push(`numbers.tsv: nothing in our sources is ${key}`);

if (words.includes("--list")) console.log(lookedUp.join("\n"));
for (const line of wrong) console.log(line);
console.log(`numbers: ${lookedUp.length} looked up, ${wrong.length} wrong`);
process.exitCode = wrong.length ? 1 : 0; // not exit(): what is printed to a pipe has to get there first
