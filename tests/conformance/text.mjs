#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// text.mjs TRACEBRIDGE PROTOS FILE...
//
// What `tracebridge dump` prints of a Perfetto trace, `tracebridge convert --from text` makes packets of again, byte
// for byte. Compressed packets are taken out of theirs first. With TRACEBRIDGE_CORPUS in the environment also for all
// files below its perfetto/ folder. A file that is damaged, or holds what cannot be taken apart here, has to make the
// same text again. Of a FILE that is text by hand (.textproto) protoc has to make the same messages. Prints a line for
// each file that differs, and the sums.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import zlib from "node:zlib";

const [program, protos, ...files] = process.argv.slice(2);
if (!files.length) {
  console.error("usage: text.mjs TRACEBRIDGE PROTOS FILE...");
  process.exit(2);
}
const COMPRESSED = { 50: zlib.inflateSync }; // TracePacket.compressed_packets
const work = fs.mkdtempSync(path.join(os.tmpdir(), "text-"));

function varint(bytes, at) {
  let value = 0n, shift = 0n, byte;
  do {
    byte = bytes[at++];
    if (byte === undefined) return [0n, Infinity];
    value |= BigInt(byte & 0x7f) << shift;
    shift += 7n;
  } while (byte & 0x80);
  return [value, at];
}

// The packets of a trace, without their tags and lengths; null where it is none that can be taken apart so simply.
function packets(bytes) {
  const found = [];
  for (let at = 0; at < bytes.length;) {
    if (bytes[at++] !== 0x0a) return null;
    const [length, start] = varint(bytes, at);
    at = start + Number(length);
    if (!(at <= bytes.length)) return null;
    const opened = opening(bytes.subarray(start, at));
    if (opened === null) return null;
    found.push(...opened);
  }
  return found;
}

// The packets that a packet holds: itself, where it is not compressed.
function opening(packet) {
  const [tag, at] = varint(packet, 0);
  const inflate = Number(tag & 7n) === 2 && COMPRESSED[Number(tag >> 3n)];
  if (!inflate) return [packet];
  const [length, start] = varint(packet, at);
  try {
    return packets(inflate(packet.subarray(start, start + Number(length))));
  } catch {
    return null;
  }
}

function plain(file) {
  const bytes = fs.readFileSync(file);
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? zlib.gunzipSync(bytes) : bytes;
}

function run(...args) {
  const done = spawnSync(program, args, { encoding: "utf8" });
  if (done.status !== 0 && done.status !== 4) throw new Error(`${args.join(" ")}: ${done.status}: ${done.stderr}`);
  return done;
}

function protoc(what, input) {
  const extensions = fs.readdirSync(path.join(protos, "extensions")).map((name) => `extensions/${name}`);
  const args = [`-I${protos}`, `--${what}=perfetto.protos.Trace`, "perfetto/trace_packet.proto", ...extensions];
  const done = spawnSync("protoc", args, { input, maxBuffer: 1 << 28 });
  if (done.status !== 0) throw new Error(`protoc: ${done.stderr}`);
  return done.stdout;
}

// A text by hand: what our packets and protoc's say.
function judgeText(file) {
  const made = path.join(work, "hand.pftrace");
  const converted = run("convert", "--from", "text", file, "-q", "-o", made);
  if (converted.status !== 0) return { why: `convert: status ${converted.status}` };
  const wanted = protoc("decode", protoc("encode", fs.readFileSync(file)));
  const same = protoc("decode", fs.readFileSync(made)).equals(wanted);
  return { same, why: "other messages than protoc's", count: 0 };
}

function judge(file) {
  if (file.endsWith(".textproto")) return judgeText(file);
  if (!fs.statSync(file).size) return { skipped: "empty" };
  const [text, made, again] = ["a.txt", "b.pftrace", "c.txt"].map((name) => path.join(work, name));
  const dumped = run("dump", "--from", "perfetto", file, "-q", "-o", text);
  if (!fs.statSync(text).size) return { skipped: "nothing in it" };
  const converted = run("convert", "--from", "text", text, "-q", "-o", made);
  if (converted.status !== 0) return { why: `convert: status ${converted.status}` };
  let was = null;
  try {
    was = dumped.status === 0 ? packets(plain(file)) : null;
  } catch { /* compressed, and cut */
  }
  if (!was) {
    run("dump", made, "-q", "-o", again);
    return { same: fs.readFileSync(text).equals(fs.readFileSync(again)), why: "the text differs", count: 0 };
  }
  const is = packets(fs.readFileSync(made));
  if (!is || is.length !== was.length) return { why: `${was.length} packets, then ${is?.length}` };
  const at = was.findIndex((packet, i) => !packet.equals(is[i]));
  return { same: at < 0, count: was.length, why: `packet ${at} differs` };
}

function corpus() {
  const folder = process.env.TRACEBRIDGE_CORPUS && path.join(process.env.TRACEBRIDGE_CORPUS, "perfetto");
  if (!folder) return [];
  const entries = fs.readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.path, entry.name));
}

let [bad, exact, texts, skipped, count] = [0, 0, 0, 0, 0];
try {
  for (const file of [...files, ...corpus()]) {
    let result;
    try {
      result = judge(file);
    } catch (error) {
      result = { why: error.message };
    }
    if (result.skipped) {
      skipped++;
      console.log(`SKIP ${path.basename(file)}: ${result.skipped}`);
    } else if (!result.same) {
      bad++;
      console.log(`MISS ${path.basename(file)}: ${result.why}`);
    } else {
      count += result.count;
      exact += result.count > 0;
      texts += result.count === 0;
    }
  }
} finally {
  fs.rmSync(work, { recursive: true });
}
console.log(`text: ${count} packets of ${exact} files byte for byte, ${texts} by their text; ${bad} differ, ${
    skipped} skipped`);
process.exit(bad || !exact ? 1 : 0);
