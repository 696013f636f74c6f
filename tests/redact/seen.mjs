#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// seen.mjs TRACEBRIDGE PROFILE.json: whether the trace processor sees the scheduling and the samples of a trace
// in what redact makes of it: states of threads by Linux' bits and by words, the idle thread, ftrace text, CPU profiles
// of V8; and counters, slices and arguments that are easily lost. Names are no part of what is compared.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { queryTrace } from "../conformance/engine.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const [program, profile] = process.argv.slice(2);
const home = execFileSync(path.join(here, "../conformance/fetch.sh"), { encoding: "utf8" }).trim();
const work = fs.mkdtempSync(path.join(os.tmpdir(), "redact-seen-"));

const STATES = {
  states: "select s.ts, s.dur, s.state, t.tid from thread_state s join thread t using (utid) order by s.ts, t.tid",
  idle: "select tid, is_idle from thread where is_idle order by 1",
};
const PROCESSES = { processes: "select t.tid, p.pid from thread t left join process p using (upid) order by 1" };
// Text within JSON is on JSON's clock, where states have words: R+ is R.
const STATES_BY_WORDS = { states: STATES.states.replace("s.state", "rtrim(s.state, '+')") };
const SLICES = { slices: "select s.ts, s.dur, s.depth from slice s order by 1, 2, 3" };
const SAMPLES = { samples: "select ts from cpu_profile_stack_sample order by 1" };

// prev_state 1026 is I and 256 is R+ since Linux 4.14, as every bit of the older layout is another letter.
const KERNEL = `packet { clock_snapshot { clocks { clock_id: 6 timestamp: 1 } primary_trace_clock: 6 } }
packet { system_info { utsname { sysname: "Linux" version: "#1 of my own" release: "5.10.43-mine-g0123" } } }
packet { ftrace_events { cpu: 0
  event { timestamp: 100 pid: 0 sched_switch { prev_comm: "swapper/0" prev_pid: 0 prev_prio: 120 prev_state: 0
    next_comm: "worker" next_pid: 31 next_prio: 110 } }
  event { timestamp: 200 pid: 31 sched_switch { prev_comm: "worker" prev_pid: 31 prev_prio: 110 prev_state: 1026
    next_comm: "other" next_pid: 50 next_prio: 120 } }
  event { timestamp: 300 pid: 50 sched_switch { prev_comm: "other" prev_pid: 50 prev_prio: 120 prev_state: 256
    next_comm: "swapper/0" next_pid: 0 next_prio: 120 } }
  event { timestamp: 400 pid: 0 sched_switch { prev_comm: "swapper/0" prev_pid: 0 prev_prio: 120 prev_state: 0
    next_comm: "other" next_pid: 50 next_prio: 120 } } } }
`;
// As recorders write it: what the first switch of a CPU leaves is not said, and the trace processor shows none.
const COMPACT = `packet { clock_snapshot { clocks { clock_id: 6 timestamp: 1 } primary_trace_clock: 6 } }
packet { system_info { utsname { sysname: "Linux" release: "6.12.1" } } }
packet { ftrace_events { cpu: 2 compact_sched { intern_table: "one" intern_table: "two" switch_timestamp: 100
  switch_timestamp: 50 switch_timestamp: 50 switch_prev_state: 0 switch_prev_state: 1 switch_prev_state: 256
  switch_next_pid: 31 switch_next_pid: 50 switch_next_pid: 31 switch_next_prio: 120 switch_next_prio: 120
  switch_next_prio: 120 switch_next_comm_index: 0 switch_next_comm_index: 1 switch_next_comm_index: 0 } } }
`;
const WORDS = JSON.stringify([
  { name: "Running", ph: "T", ts: 1, dur: 5, pid: 1, tid: 2, args: { cpu: 0 } },
  { name: "Sleeping", ph: "T", ts: 6, dur: 5, pid: 1, tid: 2 },
  { name: "Running", ph: "T", ts: 11, dur: 5, pid: 1, tid: 2, args: { cpu: 0 } },
]);
const LINES = `# tracer: nop
#
  one-10 (  10) [000] d..3 10.000000: sched_switch: prev_comm=one prev_pid=10 prev_prio=120 prev_state=D ==> \
next_comm=two next_pid=20 next_prio=1
  two-20 (  20) [000] d..3 10.100000: tracing_mark_write: B|20|of the app
  two-20 (  20) [000] d..3 10.200000: tracing_mark_write: E|20
  two-20 (  20) [000] d..3 10.500000: sched_switch: prev_comm=two prev_pid=20 prev_prio=1 prev_state=R+ ==> \
next_comm=one next_pid=10 next_prio=120
`;
const WITH_TEXT = JSON.stringify({
  traceEvents: [{ name: "slice", ph: "X", ts: 1, dur: 2, pid: 1, tid: 1 }],
  systemTraceEvents: LINES,
});
// Counters of the kernel and slices of its processors; counters by their ids, and with values that are text; machines
// and what is on each; arguments within JSON text.
const COUNTERS = {
  counters: "select count(distinct track_id), sum(ts), sum(value), count(*) from counter",
  tracks: "select count(*), sum(ts) from counter group by track_id order by 1, 2",
};
const KERNEL_LINES = `# tracer: nop
#
  foo-10 (  10) [000] ...1 100.000100: cpu_frequency: state=1000 cpu_id=2
  foo-10 (  10) [000] ...1 100.000150: cpu_idle: state=1 cpu_id=2
  foo-10 (  10) [000] ...1 100.000200: workqueue_execute_start: work struct 0000000017: function my_fn
  foo-10 (  10) [000] ...1 100.000250: workqueue_execute_end: work struct 0000000017
  foo-10 (  10) [000] ...1 100.000300: irq_handler_entry: irq=27 name=arch_timer
  foo-10 (  10) [000] ...1 100.000350: irq_handler_exit: irq=27 ret=handled
`;
const BY_IDS = JSON.stringify([0, 1, 2, 1].map((id, ts) => (
  { name: "c", ph: "C", ts, pid: 1, id, args: { v: id ? ts : `${ts + 0.5}` } })));
