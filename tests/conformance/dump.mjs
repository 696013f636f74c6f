#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// dump.mjs TRACEBRIDGE PROTOS FILE...
//
// What `tracebridge dump` prints of a Perfetto trace, `protoc --encode` encodes to the same bytes: for every packet
// whose fields are all in our schema (text format has no word for others but their number, which protoc refuses).
// protoc has one form for each message, with fields in the order of their numbers and short lengths, which recorders
// need not keep to: where they do not, the bytes are those that protoc makes of its own reading of the packets. With
// TRACEBRIDGE_CORPUS in the environment also for all files below its perfetto/ folder. Prints a line for each file that
// differs, and the sums.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

const [program, protos, ...files] = process.argv.slice(2);
if (!files.length) {
  console.error("usage: dump.mjs TRACEBRIDGE PROTOS FILE...");
  process.exit(2);
}
const options = { maxBuffer: 1 << 30, encoding: "buffer" };

// The frames of a trace, as they are in the file; null where it is none that can be taken apart so simply.
function frames(bytes) {
  const found = [];
  for (let at = 0; at < bytes.length; ) {
    const start = at;
    if (bytes[at++] !== 0x0a) return null;
    let length = 0, shift = 1, byte;
    do {
      byte = bytes[at++];
      length += (byte & 0x7f) * shift;
      shift *= 128;
    } while (byte & 0x80);
    at += length;
    if (!(at <= bytes.length)) return null;
    found.push(bytes.subarray(start, at));
  }
  return found;
}

const texts = (dump) => dump.split(/^(?=packet \{)/m).filter((text) => text.startsWith("packet {"));
const isKnown = (text) => !/^ *[0-9]+(:| \{)/m.test(text);

const protoc = (what, input) => spawnSync(
    "protoc", [`-I${protos}`, `--${what}=perfetto.protos.Trace`, "perfetto/trace_packet.proto"], {...options, input});

function judge(file) {
  const packets = frames(fs.readFileSync(file));
  if (!packets) return { skipped: "cannot be taken apart" };
  const printed = texts(spawnSync(program, ["dump", "--from", "perfetto", file], options).stdout.toString("latin1"));
  if (printed.length !== packets.length) return { skipped: "holds compressed or damaged packets" };
  const known = printed.map((text, i) => [text, packets[i]]).filter(([text]) => isKnown(text));
  const encoded = protoc("encode", Buffer.from(known.map(([text]) => text).join(""), "latin1"));
  const bytes = Buffer.concat(known.map(([, packet]) => packet));
  const asTheyWere = encoded.status === 0 && encoded.stdout.equals(bytes);
  const same = asTheyWere ||
      (encoded.status === 0 && encoded.stdout.equals(protoc("encode", protoc("decode", bytes).stdout).stdout));
  return {
    same,
    asTheyWere,
    known: known.length,
    packets: packets.length,
    error: encoded.stderr.toString().split("\n")[0]
  };
}

function corpus() {
  const folder = process.env.TRACEBRIDGE_CORPUS && path.join(process.env.TRACEBRIDGE_CORPUS, "perfetto");
  if (!folder) return [];
  const entries = fs.readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.path, entry.name));
}

let [bad, known, packets, skipped, exact] = [0, 0, 0, 0, 0];
for (const file of [...files, ...corpus()]) {
  const result = judge(file);
  if (result.skipped) {
    skipped++;
    console.log(`SKIP ${path.basename(file)}: ${result.skipped}`);
    continue;
  }
  known += result.known;
  packets += result.packets;
  exact += result.asTheyWere;
  if (result.same) continue;
  bad++;
  console.log(`MISS ${path.basename(file)} ${result.error}`);
}
console.log(`dump: ${known} of ${packets} packets are in the schema; ${exact} files byte for byte; ${bad} differ, ${
    skipped} skipped`);
process.exit(bad || !known ? 1 : 0);
