// SPDX-License-Identifier: Apache-2.0
//
// Rows of the tables of a trace and of the same trace in plain words (plain_words.mjs), made alike.

// A number with as many digits as the importers agree in.
function roundNumber(value) {
  if (typeof value !== "string" || !/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value)) return value;
  const short = Number(value).toPrecision(12);
  return Number.isFinite(Number(short)) ? String(Number(short)) : value;
}

// The start of V8's profiles is in an argument, which plain words do not move.
export const SAMPLES = "cpu_samples";

// Whether two rows of args differ in the last digits of a number alone.
export function isNear(row, other) {
  const [a, b] = [Number(row[4]), Number(other[4])];
  return row.slice(0, 4).every((value, i) => value === other[i]) && Math.abs(a - b) <= 1e-11 * Math.abs(a);
}

const AT = {
  slices: [0],
  instants: [0],
  args: [0],
  counters: [0],
  flows: [0, 3],
  threads: [],
  processes: [],
  threadtimes: [0]
};

export function normalize(table, { rows }, { shift = 0n, ids = null }) {
  return { rows: rows.map((row) => {
    let out = row.map((value) => (value === null || value === undefined ? null : String(value)));
    if (ids) out = ids.rename(out, table === "threads" || table === "processes");
    for (const column of AT[table] ?? [0]) out[column] = (BigInt(out[column]) - shift).toString();
    if (table === "args") out[4] = roundNumber(out[4]);
    if (table === "counters") out[3] = roundNumber(out[3]);
    return out;
  }) };
}
