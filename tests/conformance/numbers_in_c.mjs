// SPDX-License-Identifier: Apache-2.0
//
// The numbers that are in a C source, by name. See numbers.mjs.

const strip = (text) => text.replace(/\/\*[^]*?\*\/|\/\/[^\n]*/g, "");

// Names of constants that say how much we hold, read or write at a time.
const AMOUNTS = "MAX|MOST|LEAST|BYTES|ROOM|SIZE|DEPTH|SLOTS|CAPACITY|BUDGET|LIMIT|LONGEST|SHORTEST|LARGEST|AHEAD|" +
  "SLACK|STEP|PADDING|CACHE|RECENT|COUNT|DIGITS|CHUNK|EVENTS|ENTRIES|ARGS|BITS|SHIFT|CLASSES|COLUMNS|PAGE";
const OF_OURS = new RegExp(`(^|_)(${AMOUNTS})(_|$)`);

function evaluate(text, known) {
  if (/^'.'$/.test(text)) return text.charCodeAt(1);
  if (/^-?(\d+|0x[0-9a-fA-F]+)$/.test(text)) return Number(text);
  return known.get(text);
}

// All constants of enums and macros; those with a number that is written out have needsRow, if their name does not say
// that they are ours, and those of one enum the same object `fellows`.
export function constantsOf(text) {
  const constants = [], source = strip(text);
  for (const [, body] of source.matchAll(/\benum\b\s*\w*\s*\{([^{}]*)\}/g)) {
    const known = new Map(), fellows = {};
    let last = -1;
    for (const part of body.split(",").map((each) => each.trim()).filter(Boolean)) {
      const [, name, value] = part.match(/^(\w+)\s*(?:=\s*([^]*))?$/) ?? [];
      if (!name) continue;
      const number = value === undefined ? (last === undefined ? undefined : last + 1) : evaluate(value, known);
      last = number;
      known.set(name, number);
      const written = value !== undefined && evaluate(value, new Map()) !== undefined;
      if (number !== undefined) constants.push({ name, number, fellows, needsRow: written && !OF_OURS.test(name) });
    }
  }
  for (const [, name, value] of source.matchAll(/^#define (\w+) +(?:U?INT\d+_C\()?(0x[0-9a-fA-F]+|\d+)\)?$/gm))
    constants.push({ name, number: value, needsRow: true });
  return constants;
}

// Arrays of bytes, as one text of hexadecimal digits, and arrays of texts, by the places where these are.
export function arraysOf(text) {
  const arrays = [], source = strip(text);
  for (const [, name, body] of source.matchAll(/static const (?:unsigned )?char (\w+)\[\w+\]\s*=\s*\{([^}]*)\}/g)) {
    const bytes = body.split(",")
                      .map((each) => each.trim())
                      .filter(Boolean)
                      .map((each) => Number(each.replace(/^'\\x(..)'$/, "0x$1")));
    if (!bytes.some(Number.isNaN))
      arrays.push({name: `${name}[]`, number: Buffer.from(bytes).toString("hex"), needsRow: true});
  }
  for (const [, name, body] of source.matchAll(/static const char \*const (\w+)\[\]\s*=\s*\{([^}]*)\}/g)) {
    let place = 0;
    for (const [, index, element] of body.matchAll(/(?:\[([^\]]*)\]\s*=\s*)?("(?:[^"\\]|\\.)*"|NULL)\s*(?:,|$)/g)) {
      if (index !== undefined) place = /^\d+$/.test(index) ? Number(index) : undefined; // a name is of another row
      if (place !== undefined && element !== "NULL")
        arrays.push({name: `${name}[${element.slice(1, -1)}]`, number: place, needsRow: true});
      if (place !== undefined) place++;
    }
  }
  return arrays;
}

// {"a.b", {1, 2}, ...}: the numbers of fields on a path.
export function pathsOf(text) {
  return [...strip(text).matchAll(/\{"([a-z0-9_.]+)",\s*\{([A-Z0-9_, ]+)\}/g)].map(
      ([, name, numbers]) => ({name, numbers: numbers.split(/,\s*/)}));
}

// {TB_FTRACE_EVENT_KIND, "name=%u1 ..."}: numbers of fields behind the letter of their form.
export function formatsOf(text) {
  const formats = [];
  for (const [, kind, format] of strip(text).matchAll(/\{TB_FTRACE_EVENT_(\w+),\s*"([^"]*%[^"]*)"\}/g))
    for (const [place, number] of format.matchAll(/\S*%[a-z](\d)/g))
      formats.push({kind: kind.toLowerCase(), place, number: Number(number)});
  return formats;
}

// Field numbers that are compared or written as they are.
export function literalsOf(text) {
  const uses = [
    /\bnumber [!=]= [1-9]\d*\b(?! \* )/, /\btb_wire_put_(?:tag|uint|bytes|fixed64)\(\w+, \d+,/,
    /\b(?:find|get|has)_(?:field|number|bytes)\([^;{}]*?, \d+\)/
  ];
  const all = new RegExp(uses.map((use) => use.source).join("|"), "g");
  return [...strip(text).matchAll(all)].map(([use]) => use);
}
