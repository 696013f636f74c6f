// SPDX-License-Identifier: Apache-2.0
//
// Values of random JSON events: times, names, ids, arguments.
import {Digits, Members} from "./json_text.mjs";

const NAMES = ["a", "b", "draw", "read file", "größe", "x \"y\" \\z", "tab\there"];
const CATEGORIES = ["c", "cat,egory", "v8", ""];
const TEXTS = ["", "text", "0x1f", "12", "true", "ünï", "line\nbreak", "a\u0001b", "😀", "x".repeat(70)];
const NUMBERS =
    ["0", "-1", "1.5", "2147483648", "-9223372036854775808", "9223372036854775807", "1e3", "0.125", "-2.5e-3"];

const RESERVED = ["trace_event", "ts_ns", "snapshot", "debug", "args"];  // keys that writers have a use for

export const name = (random) => random.of(NAMES);
export const category = (random) => random.of(CATEGORIES);

// Microseconds from the case's beginning: few different ones, so that many are equal; now and then with a fraction.
export function timeIn(random, from, to) {
  const whole = from + random.below(Math.max(1, to - from));
  return random.true(0.15) ? whole * 1000 + random.of([1, 125, 500, 999]) : whole * 1000;
}

// Nanoseconds as the microseconds of JSON.
export function micros(random, ns) {
  const text = `${Math.floor(ns / 1000)}${ns % 1000 ? `.${String(ns % 1000).padStart(3, "0")}` : ""}`;
  if (random.true(0.03)) return text;  // a number as text
  if (random.true(0.03) && ns % 1000 === 0) return new Digits(`${text}.0`);
  if (random.true(0.02) && ns % 1000 === 0) return new Digits(`${text}e0`);
  if (random.true(0.02)) return new Digits(`${Math.floor(ns / 1000)}.${String(ns % 1000).padStart(3, "0")}4`);
  return new Digits(text);
}

// An id of this case, in one of the forms that the format knows.
export function id(random, slot) {
  const number = slot * 16 + 1 + random.below(4);
  return random.of([
    () => [["id", number]],
    () => [["id", `0x${number.toString(16)}`]],
    () => [["id", `id-${number}`]],
    () => [["id2", new Members([["local", `0x${number.toString(16)}`]])]],
    () => [["id2", new Members([["global", `0x${number.toString(16)}`]])]],
    () => [["id", `0x${number.toString(16)}`], ["scope", "s"]],
  ])();
}

export function value(random, depth = 0) {
  const kind = random.below(depth > 2 ? 4 : 7);
  if (kind === 0) return new Digits(random.of(NUMBERS));
  if (kind === 1) return random.of(TEXTS);
  if (kind === 2) return random.of([true, false, null]);
  if (kind === 3) return random.below(100000) - 500;
  if (kind === 4) return Array.from({length: random.below(4)}, () => value(random, depth + 1));
  return args(random, depth + 1, random.below(4));
}

const isTree = (value) => Array.isArray(value) || value instanceof Members;

// The value that counts. Of two of which one is a list or dict both importers keep parts, lists numbered on; where the
// last is null, the first. Plain words have the last alone.
function twice(random, list, depth) {
  const last = value(random, depth);
  if (isTree(list[0][1]) || isTree(last) || last === null) random.notes.otherTwice = true;
  return last;
}

export function args(random, depth = 0, count = 1 + random.below(3)) {
  const keys = ["k", "name", "data", "n1", "with space", "frame"];
  const list = keys.filter(() => random.true(count / keys.length)).map((key) => [key, value(random, depth)]);
  if (random.true(0.1)) list.push(["http.method", "GET"]);
  if (random.true(0.04)) list.push([random.of(RESERVED), value(random, depth)]);
  if (random.true(0.05) && list.length) list.push([list[0][0], twice(random, list, depth)]);
  return new Members(list);
}
