#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// sizes.mjs TRACEBRIDGE [--most RATIO] FILE...
//
// Converts each JSON FILE of more than 1 MiB (inflated) to Perfetto and prints a table of its size, the output's, and
// the output's in parts of the input's, the largest first. Exit status 0 when none is above RATIO (0.40).
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import zlib from "node:zlib";

const words = process.argv.slice(2), at = words.indexOf("--most");
const most = at < 0 ? 0.4 : Number(words.splice(at, 2)[1]);
const [program, ...files] = words;
if (!program || !files.length) {
  console.error("usage: sizes.mjs TRACEBRIDGE [--most RATIO] FILE...");
  process.exit(2);
}

const output = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "sizes-")), "out.perfetto-trace");
const rows = [];
for (const file of files) {
  const bytes = fs.readFileSync(file);
  const size = bytes[0] === 0x1f && bytes[1] === 0x8b ? zlib.gunzipSync(bytes).length : bytes.length;
  if (size < 1 << 20) continue;
  const run = spawnSync(program, ["convert", "-q", file, "-o", output]);
  if (run.status !== 0 && run.status !== 4) throw new Error(`${file}: exit status ${run.status}`);
  rows.push({ file: path.basename(file), size, written: fs.statSync(output).size });
}
fs.rmSync(path.dirname(output), { recursive: true });
rows.sort((a, b) => b.written / b.size - a.written / a.size);
console.log("ratio      input     output  file");
for (const { file, size, written } of rows)
  console.log(`${(written / size).toFixed(3)} ${String(size).padStart(10)} ${String(written).padStart(10)}  ${file}`);
process.exit(rows.some(({ size, written }) => written > most * size) ? 1 : 0);
