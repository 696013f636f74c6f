#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// clock_truth.mjs TRACEBRIDGE [--kind KIND] [--seeds N] [--seed K] [--plant NS] [--table [PAGE]]
//
// Does `tracebridge merge` put events where they truly happened? Makes traces of hosts whose clocks are functions of
// one true time, merges them, reads the merged trace with Perfetto's trace processor, and compares with the truth:
// errors within a limit, the report's bounds around every error, no message backwards, a note where a wall clock was
// set.
//
//   --kind KIND cases of that kind alone
//   --seeds N   so many cases of each kind, each from a seed of its own that nobody chose (20)
//   --seed K    the case of this seed alone, as a failure prints it
//   --plant NS  moves every expected time: shows that the comparison can fail
//   --table     instead of these cases, those of clock_table.mjs: errors against the truth next to those of snapshots
//   taken one
//               by one, as a table; with PAGE the table in that page has to have the same numbers
//
// Prints a line for each kind; exit status 0 when all is as it should be.
import { execFileSync, spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { chance } from "./chance.mjs";
import { compareWithPage, makeTable } from "./clock_table.mjs";
import { queryTrace } from "./engine.mjs";
import { bytes, number, varint } from "./protobuf.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const US = 1e3, MS = 1e6, S = 1e9, EPOCH = 1_700_000_000n * 1_000_000_000n;
const BOOTTIME = 6, MONOTONIC = 3, REALTIME = 1;
const INSTANT = 3, BEGIN = 1, END = 2;
const FIELDS = { packet: 1, timestamp: 8, sequence: 10, event: 11, snapshot: 6, clock: 58, descriptor: 60 };

// ---- packets

const packet = (...parts) => bytes(FIELDS.packet, ...parts);
const flows = (field, ids) => ids.map((id) => Buffer.concat([varint((field << 3) | 1), (() => {
  const fixed = Buffer.alloc(8);
  fixed.writeBigUInt64LE(BigInt(id));
  return fixed;
})()]));

function event(time, type, name, track, { sent = [], received = [], clock } = {}) {
  return packet(
      number(FIELDS.timestamp, time), number(FIELDS.sequence, 1), ...(clock ? [ number(FIELDS.clock, clock) ] : []),
      bytes(
          FIELDS.event, number(9, type), number(11, track), ...(name ? [ bytes(23, name) ] : []), ...flows(47, sent),
          ...flows(48, received)));
}

const namedTrack = (track, name) =>
    packet(number(FIELDS.sequence, 1), bytes(FIELDS.descriptor, number(1, track), bytes(2, name)));

const snapshot = (readings) => packet(
    number(FIELDS.sequence, 1),
    bytes(FIELDS.snapshot, ...readings.map(([ clock, time ]) => bytes(1, number(1, clock), number(2, time)))));

// ---- hosts and their traces; true time in ns from 0

class Host {
  constructor(random, { ppm = random.between(-50, 50), step, sleep, wallOff = 0 } = {}) {
    Object.assign(this, { booted: 1e12 + random.below(1e9) * 1e4, ppm, step, sleep, wallOff });
    Object.assign(this, { packets: [namedTrack(1, "events")], truth: new Map(), readings: [] });
  }
  boot(when) { return BigInt(Math.round(this.booted + when * (1 + this.ppm * 1e-6))); }
  wall(when) {
    return EPOCH + BigInt(Math.round(when + this.wallOff + (this.step && when >= this.step.at ? this.step.by : 0)));
  }
  // Does not go on while the machine sleeps, which it did for a hundred seconds before.
  mono(when) {
    const slept = this.sleep ? Math.max(0, Math.min(when, this.sleep.to) - this.sleep.from) : 0;
    return BigInt(Math.round(this.booted - 100 * S + (when - slept) * (1 + this.ppm * 1e-6)));
  }
  read(when, apart, late = 0) {
    const [boot, wall] = [this.boot(when), this.wall(when + apart + late)];
    this.packets.push(snapshot([ [ BOOTTIME, boot ], [ REALTIME, wall ] ]));
    this.readings.push({ boot: Number(boot), wall: Number(wall - EPOCH) });
  }
  readAll(at) {
    this.packets.push(snapshot([
      [ BOOTTIME, this.boot(at.boot) ],
      [ MONOTONIC, this.mono(at.mono) ],
      [ REALTIME, this.wall(at.wall) ],
    ]));
  }
  mark(when, name, more) {
    const clock = { [MONOTONIC]: this.mono, [REALTIME]: this.wall }[more?.clock] ?? this.boot;
    this.packets.push(event(clock.call(this, when), INSTANT, name, 1, more));
    this.truth.set(name, when);
  }
  see(when, name) { this.packets.push(event(this.boot(when), INSTANT, name, 1)); }
  last(begin, length, name, track) {
    this.packets.push(
        namedTrack(track, name), event(this.boot(begin), BEGIN, name, track),
        event(this.boot(begin + length), END, null, track));
  }
}

// ---- kinds of cases: each returns hosts, options, limits

const KINDS = {
  // Wall clocks in common, some read late, one of them set while it records.
  snapshots(random) {
    const step =
        random.true(0.5) ? {at : random.between(100 * S, 200 * S), by : random.between(-40 * S, 40 * S)} : undefined;
    const hosts = [new Host(random), new Host(random), new Host(random, { step })];
    const lengths = new Map();
    hosts.forEach((host, h) => {
      for (let when = random.below(S); when < 300 * S; when += random.between(S, 20 * S))
        host.read(when, random.between(-US, US), random.true(0.1) ? random.between(MS / 2, 5 * MS) : 0);
      for (let i = 0; i < 30; i++) host.mark(random.between(-20 * S, 320 * S), `h${h}_${i}`);
      for (let i = 0; i < 5; i++) {
        const begin = random.between(0, 150 * S), length = random.between(S, 150 * S);
        host.last(begin, length, `s${h}_${i}`, 100 + i);
        lengths.set(`s${h}_${i}`, length * (1 + hosts[0].ppm * 1e-6));
      }
    });
    const sides = (h) => (h === 2 && step ? [0, step.by * (1 + hosts[0].ppm * 1e-6)] : [0]);
    return {
      hosts,
      options : [],
      limit : 4 * US,
      sides,
      lengths,
      lengthLimit : 2 * US,
      notes : step && Math.abs(step.by) > MS ? [ "clock_step" ] : []
    };
  },

  // Events on each clock of a host, of which one or the other was read late, a wall clock that is set, a machine that
  // sleeps. Between the readings around a step or a sleep nobody knows which of two times is right.
  clocks(random) {
    const step = random.true(0.3) ? { at: random.between(100 * S, 200 * S), by: random.between(S, 40 * S) } : undefined;
    const from = random.between(100 * S, 200 * S);
    const sleep = random.true(0.3) ? { from, to: from + random.between(S, 40 * S) } : undefined;
    const hosts = [new Host(random, { sleep }), new Host(random), new Host(random, { step, sleep })];
    const loose = new Set();
    hosts.forEach((host, h) => {
      const awake = (when) => !host.sleep || when <= host.sleep.from || when >= host.sleep.to;
      const times = Array.from({ length: 90 }, () => random.between(-20 * S, 320 * S)), readings = new Map();
      for (let when = random.below(S); when < 300 * S; when += random.between(S, 20 * S))
        readings.set(when, random.true(0.15) ? random.of([ "mono", "mono", "wall" ]) : "none");
      const good = [...readings.keys() ].filter((when) => awake(when) && readings.get(when) === "none");
      const isAround = (moment, when) => when >= Math.max(...good.filter((time) => time <= moment), -Infinity) &&
          when <= Math.min(...good.filter((time) => time > moment), Infinity);
      [...times, ...readings.keys() ].filter(awake).sort((a, b) => a - b).forEach((when, i) => {
        if (readings.has(when)) {
          const at = { boot: when, mono: when + random.between(0, US), wall: when + random.between(0, US) };
          at[readings.get(when)] += random.between(MS / 2, 5 * MS);
          return host.readAll(at);
        }
        const name = `h${h}_${i}`;
        host.mark(when, name, { clock: [ undefined, MONOTONIC, REALTIME ][i % 3] });
        if ([ host.step?.at, host.sleep?.from ].some((at) => at !== undefined && isAround(at, when))) loose.add(name);
      });
    });
    const sides = (h) => (h === 2 && step ? [0, step.by * (1 + hosts[0].ppm * 1e-6)] : [0]);
    return { hosts, options: [], limit: 5 * US, sides, loose };
  },

  // Two to six snapshots each, of hosts that read their clocks up to 2 to 100 us apart: little is known, and the bounds
  // say how little. Two that are close together would say next to nothing of the drift.
  few(random) {
    const hosts = [new Host(random), new Host(random), new Host(random)];
    hosts.forEach((host, h) => {
      const monotonic = random.true(0.5), count = 2 + random.below(5), most = random.of([2, 5, 10, 40, 100]) * US;
      for (let i = 0; i < count; i++) {
        const when = (i + random.between(2, 8) / 10) * 300 * S / count, off = () => random.between(-most, most);
        if (monotonic) host.readAll({ boot: when, mono: when + off(), wall: when + off() });
        else host.read(when, off());
      }
      for (let i = 0; i < 30; i++) host.mark(random.between(-20 * S, 320 * S), `h${h}_${i}`);
    });
    return { hosts, options: [], limit: 2 * MS };
  },

  // As few of hosts that read three clocks within a microsecond: what is between five is known to some microseconds.
  // Of two hosts each reading may be 1 us off its line, and is taken for up to 7.9 times that and 1 us more; events on
  // MONOTONIC have that of its line too.
  idle(random) {
    const hosts = [new Host(random), new Host(random), new Host(random)];
    hosts.forEach((host, h) => {
      const count = 5 + random.below(5), at = (when) => when + random.between(0, US);
      for (let i = 0; i < count; i++) {
        const when = i * 300 * S / (count - 1);
        host.readAll({ boot: at(when), mono: at(when), wall: at(when) });
      }
      for (let i = 0; i < 30; i++)
        host.mark(random.between(0, 300 * S), `h${h}_${i}`, { clock: i % 2 ? MONOTONIC : undefined });
    });
    return { hosts, options: [], limit: 4 * US, boundLimit: 25 * US };
  },

  // Events of one name at the same instants, some only on one host, or twice, or late.
  rows(random) {
    const hosts = [new Host(random, { ppm: 0 }), new Host(random)];
    for (let i = 0; i < 200; i++) {
      const when = random.between(0, 100 * S);
      for (const host of hosts) {
        if (random.true(0.03)) continue;
        const late = random.true(0.1) ? random.between(MS, 50 * MS) : 0;
        host.see(when + random.between(-US, US) + late, "barrier");
        if (random.true(0.02)) host.see(when + 50 * US, "barrier");
      }
    }
    for (let i = 0; i < 30; i++) hosts[1].mark(random.between(0, 100 * S), `h1_${i}`);
    return { hosts, options: ["--align-on", "barrier"], limit: 2 * US };
  },

  // Periodic events. Where all are on both hosts the shift that leaves none over is the right one. Where some are
  // missing wall clocks that agree within a millisecond decide, also of a period that is shorter than what they may be
  // apart, and with rows that are far from the middle of the snapshots.
  periodic(random) {
    const hosts = [new Host(random, { ppm: 0 }), new Host(random, { wallOff: random.between(-MS, MS) })];
    const complete = random.true(0.5), period = complete ? 100 * MS : 10 * MS, jitter = complete ? MS : 100 * US;
    const from = random.between(0, 200 * S);
    hosts.forEach((host, h) => {
      for (let when = random.below(S); !complete && when < 300 * S; when += random.between(S, 20 * S))
        host.read(when, random.between(-US, US));
      for (let i = 0; i < 500; i++)
        if (complete || !random.true(0.1)) host.see(from + i * period + random.between(-jitter, jitter), "barrier");
      for (let i = 0; i < 20; i++) host.mark(from + random.between(0, 500 * period), `h${h}_${i}`);
    });
    return { hosts, options: ["--align-on", "barrier"], limit: 2 * jitter };
  },

  // Messages around a ring, fast one way round and slow the other.
  messages(random) {
    const hosts = Array.from({ length: 4 }, (_, h) => new Host(random, h ? {} : { ppm: 0 }));
    const slow = random.between(MS, 6 * MS), sent = [];
    for (let id = 1; id <= 240; id++) {
      const from = id % 4, forwards = random.true(0.5), to = (from + (forwards ? 1 : 3)) % 4;
      const when = random.between(0, 100 * S),
            arrived = when + (forwards ? 20 * US : slow) + random.between(0, 300 * US);
      hosts[from].mark(when, `sent${id}`, { sent: [id] });
      hosts[to].mark(arrived, `received${id}`, { received: [id] });
      sent.push(id);
    }
    return { hosts, options: ["--align-messages"], limit: 600 * US, sent };
  },
};

// ---- judging

function boundAt(input, time) {
  const points = input.bounds ?? [];
  for (let i = 1; i < points.length; i++) {
    const [a, b] = [points[i - 1], points[i]];
    if (time < a.time_ns || time > b.time_ns) continue;
    return b.time_ns > a.time_ns ?
        a.bound_ns + ((b.bound_ns - a.bound_ns) * (time - a.time_ns)) / (b.time_ns - a.time_ns) :
        Math.max(a.bound_ns, b.bound_ns);
  }
  return undefined;
}

function judge(made, report, rows, plant) {
  const faults = [], merged = new Map(rows.map(([name, ts, dur]) => [name, { ts: Number(ts), dur: Number(dur) }]));
  const first = made.hosts[0];
  made.hosts.forEach((host, h) => {
    const errors = [...host.truth].map(([name, when]) => {
      const at = merged.get(name)?.ts;
      if (at === undefined) return (faults.push(`${name} is not in the merged trace`), 0);
      const error = at - report.shift_ns - Number(first.boot(when)) + plant, bound = boundAt(report.inputs[h], at);
      if (bound === undefined || Math.abs(error) > bound + 2)
        faults.push(`${name} is ${Math.round(error)} ns off, its bound ${bound}`);
      else if (made.boundLimit && bound > made.boundLimit) faults.push(`${name} has the bound ${bound}`);
      return made.loose?.has(name) ? undefined : error;
    }).filter((error) => error !== undefined);
    const sides = made.sides?.(h) ?? [0];
    const off = Math.min(...sides.map((side) => Math.max(0, ...errors.map((error) => Math.abs(error - side)))));
    if (off > made.limit) faults.push(`host ${h} is ${Math.round(off)} ns off, more than ${made.limit}`);
  });
  for (const [name, length] of made.lengths ?? [])
    if (!(Math.abs(merged.get(name)?.dur - length) <= made.lengthLimit))
      faults.push(`${name} lasts ${merged.get(name)?.dur} ns, not ${Math.round(length)}`);
  for (const id of made.sent ?? [])
    if (merged.get(`received${id}`).ts < merged.get(`sent${id}`).ts - 2) faults.push(`message ${id} runs backwards`);
  for (const code of made.notes ?? [])
    if (!report.notes.some((note) => note.code === code)) faults.push(`no note ${code}`);
  return faults;
}

// The report of the merge of a case, and the events of the merged trace; or what the merge said where it failed.
async function mergeCase(home, program, made, work) {
  const names = made.hosts.map((host, h) => path.join(work, `host${h}.pftrace`)),
        output = path.join(work, "merged.pftrace");
  made.hosts.forEach((host, h) => fs.writeFileSync(names[h], Buffer.concat(host.packets)));
  const machines = names.flatMap((name, h) => ["--machine", `${name}=host${h}`]);
  const done = spawnSync(
      program, [ "merge", "-q", ...names, "-o", output, "--report", `${output}.json`, ...machines, ...made.options ],
      {encoding : "utf8"});
  if (done.status !== 0) return { failed: `exit status ${done.status}: ${done.stderr.trim()}` };
  const { events } = await queryTrace(home, output, { events: "select name, ts, dur from slice" });
  return { report: JSON.parse(fs.readFileSync(`${output}.json`, "utf8")), rows: events.rows };
}

async function tryCase(home, program, kind, seed, work, plant) {
  const made = KINDS[kind](chance(seed));
  const { failed, report, rows } = await mergeCase(home, program, made, work);
  return failed ? [failed] : judge(made, report, rows, plant);
}

// ---- the whole

const [program, ...words] = process.argv.slice(2);
const option = (name, otherwise) => (words.includes(name) ? Number(words[words.indexOf(name) + 1]) : otherwise);
if (!program) {
  console.error(
      "usage: clock_truth.mjs TRACEBRIDGE [--kind KIND] [--seeds N] [--seed K] [--plant NS] [--table [PAGE]]");
  process.exit(2);
}
const home = execFileSync(path.join(here, "fetch.sh"), { encoding: "utf8" }).trim();
const work = fs.mkdtempSync(path.join(os.tmpdir(), "clock-truth-"));
const count = option("--seeds", 20);
const seeds = words.includes("--seed") ? [option("--seed")] : Array.from({ length: count }, () => randomInt(2 ** 31));

async function tryKinds() {
  let bad = 0;
  const only = words.includes("--kind") ? words[words.indexOf("--kind") + 1] : undefined;
  for (const kind of Object.keys(KINDS).filter((name) => !only || name === only)) {
    let failed = 0;
    for (const seed of seeds) {
      const faults = await tryCase(home, program, kind, seed, work, option("--plant", 0));
      if (faults.length === 0) continue;
      failed++;
      console.log(`MISS ${kind} --seed ${seed}: ${faults.length} faults\n${
          faults.slice(0, 3).map((fault) => `  ${fault}`).join("\n")}`);
    }
    console.log(`${failed ? "FAIL" : "PASS"} ${kind}: ${seeds.length - failed} of ${seeds.length} cases`);
    bad += failed;
  }
  return bad;
}

async function tryTable(page) {
  const table = await makeTable(
      {Host, chance, boundAt, merge : (made) => mergeCase(home, program, made, work), plant : option("--plant", 0)});
  console.log(table);
  return page && !page.startsWith("--") ? compareWithPage(table, fs.readFileSync(page, "utf8")) : 0;
}

const bad = words.includes("--table") ? await tryTable(words[words.indexOf("--table") + 1]) : await tryKinds();
fs.rmSync(work, { recursive: true });
process.exit(bad ? 1 : 0);
