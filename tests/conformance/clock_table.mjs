// SPDX-License-Identifier: Apache-2.0
//
// The table of docs/MERGING.md: how far from the truth `tracebridge merge` puts events, next to what becomes of them
// when snapshots are taken one by one: the nearest one on each of the two clocks, or the latest one before, as
// Perfetto's trace processor takes it. The same seeds every time, so that the numbers in the page can be compared.
const US = 1e3, MS = 1e6, S = 1e9;
const SEEDS = 6;
const LENGTH = 300 * S;

// ---- the rows: hosts with their events, and what is special

function readRegularly(random, host, lateShare = 0) {
  for (let when = random.below(S); when < LENGTH; when += random.between(S, 20 * S))
    host.read(when, random.between(-US, US), random.true(lateShare) ? random.between(MS / 2, 5 * MS) : 0);
}

function markBetween(random, host, h, from, to) {
  for (let i = 0; i < 40; i++) host.mark(random.between(from, to), `h${h}_${i}`);
}

// Two hosts that drift, with the wall clock in common.
function snapshots({ lateShare, from, to, step }) {
  return (random, Host) => {
    const hosts = [new Host(random), new Host(random, { step })], lengths = new Map();
    hosts.forEach((host, h) => {
      readRegularly(random, host, lateShare);
      markBetween(random, host, h, from ?? 20 * S, to ?? LENGTH - 20 * S);
    });
    for (let i = 0; i < 20; i++) {
      const begin = random.between(20 * S, 100 * S), length = random.between(60 * S, 180 * S);
      hosts[1].last(begin, length, `s_${i}`, 100 + i);
      lengths.set(`s_${i}`, { begin, length });
    }
    return { hosts, options: [], lengths, step: step?.by ?? 0 };
  };
}

function barriers(random, Host) {
  const hosts = [new Host(random), new Host(random, { wallOff: 5 * MS })];
  hosts.forEach((host, h) => {
    readRegularly(random, host);
    markBetween(random, host, h, 20 * S, LENGTH - 20 * S);
  });
  for (let i = 0; i < 200; i++) {
    const when = random.between(0, LENGTH);
    for (const host of hosts)
      if (!random.true(0.03))
        host.see(when + random.between(-US, US) + (random.true(0.1) ? random.between(MS, 50 * MS) : 0), "barrier");
  }
  return { hosts, options: ["--align-on", "barrier"] };
}

function messages(random, Host) {
  const hosts = [new Host(random), new Host(random, { wallOff: 5 * MS })];
  hosts.forEach((host) => readRegularly(random, host));
  for (let id = 1; id <= 400; id++) {
    const when = random.between(0, LENGTH), from = id % 2;
    hosts[from].mark(when, `sent${id}`, { sent: [id] });
    hosts[1 - from].mark(when + random.between(50 * US, 2 * MS), `received${id}`, { received: [id] });
  }
  return { hosts, options: ["--align-messages"] };
}

const ROWS = [
  [ "two hosts that drift by up to 50 ppm, a snapshot each 1 to 20 s", snapshots({}) ],
  [
    "the same, events up to 60 s away from the first and last snapshot",
    snapshots({from : -60 * S, to : LENGTH + 60 * S})
  ],
  [ "every tenth snapshot read 0.5 to 5 ms late", snapshots({lateShare : 0.1}) ],
  [ "one wall clock set by 2 s (least error against either side)", snapshots({step : {at : LENGTH / 2, by : 2 * S}}) ],
  [ "the same: durations of slices of 60 to 180 s", snapshots({step : {at : LENGTH / 2, by : 2 * S}}), "lengths" ],
  [ "wall clocks 5 ms apart, `--align-on` 200 barriers, every tenth late", barriers ],
  [ "wall clocks 5 ms apart, `--align-messages`, 400 of 0.05 to 2 ms", messages ],
];

// ---- snapshots one by one

const nearest = (readings, clock, time) =>
    readings.reduce((best, at) => (Math.abs(at[clock] - time) < Math.abs(best[clock] - time) ? at : best));
const latestBefore = (readings, clock, time) => readings.findLast((at) => at[clock] <= time) ?? readings[0];

// A time on a host's own clock by the wall clock on the first one's, each by one snapshot.
function placeBySnapshots(choose, host, first, own) {
  const here = choose(host.readings, "boot", own), wall = own - here.boot + here.wall,
        there = choose(first.readings, "wall", wall);
  return wall - there.wall + there.boot;
}

