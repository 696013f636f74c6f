// SPDX-License-Identifier: Apache-2.0
//
// Traces in JSON as their events: with numbers exact, gzip inflated, and what is cut off or has commas too many taken
// as it is meant.
import fs from "node:fs";
import zlib from "node:zlib";

// A number that JavaScript cannot hold exactly becomes a text with this before its digits.
export const EXACT = "\u0001";

const NUMBER = "-?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?";

// Whether the value is such a text: traces may have texts of their own that begin with that character.
export const isExact = (value) => typeof value === "string" && new RegExp(`^${EXACT}${NUMBER}$`).test(value);

// JSON again: exact numbers as they were, nothing else escaped than JSON asks for.
export function writeTrace(trace) {
  return JSON.stringify(trace).replace(new RegExp(`"\\\\u0001(${NUMBER})"`, "g"), "$1");
}

function exactNumbers(text) {
  return text.replace(new RegExp(`"(?:[^"\\\\]|\\\\.)*"|${NUMBER}`, "g"), (token) =>
    token[0] === '"' || (token.length < 16 && !/[.eE]/.test(token)) ? token : `"\\u0001${token}"`);
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    const whole = text.replace(/,(\s*)$/, "$1"); // an array without its end, perhaps behind a comma
    return JSON.parse(`${whole}]`);
  }
}

export function readTrace(file) {
  let bytes = fs.readFileSync(file);
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) bytes = zlib.gunzipSync(bytes);
  const document = parse(exactNumbers(bytes.toString("utf8").replace(/^\ufeff/, "")));
  return Array.isArray(document) ? { traceEvents: document } : document;
}

// Microseconds, as a number, an exact one or a text, to nanoseconds; null where it is no number.
export function nanoseconds(value) {
  const match = String(value ?? "").replace(EXACT, "").match(/^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/);
  if (!match) return null;
  const shift = 3 + Number(match[4] ?? 0) - (match[3] ?? "").length;
  let digits = BigInt(match[2] + (match[3] ?? ""));
  if (shift >= 0) digits *= 10n ** BigInt(shift);
  else digits = (digits + 5n * 10n ** BigInt(-shift - 1)) / 10n ** BigInt(-shift);
  return match[1] ? -digits : digits;
}

// An id by its value where it reads as a number.
export function idValue(value) {
  const text = String(value).replace(EXACT, "");
  if (/^0x[0-9a-f]{1,16}$/i.test(text) || /^\d+$/.test(text)) return BigInt(text).toString();
  return text;
}

// The value with its members in order and exact numbers by their value.
export function canonical(value) {
  if (typeof value === "string" && value.startsWith(EXACT)) {
    const text = value.slice(1);
    if (/^-?\d+$/.test(text)) return BigInt(text).toString();
    const number = Number(text);
    return Number.isFinite(number) ? String(number) : text;
  }
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value && typeof value === "object")
    return `{${Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
  return JSON.stringify(value);
}
