// SPDX-License-Identifier: Apache-2.0
//
// What the events of a JSON trace mean, as rows that can be compared: every event with every member, the metadata, the
// other members of the outermost object. Equal are: a B with its E, and an X; `i` and `I`; a scope of `t` and none;
// numbers by value; empty args, an empty category and none; callstacks by their frames; a counter's event of several
// series, and an event of each at its time.
import { canonical, idValue, nanoseconds } from "./json.mjs";
import { OpenSlices } from "./open_slices.mjs";

// An id of a process or thread: a number, or the text of its digits.
const idText = (value) => canonical(value ?? null).replace(/^"|"$/g, "");

const TIMES = ["ts", "dur", "tts", "tdur"];
const NO_THREAD = new Set("bneSTpFNOD"); // their emitting thread is no part of what they mean

function frames(trace, reference) {
  const names = [];
  for (let at = reference; trace.stackFrames?.[at] && names.length < 5000; at = trace.stackFrames[at].parent)
    names.unshift(`${trace.stackFrames[at].category ?? ""}:${trace.stackFrames[at].name ?? ""}`);
  return names.length ? names : `? ${idValue(reference)}`;
}

// Members as they are compared, by name.
function row(trace, event) {
  const out = {};
  for (const [key, value] of Object.entries(event)) {
    if (TIMES.includes(key) && nanoseconds(value) !== null) out[key] = nanoseconds(value).toString();
    else if (key === "pid" || key === "tid") out[key] = idText(value);
    else if (key === "id" || key === "bind_id") out[key] = idValue(value);
    else if (key === "id2" && value && typeof value === "object")
      out[key] = canonical(Object.fromEntries(Object.entries(value).map(([k, v]) => [k, idValue(v)])));
    else if (key === "sf" || key === "esf") out[key] = canonical(frames(trace, value));
    else if ((key === "stack" || key === "estack") && Array.isArray(value))
      out[key.replace("tack", "f")] = canonical(value.map((name) => `:${name}`));
    else out[key] = canonical(value);
  }
  if (out.args === "{}") delete out.args;
  if (out.cat === '""') delete out.cat;
  if (out.ph === '"I"') out.ph = '"i"';
  if (out.ph === '"i"' || out.ph === '"R"') out.s ??= '"t"';
  for (const flag of ["flow_in", "flow_out", "use_async_tts"])
    if (out[flag] === "false" || out[flag] === "0") delete out[flag];
  if (out.use_async_tts === "true") out.use_async_tts = "1"; // as Chrome writes it
  if (NO_THREAD.has(event.ph)) delete out.tid;
  return out;
}

// A counter's event as one of each of its series.
function bySeries(event) {
  const series = event.ph === "C" && event.args && typeof event.args === "object" ? Object.entries(event.args) : [];
  return series.length ? series.map(([key, value]) => ({ ...event, args: { [key]: value } })) : [event];
}

const difference = (a, b) => (nanoseconds(a) - nanoseconds(b)).toString();

// A B and its E as an X. The E may bring what an X has no place for: that stays a row of its own.
function complete(begin, end) {
  const x = { ...begin.event, ph: "X", args: { ...begin.event.args, ...end.args } };
  begin.done = { dur: difference(end.ts, begin.event.ts) };
  if (begin.event.tts !== undefined && end.tts !== undefined) begin.done.tdur = difference(end.tts, begin.event.tts);
  for (const [from, to] of [["sf", "esf"], ["stack", "estack"]]) if (from in end) x[to] = end[from];
  begin.event = x;
}

function pair(events) {
  const open = new Map(), out = [];
  const inOrder = events.map((event) => ({ event })).sort((a, b) => {
    const [x, y] = [nanoseconds(a.event.ts) ?? 0n, nanoseconds(b.event.ts) ?? 0n];
    return x < y ? -1 : x > y ? 1 : 0;
  });
  for (const item of inOrder) {
    const thread = `${item.event.pid}/${item.event.tid}`;
    const stack = open.get(thread) ?? open.set(thread, new OpenSlices()).get(thread);
    if (item.event.ph === "B") stack.push(item, item.event);
    if (item.event.ph !== "E") {
      out.push(item);
      continue;
    }
    const begin = stack.take(item.event, nanoseconds(item.event.ts));
    if (begin) complete(begin, item.event);
    else out.push(item);
  }
  return out;
}

// Counts of rows as text: events, metadata by what it is of (the last one holds), members of the outermost object.
export function rows(trace) {
  const counts = new Map(), metadata = new Map();
  const count = (text) => counts.set(text, (counts.get(text) ?? 0) + 1);
  const events =
      (trace.traceEvents ?? []).filter((event) => event && typeof event === "object" && !Array.isArray(event) &&
          Object.keys(event).length); // an object without members is no event
  for (const { event, done } of pair(events.filter((event) => event.ph !== "M")))
    for (const part of bySeries(event)) count(canonical({ ...row(trace, part), ...done }));
  for (const event of events.filter((event) => event.ph === "M"))
    metadata.set(
        canonical([idText(event.pid), /^thread/.test(event.name) ? idText(event.tid) : "", event.name]),
        canonical(event.args));
  for (const [of, args] of metadata) count(`M ${of} ${args}`);
  for (const sample of trace.samples ?? [])
    count(`sample ${canonical({...row(trace, sample), pid: 0})}`); // its thread says the process
  for (const key of Object.keys(trace))
    if (!["traceEvents", "stackFrames", "samples"].includes(key)) count(`${key} ${canonical(trace[key])}`);
  return counts;
}

export function compare(before, after) {
  const lost = [], more = [];
  for (const [text, n] of before) for (let i = after.get(text) ?? 0; i < n; i++) lost.push(text);
  for (const [text, n] of after)
    if (!text.startsWith("M "))
      for (let i = before.get(text) ?? 0; i < n; i++) more.push(text);
  return { lost, more };
}
