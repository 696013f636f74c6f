#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// lookalikes.mjs TRACEBRIDGE [--show]
//
// Readers detect formats by the first bytes of a file. Inputs that carry what they look for, in each place that comes
// early in an output, are converted and merged: the trace processor must take what comes of it for the format that it
// is, and find the slice that all of them have; so must TRACEBRIDGE itself. Prints what is taken for something else;
// --show names all.
//
// What the trace processor looks for, in its order (src/trace_processor/util/trace_type.cc): at byte 257 ustar; at the
// start magic numbers; in the first 64 bytes (128 in newer ones), blanks left out, {" and [{" at the start, then "#
// tracer", "TRACE:\n" anywhere; lines of logcat (within 4096 bytes), of collapsed stacks (however long), of perf
// script, of strace, after an empty one.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { queryTrace } from "./engine.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const [program, ...words] = process.argv.slice(2);
if (!program) {
  console.error("usage: lookalikes.mjs TRACEBRIDGE [--show]");
  process.exit(2);
}

const TEXTS = {
  "ftrace header": "# tracer: nop\n",
  "atrace": "TRACE:\n",
  "atrace -z": "TRACE:\nx\u009c",
  "atrace, capturing": "capturing trace... done\nTRACE:\n",
  "collapsed stacks": "a;b 1\na;c 2\nb;c 3\n",
  "strace": "\n1700000000.000000 read(3, 4) = 4\n",
  "ftrace line": "\n app-10    [000] .... 1.000000: tracing_mark_write: B|10|x\n",
  "logcat": "\n01-01 10:00:00.000  1000  1000 I tag: said\n",
  "perf script": "\napp    10/10 [000] 100.000000: 1 cycles:\n",
  "JSON": "{\"traceEvents\":[",
  "JSON list": "[{\"name\":",
  "gecko": "{\"meta\":{",
  "simpleperf": "{\"libs\":[",
  "manifest": "{\"perfetto_manifest\":{",
  "HTML": "<!DOCTYPE html><html>",
  "instruments": "<?xml version=\"1.0\"?>\n<trace-query-result>",
  "trace-cmd": "cpus=4\n",
  "ninja": "# ninja log v5\n",
  "battery": "9,0,i,vers,",
  "dumpstate": `${"=".repeat(56)}\n== dumpstate: `,
  "ART method": "*version\n",
  "ART streaming": "SLOW",
  "hprof": "JAVA PROFILE",
  "perf": "PERFILE2",
  "simpleperf proto": "SIMPLEPERF",
  "arrow": "ARROW1",
  "zip": "PK\u0003\u0004",
  "gzip": "\u001f\u008b",
  "blank": " ",
  "tab": "\t",
};
const ANYWHERE = [
  "ftrace header", "atrace", "collapsed stacks"
]; // are looked for behind the start: in each place, the others in a few

// ---- inputs ---------------------------------------------------------------------------------------------------------

const MARK = "     app-10    [000] .... 100.000001: tracing_mark_write: B|10|the slice\n" +
  "     app-10    [000] .... 100.000002: tracing_mark_write: E|10\n";
const slice = (more) => ({ ph: "X", name: "the slice", pid: 10, tid: 10, ts: 100, dur: 5, ...more });
const metadata = (name, args) => ({ ph: "M", name, pid: 10, tid: 10, args });
const json = (events, more) => JSON.stringify({ ...more, traceEvents: events });

// By the place of the text in an input of JSON; in each it is part of what the output begins with.
const JSON_PLACES = {
  "ftrace text": (text) => json([slice()], { systemTraceEvents: `${text}# tracer: nop\n${MARK}` }),
  "metadata": (text) => json([slice()], { otherData: { [text]: text } }),
  "a member": (text) => json([slice()], { [text]: text }),
  "process": (text) => json([metadata("process_name", { name: text }), slice()]),
  "thread": (text) => json([metadata("thread_name", { name: text }), slice()]),
  "process label": (text) => json([metadata("process_labels", { labels: text }), slice()]),
  "event": (text) => json([slice({ name: text }), slice({ ts: 200 })]),
  "category": (text) => json([slice({ cat: text })]),
  "argument": (text) => json([slice({ args: { [text]: text } })]),
  "counter": (text) => json([{ ph: "C", name: text, pid: 10, ts: 1, args: { [text]: 1 } }, slice()]),
  "stack frame": (text) => json([slice({ sf: "1" })], { stackFrames: { 1: { name: text, category: text } } }),
  "track": (text) => json([{ ph: "b", cat: text, name: text, id: text, scope: text, pid: 10, ts: 1 }, slice()]),
};

const FEW = ["metadata", "an attribute"];

const varint = (value) => {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return Buffer.from([...bytes, value]);
};
const field = (number, value) => typeof value === "number"
    ? Buffer.concat([varint(number * 8), varint(value)])
    : Buffer.concat([varint(number * 8 + 2), varint(Buffer.from(value).length), Buffer.from(value)]);
const message = (...fields) => Buffer.concat(fields.map(([number, value]) => field(number, value)));
const trace = (...packets) => Buffer.concat(packets.map((packet) => field(1, packet)));
const event = (ts, type, name) =>
    message([8, ts], [10, 1], [11, message([9, type], [11, 5], ...(name ? [[23, name]] : []))]);
const SLICE = [event(100000, 1, "the slice"), event(105000, 2)];
const filled = (packet, length) => message([Number(packet), Buffer.alloc(length - 2)]);