const MACHINE = `packet { ftrace_events { cpu: 1
  event { timestamp: 100 pid: 10 irq_handler_entry { irq: 100 name: "mine" } }
  event { timestamp: 200 pid: 10 irq_handler_exit { irq: 100 ret: 1 } } } machine_id: 7 }
`;
const MACHINES = `packet { trusted_packet_sequence_id: 1 track_descriptor { uuid: 20 thread { pid: 10 tid: 11 } } }
packet { trusted_packet_sequence_id: 2 machine_id: 7 track_descriptor { uuid: 20 thread { pid: 10 tid: 11 } } }
packet { trusted_packet_sequence_id: 2 machine_id: 7 system_info { utsname { sysname: "Linux" release: "5.10.0" } } }
packet { trusted_packet_sequence_id: 1 timestamp: 20 track_event { type: 1 track_uuid: 20 name: "a" } }
packet { trusted_packet_sequence_id: 2 machine_id: 7 timestamp: 25 track_event { type: 1 track_uuid: 20 name: "b" } }
packet { trusted_packet_sequence_id: 2 machine_id: 7 timestamp: 30 track_event { type: 2 track_uuid: 20 } }
packet { trusted_packet_sequence_id: 1 timestamp: 40 track_event { type: 2 track_uuid: 20 } }
packet { trusted_packet_sequence_id: 3 ftrace_events { cpu: 0 event { timestamp: 20 pid: 0 sched_switch {
  prev_comm: "swapper/0" prev_pid: 0 next_comm: "host" next_pid: 11 } } } }
packet { trusted_packet_sequence_id: 3 machine_id: 7 ftrace_events { cpu: 0 event { timestamp: 20 pid: 0 sched_switch {
  prev_comm: "swapper/0" prev_pid: 0 next_comm: "client" next_pid: 11 } } } }
`;
const OF_MACHINES = {
  machines: "select raw_id, sysname, release from machine order by 1",
  processes: "select machine_id, pid from process order by 1, 2",
  threads: "select machine_id, tid from thread order by 1, 2",
  slices: "select s.ts, s.dur, t.machine_id, t.tid from slice s " +
    "join thread_track k on s.track_id = k.id join thread t using (utid) order by 1",
  sched: "select s.ts, t.machine_id, t.tid from sched s join thread t using (utid) order by 1, 2, 3",
};
const IN_TEXT = `packet { trusted_packet_sequence_id: 1 track_descriptor { uuid: 1 thread { pid: 1 tid: 1 } } }
packet { trusted_packet_sequence_id: 1 timestamp: 1 track_event { type: 3 track_uuid: 1 name: "a"
  debug_annotations { name: "j" legacy_json_value: "{\\"key\\":10,\\"list\\":[1.5,7]}" } } }
`;
const NUMBERS = { numbers: "select sum(int_value), sum(real_value) from args where flat_key like 'debug.%'" };

