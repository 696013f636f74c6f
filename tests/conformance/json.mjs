// SPDX-License-Identifier: Apache-2.0
//
// Traces in JSON as their events: with numbers exact, gzip inflated, and what is cut off or has commas too many or too
// few, events without the array around them and those under the key `trace_events` taken as they are meant.
import fs from "node:fs";
import zlib from "node:zlib";

// A number that JavaScript cannot hold exactly becomes a text with this before its digits.
export const EXACT = "\u0001";

const STRING = '"(?:[^"\\\\]|\\\\.)*"';
const NUMBER = "-?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?";

// Whether the value is such a text: traces may have texts of their own that begin with that character.
export const isExact = (value) => typeof value === "string" && new RegExp(`^${EXACT}${NUMBER}$`).test(value);

// JSON again: exact numbers as they were, nothing else escaped than JSON asks for.
export function writeTrace(trace) {
  return JSON.stringify(trace).replace(new RegExp(`"\\\\u0001(${NUMBER})"`, "g"), "$1");
}

function exactNumbers(text) {
  return text.replace(new RegExp(`${STRING}|${NUMBER}`, "g"), (token) =>
    token[0] === '"' || (token.length < 16 && !/[.eE]/.test(token)) ? token : `"\\u0001${token}"`);
}

// One comma between two objects, none behind the last.
const withCommas = (text) => text.replace(new RegExp(`${STRING}|\\}(\\s*,)*\\s*(?=([{\\]]|$)?)`, "g"),
    (token, comma, next) => token[0] !== "}" || next === undefined ? token : next === "{" ? "}," : "}");

function parse(text) {
  const whole = text.replace(/[,\s]+$/, ""); // perhaps an array without its end, behind a comma
  const mended = withCommas(whole);
  for (const attempt of [text, `${whole}]`, mended, `${mended}]`, `[${mended}]`]) {
    try {
      return JSON.parse(attempt);
    } catch {
      continue;
    }
  }
  throw new Error("is no JSON, whatever is mended");
}

export function readTrace(file) {
  let bytes = fs.readFileSync(file);
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) bytes = zlib.gunzipSync(bytes);
  const document = parse(exactNumbers(bytes.toString("utf8").replace(/^\ufeff/, "")));
  if (Array.isArray(document)) return { traceEvents: document };
  const { trace_events: misnamed, ...rest } = document;
  return misnamed && !rest.traceEvents ? { traceEvents: misnamed, ...rest } : document;
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
