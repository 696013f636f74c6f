#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// Plants wrong numbers in a copy of the tree, several at a time: numbers.mjs must find each, and nothing in the copy as
// it is.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const copy = fs.mkdtempSync(path.join(os.tmpdir(), "numbers-test-"));
for (const part of ["bridge", "merge", "toolbox", "protos", "tests/conformance/numbers.tsv"])
  fs.cpSync(path.join(here, "../..", part), path.join(copy, part), { recursive: true });

// File, what is there, what is planted, and what must be said of it.
const PLANTS = [
  [
    "protos/extensions/ftrace_kinds.proto", "kfree_skb = 367;", "kfree_skb = 7;", "FtraceEventKinds.kfree_skb is 7"
  ],
  [
    "protos/perfetto/ftrace.proto", "FTRACE_CLOCK_GLOBAL = 2;", "FTRACE_CLOCK_GLOBAL = 7;",
    "FtraceClock.FTRACE_CLOCK_GLOBAL is 7"
  ],
  [
    "protos/perfetto/clock_snapshot.proto", "primary_trace_clock = 2;", "primary_trace_clock = 3;",
    "ClockSnapshot.primary_trace_clock is 3"
  ],
  [
    "protos/perfetto/clock_snapshot.proto", "primary_trace_clock = 2;", "primary_clock = 2;",
    "ClockSnapshot.primary_clock is not published"
  ],
  [
    "protos/perfetto/track_descriptor.proto", "optional uint64 uuid = 1;", "optional bytes uuid = 1;",
    "TrackDescriptor.uuid is bytes"
  ],
  [
    "protos/perfetto/track_descriptor.proto", "thread_ordering = 20;", "thread_ordering = 21;",
    "TrackDescriptor.thread_ordering is 21"
  ],
  [
    "protos/extensions/chrome_enums.proto", "PROCESS_RENDERER = 2;", "PROCESS_RENDERER = 1000;",
    "ProcessType.PROCESS_RENDERER is 1000"
  ],
  ["protos/field_numbers.awk", "part[i + 1] \",\"", "part[i + 1] + 1 \",\"", "field_numbers.awk: TB_"],
  [
    "merge/rewrite/rewrite_fields.c", "{\"track_event.flow_ids\", {11, 47}", "{\"track_event.flow_ids\", {11, 48}",
    "TrackEvent.flow_ids"
  ],
  ["merge/rewrite/timestamps.c", "{1, 2, 488, 3}", "{1, 2, 489, 3}", "FtraceEvent.gpu_work_period"],
  [
    "toolbox/trim/ftrace_roles.h", "FUNCGRAPH_ENTRY = 437,", "FUNCGRAPH_ENTRY = 439,",
    "TB_FTRACE_EVENT_FUNCGRAPH_ENTRY is 439"
  ],
  ["merge/write/write.c", "TB_TRACK_EVENT_DEFAULTS_TRACK_UUID)", "11)", "a number of a format without a name"],
  [
    "bridge/model/fields_as_args.h", "\"VERBOSE\", \"DEBUG\"", "\"DEBUG\", \"VERBOSE\"",
    "levels[VERBOSE] is 3"
  ],
  ["bridge/include/tracebridge/event.h", "TB_CLOCK_BOOTTIME = 6", "TB_CLOCK_BOOTTIME = 7", "TB_CLOCK_BOOTTIME is 7"],
  ["bridge/include/tracebridge/event.h", "  TB_TASK_STOPPED,\n", "", "TB_TASK_DEAD is 6"],
  ["bridge/fxt/format.h", "TB_FXT_SCHEDULING = 8,", "TB_FXT_SCHEDULING = 9,", "TB_FXT_SCHEDULING is 9"],
  ["bridge/ftrace/event_text.c", "reply=%d5", "reply=%d6", "binder_transaction \"reply=%d6\" has no row"],
  ["bridge/perfetto/reader/ftrace_importer.c", "STATE_ZOMBIE = 32,", "STATE_ZOMBIE = 16,", "STATE_ZOMBIE is 16"],
  [
    "bridge/perfetto/reader/ftrace_importer.c", "STATE_ZOMBIE = 32,", "STATE_ZOMBIE = 32, STATE_PARKED = 64,",
    "STATE_PARKED = 64 has no row"
  ],
  ["bridge/perfetto/packet/packet_tokenizer.c", "0x82, 0x47", "0x83, 0x47", "marker[] is 8347"],
  [
    "bridge/perfetto/writer/encode/packet_sink.c", "TB_TRACE_PACKET_COMPRESSED_PACKETS,", "51,",
    "a number of a format without a name"
  ],
  [
    "tests/conformance/numbers.tsv", "6\tTB_CLOCK_BOOTTIME\t", "5\tTB_CLOCK_BOOTTIME\t",
    "BuiltinClock.BUILTIN_CLOCK_BOOTTIME is 6, not 5"
  ],
  ["tests/conformance/numbers.tsv", "6\tTB_CLOCK_BOOTTIME\t", "6\tTB_CLOCK_BOOTTIM\t", "nothing in our sources"],
];

function look() {
  const run = spawnSync(process.execPath, [path.join(here, "numbers.mjs"), "--root", copy], { encoding: "utf8" });
  return { status: run.status, said: run.stdout + run.stderr };
}

let missed = 0;
const asItIs = look();
if (asItIs.status !== 0) {
  missed++;
  console.log(`the copy as it is:\n${asItIs.said}`);
}

// Plants what has the place that it needs, looks, and puts all back; returns what is left to be planted.
function plant(plants) {
  const before = new Map(), planted = [], left = [];
  for (const each of plants) {
    const [file, from, to] = each, at = path.join(copy, file), text = fs.readFileSync(at, "utf8");
    if (!before.has(at)) before.set(at, text);
    if (text.includes(from)) fs.writeFileSync(at, text.replace(from, () => to));
    (text.includes(from) ? planted : left).push(each);
  }
  const { status, said } = look();
  for (const [at, text] of before) fs.writeFileSync(at, text);
  const unseen = planted.filter(([, , , expected]) => status !== 1 || !said.includes(expected));
  for (const [file, , to, expected] of unseen)
    console.log(`MISSED ${file}: ${to}: nothing says "${expected}" of it in\n${said}`);
  missed += unseen.length;
  return left;
}
for (let left = PLANTS; left.length; ) {
  const next = plant(left);
  if (next.length === left.length)
    throw new Error(`there is no place for ${next.map(([file, from]) => `${from} in ${file}`)}`);
  left = next;
}
fs.rmSync(copy, { recursive: true });
console.log(`numbers_test: ${missed} missed`);
process.exit(missed ? 1 : 0);