function run(...words) {
  const done = spawnSync(program, words, { encoding: "utf8" });
  if (done.error) throw done.error;
  return done.status;
}

function put(name, text) {
  const file = path.join(work, name);
  fs.writeFileSync(file, text);
  return file;
}

function convert(file, to) {
  const made = path.join(work, to);
  if (run("convert", "-q", file, "-o", made) % 4) throw new Error(`${file} is not converted`);
  return made;
}

// The input, the format of the output, what is asked; and the trace that has to be seen in place of the input.
const kernel = convert(put("kernel.textproto", KERNEL), "kernel.pftrace");
const ftrace = put("lines.ftrace", LINES), words = put("words.json", WORDS);
const withText = put("with_text.json", WITH_TEXT);
const kernelLines = put("kernel_lines.ftrace", KERNEL_LINES), byIds = put("by_ids.json", BY_IDS);
const CASES = [
  [kernel, "pftrace", { ...STATES, ...PROCESSES }],
  [convert(put("compact.textproto", COMPACT), "compact.pftrace"), "pftrace", { states: STATES.states }],
  [words, "pftrace", STATES, convert(words, "words.pftrace")],
  [words, "json", STATES, convert(words, "words_again.pftrace")],
  [ftrace, "pftrace", { ...STATES, ...SLICES }, convert(ftrace, "ftrace.pftrace")],
  [withText, "pftrace", { ...STATES_BY_WORDS, ...SLICES }, convert(withText, "text.pftrace")],
  [profile, "json", SAMPLES],
  [kernelLines, "pftrace", { ...COUNTERS, ...SLICES }, convert(kernelLines, "kernel_lines.pftrace")],
  [byIds, "pftrace", COUNTERS, convert(byIds, "by_ids.pftrace")],
  [byIds, "json", COUNTERS, convert(byIds, "by_ids_again.pftrace")],
  [convert(put("machine.textproto", MACHINE), "machine.pftrace"), "pftrace", SLICES],
  [convert(put("machines.textproto", MACHINES), "machines.pftrace"), "pftrace", OF_MACHINES],
  [convert(put("in_text.textproto", IN_TEXT), "in_text.pftrace"), "pftrace", NUMBERS],
];

let bad = 0;
try {
  for (const [file, to, queries, seen] of CASES) {
    const made = path.join(work, `redacted.${to}`);
    const status = run("redact", "-q", file, "-o", made);
    const asked = to === "json" && seen ? convert(made, "redacted_again.pftrace") : made;
    const [before, after] = [await queryTrace(home, seen ?? file, queries), await queryTrace(home, asked, queries)];
    for (const name of Object.keys(queries)) {
      const [was, is] = [before, after].map((tables) => tables[name].rows.join(" ; "));
      if (was !== "" && was === is) continue;
      bad++;
      console.log(`${path.basename(file)} to ${to}, status ${status}: ${name}\n  ${was}\n  ${is}`);
    }
  }
} finally {
  fs.rmSync(work, { recursive: true });
}
console.log(`${CASES.length} cases, ${bad} faults`);
process.exit(bad ? 1 : 0);