// ---- errors

const largest = (errors) => errors.reduce((most, error) => Math.max(most, Math.abs(error)), 0);
const median = (values) => values.map(Math.abs).sort((a, b) => a - b)[values.length >> 1];

function errorsOfLengths(made, place) {
  const [first, host] = made.hosts;
  return [...made.lengths.values() ].map(
      ({begin, length}) => place(host, Number(host.boot(begin + length))) - place(host, Number(host.boot(begin))) -
          length * (1 + first.ppm * 1e-6));
}

function errorsOfEvents(made, place) {
  const [first, host] = made.hosts, sides = made.step ? [0, made.step * (1 + first.ppm * 1e-6)] : [0];
  const errors =
      [...host.truth ].map(([ name, when ]) => place(host, Number(host.boot(when)), name) - Number(first.boot(when)));
  return sides.map((side) => errors.map((error) => error - side)).sort((a, b) => largest(a) - largest(b))[0];
}

async function measure(tools, make, what) {
  const all = { ours: [], bounds: [], nearest: [], latest: [] };
  for (let seed = 1; seed <= SEEDS; seed++) {
    const made = make(tools.chance(seed), tools.Host), first = made.hosts[0];
    const { failed, report, rows } = await tools.merge(made);
    if (failed) throw new Error(failed);
    const merged =
        new Map(rows.map(([ name, ts, dur ]) => [name, {ts : Number(ts) - report.shift_ns, dur : Number(dur)}]));
    const errorsOf = what === "lengths" ? errorsOfLengths : errorsOfEvents;
    if (what === "lengths")
      for (const [name, {length}] of made.lengths)
        all.ours.push(merged.get(name).dur - length * (1 + first.ppm * 1e-6) + tools.plant);
    else {
      all.ours.push(...errorsOf(made, (host, own, name) => merged.get(name).ts + tools.plant));
      all.bounds.push(...[...made.hosts[1].truth.keys()].map(
          (name) => tools.boundAt(report.inputs[1], merged.get(name).ts + report.shift_ns)));
    }
    all.nearest.push(...errorsOf(made, (host, own) => placeBySnapshots(nearest, host, first, own)));
    all.latest.push(...errorsOf(made, (host, own) => placeBySnapshots(latestBefore, host, first, own)));
  }
  return all;
}

// ---- the table

function inWords(ns) {
  const [unit, size] = ns >= S ? ["s", S] : ns >= MS ? ["ms", MS] : ["µs", US];
  return `${Number((ns / size).toPrecision(2))} ${unit}`;
}

export async function makeTable(tools) {
  const lines =
      [ "| hosts | median | largest | median bound | nearest snapshot | latest before |", "|---|---|---|---|---|---|" ];
  for (const [name, make, what] of ROWS) {
    const { ours, bounds, nearest: near, latest } = await measure(tools, make, what);
    const cells =
        [ median(ours), largest(ours), bounds.length ? median(bounds) : undefined, largest(near), largest(latest) ];
    lines.push(`| ${name} | ${cells.map((cell) => (cell === undefined ? "" : inWords(cell))).join(" | ")} |`);
  }
  return lines.join("\n");
}

const UNITS = { "µs": US, ms: MS, s: S };
const parse = (line) => line.split("|").slice(1, -1).map((cell) => cell.trim());
const numberOf = (cell) => {
  const [, number, unit] = /^([0-9.]+) (µs|ms|s)$/.exec(cell) ?? [];
  return unit ? Number(number) * UNITS[unit] : undefined;
};

// How many cells of the table the page has otherwise. A number may differ by a tenth, or by 0.1 µs; all else may not.
export function compareWithPage(table, page) {
  const shown = page.split("\n").filter((line) => line.startsWith("|")).map(parse),
        first = parse(table.split("\n")[0]).join();
  const start = shown.findIndex((cells) => cells.join() === first);
  if (start < 0) return (console.log("the page has no such table"), 1);
  let bad = 0;
  table.split("\n").map(parse).forEach((cells, row) => cells.forEach((cell, column) => {
    const other = shown[start + row]?.[column], [real, said] = [numberOf(cell), numberOf(other ?? "")];
    const same = real !== undefined && said !== undefined ? Math.abs(real - said) <= Math.max(real / 10, US / 10) :
                                                            cell === other;
    if (same) return;
    bad++;
    console.log(`row ${row + 1}, column ${column + 1}: the page has ${other}, it is ${cell}`);
  }));
  return bad;
}