// Traces whose first packet has the text; read by the merger.
const PERFETTO_PLACES = {
  "a track's name": (text) => trace(message([60, message([1, 5], [2, text])]), ...SLICE),
  "an attribute": (text) => trace(message([126, message([1, message([1, text], [3, text])])]), ...SLICE),
  "interned data": (text) => trace(message([10, 1], [13, 1], [12, message([2, message([1, 1], [2, text])])]), ...SLICE),
  "an unknown field": (text) => trace(message([10, 1], [990, text]), ...SLICE),
  "a string alone": (text) => trace(message([36, text]), ...SLICE),
};
const BY_LENGTH = {
  // a packet's length and first tags may read as text
  "{ \"": trace(filled(4, 123), ...SLICE),
  "{ \\n\"": trace(message([1, message([1, 0], [99, Buffer.alloc(29)])], [36, Buffer.alloc(123 - 36 - 3)]), ...SLICE),
};
const PLAIN = trace(event(50000, 3, "another"));

// ---- what comes of them ---------------------------------------------------------------------------------------------

const work = fs.mkdtempSync(path.join(os.tmpdir(), "lookalikes-"));
const home = execFileSync(path.join(here, "fetch.sh"), { encoding: "utf8" }).trim();
const QUERIES = {
  type: "select trace_type from __intrinsic_trace_file",
  slices: "select count(*) from slice where name = 'the slice'"
};
const FORMATS = { ".perfetto-trace": ["proto", "perfetto"], ".fxt": ["fuchsia", "fxt"], ".json": ["json", "json"] };
let asked = 0, wrong = 0;

function complain(what, why) {
  wrong++;
  console.log(`${what}: ${why}`);
}

async function ask(what, file) {
  const [type, own] = FORMATS[path.extname(file)];
  asked++;
  const info = spawnSync(program, ["info", file], { encoding: "utf8" });
  if (!RegExp(`^format +${own},`).test(info.stdout))
    complain(what, `tracebridge takes it for something else: ${(info.stdout || info.stderr).split("\n")[0]}`);
  const answer = await queryTrace(home, file,
      QUERIES).catch((error) => complain(what, `the trace processor refuses it: ${error.message}`));
  if (!answer) return;
  const types = answer.type.rows.join(), found = Number(answer.slices.rows[0][0]);
  if (types !== type || found < 1)
    complain(what, `the trace processor takes it for ${types} and finds ${found} slices`);
  else if (words.includes("--show")) console.log(`${what}: ${type}`);
}

function run(what, ...args) {
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status === 0 || status === 4) return true;
  complain(what, `${args[0]} exits with ${status}: ${stderr.trim().split("\n").pop()}`);
  return false;
}

const plain = path.join(work, "plain.perfetto-trace");
fs.writeFileSync(plain, PLAIN);

async function convert(what, input, suffixes) {
  for (const suffix of suffixes) {
    const output = path.join(work, `out${suffix}`);
    const from = path.extname(input) === ".ftrace" ? ["--from", "ftrace"] : [];
    if (run(what, "convert", "--quiet", ...from, input, "-o", output)) await ask(`${what}, as ${suffix}`, output);
  }
}

async function merge(what, ...inputs) {
  const output = path.join(work, "merged.perfetto-trace");
  if (run(what, "merge", "--quiet", "--unplaced", "start", ...inputs, "-o", output))
    await ask(`${what}, merged`, output);
}

const write = (name, bytes) => { const file = path.join(work, name); fs.writeFileSync(file, bytes); return file; };

for (const [name, text] of Object.entries(TEXTS)) {
  const anywhere = ANYWHERE.includes(name),
        taken = (places) => Object.entries(places).filter(([place]) => anywhere || FEW.includes(place));
  const ftrace = write("in.ftrace", `${text}# tracer: nop\n#\n${MARK}`);
  await convert(`${name} before ftrace text`, ftrace, [".perfetto-trace", ".json"]);
  for (const [place, make] of taken(JSON_PLACES)) {
    const input = write("in.json", make(text));
    await convert(`${name} in ${place}`, input,
        name === "atrace" && place !== "ftrace text" ? Object.keys(FORMATS) : [".perfetto-trace"]);
    if (anywhere) await merge(`${name} in ${place}`, input, plain);
  }
  for (const [place, make] of taken(PERFETTO_PLACES)) {
    const input = write("in.perfetto-trace", make(Buffer.from(text)));
    await merge(`${name} in ${place}`, input, plain);
    if (anywhere) await merge(`${name} in ${place}, alone`, input);
  }
}
for (const [name, bytes] of Object.entries(BY_LENGTH))
  await merge(`${name} by lengths`, write("in.perfetto-trace", bytes), plain);

// A tar header has its magic at byte 257: texts that happen to be there.
const atTarMagic = (file) => fs.readFileSync(file).subarray(257, 265).toString("latin1");
for (const suffix of [".perfetto-trace", ".fxt"]) {
  for (const magic of ["ustar\0", "ustar  \0"]) {
    const output = path.join(work, `out${suffix}`), other = magic.replace("u", "o"),
          make = (text) => write("in.json", JSON_PLACES.process(text));
    let pad = 0;
    while (pad < 257 &&
        (!run(magic, "convert", "--quiet", make(`${"-".repeat(pad)}${other}`), "-o", output) ||
            !atTarMagic(output).startsWith(other)))
      pad++;
    if (pad === 257) complain(magic, `no text comes to stand at byte 257 of a ${suffix}`);
    else await convert(`${magic.trim()} at byte 257`, make(`${"-".repeat(pad)}${magic}`), [suffix]);
  }
}

fs.rmSync(work, { recursive: true });
console.log(`lookalikes: ${asked} outputs asked for, ${wrong} taken for something else`);
process.exit(wrong ? 1 : 0);
