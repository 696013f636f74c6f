// SPDX-License-Identifier: Apache-2.0
//
// What of a trace must be the same: queries that name every row by things that do not depend on the order of import.

// T<pid>/<tid> for a thread's track, P<pid> for a process', G for any other.
const home = (id) => `(
  select case
    when tt.utid is not null then 'T' || (select ifnull(p.pid, '?') || '/' || th.tid
                                          from thread th left join process p using (upid)
                                          where th.utid = tt.utid)
    when pt.upid is not null then 'P' || (select pid from process p where p.upid = pt.upid)
    else 'G' end
  from track k left join thread_track tt on tt.id = k.id left join process_track pt on pt.id = k.id 
  where k.id = ${id})`;

const slices = (condition) => `
  select ts, dur, ${home("track_id")} as track, depth, ifnull(name, '') as name, ifnull(category, '') as category
  from slice where ${condition}`;

// Keys of arguments: the JSON importer says args.x, the other debug.x.
const argKey = "replace(replace(a.key, 'debug.', 'args.'), 'args.args.', 'args.')";

export const TABLES = {
  slices: slices("dur != 0"),
  instants: slices("dur = 0"),
  args: `
    select s.ts, ${home("s.track_id")} as track, s.name, ${argKey} as key,
      coalesce(a.string_value, cast(a.int_value as text), printf('%.15g', a.real_value)) as value
    from slice s join args a using (arg_set_id) where a.key glob 'args.*' or a.key glob 'debug.*'`,
  counters: `
    select c.ts, case
        when p.upid is not null then 'P' || (select pid from process where upid = p.upid)
        when h.utid is not null then 'T' || (select tid from thread where utid = h.utid)
        else 'G' end as track, k.name, printf('%.12g', c.value) as value
    from counter c join counter_track k on k.id = c.track_id left join process_counter_track p on p.id = k.id
    left join thread_counter_track h on h.id = k.id where k.name != 'thread_time'`,
  flows: `
    select o.ts, ${home("o.track_id")} as track, o.name, i.ts as ts_in, ${
      home("i.track_id")} as track_in, i.name as name_in
    from flow f join slice o on o.id = f.slice_out join slice i on i.id = f.slice_in`,
  threads: `
    select distinct p.pid, t.tid, t.name from thread t left join process p using (upid)
    where t.utid in (select utid from thread_track where id in (select track_id from slice))`,
  processes: `
    select distinct pid, name from process where upid in (
      select upid from thread join thread_track using (utid) where thread_track.id in (select track_id from slice)
      union select upid from process_track where id in (select track_id from slice)
      union select upid from process_counter_track)`,
  sched: `
    select ts, dur, cpu, (select tid from thread where utid = s.utid) as tid, end_state, priority from sched_slice s`,
  // The importer of generic task states has no state for a woken thread but R, and no processor of threads that do not
  // run.
  states: `
    select ts, dur, iif(state = 'W', 'R', state) as state, iif(state = 'Running', cpu, null) as cpu,
      (select tid from thread where utid = s.utid) as tid from thread_state s`,
  threadtimes: `
    select ts, ${home("track_id")} as track, name, thread_ts, thread_dur from slice where thread_ts is not null`,
  // Of V8's CPU profiles.
  cpu_samples: `
    select s.ts, p.pid, t.tid, f.name, k.depth as level, m.name as caller
    from cpu_profile_stack_sample s join thread t using (utid) left join process p using (upid)
    join stack_profile_callsite k on k.id = s.callsite_id join stack_profile_frame f on f.id = k.frame_id
    left join stack_profile_callsite c on c.id = k.parent_id left join stack_profile_frame m on m.id = c.frame_id`,
};

export const ERRORS =
    "select name, sum(value) as count from stats where severity in ('error', 'data_loss') and value > 0 group by 1";

const text = (value) => (value === null || value === undefined ? null : String(value));

// Async events without a process are on global tracks for the JSON importer; a track below their process is as good.
const placeless = (row) =>
    JSON.stringify(row.map((value) => (typeof value === "string" && /^(G|P-?\d+)$/.test(value) ? "A" : value)));

// Compares two results of one table as multisets: rows of `expected` that `actual` lacks, and those that it has beyond.
export function compareTable(expected, actual) {
  const extra = actual.rows.map((row) => row.map(text));
  const waiting = new Map();
  extra.forEach((row, index) => {
    const key = JSON.stringify(row);
    if (!waiting.has(key)) waiting.set(key, []);
    waiting.get(key).push(index);
  });
  const used = new Set();
  const take = (map, key) => {
    for (let index = map.get(key)?.pop(); index !== undefined; index = map.get(key)?.pop())
      if (!used.has(index)) { used.add(index); return true; }
    return false;
  };
  const unmatched = expected.rows.map((row) => row.map(text)).filter((row) => !take(waiting, JSON.stringify(row)));
  const loose = new Map();
  extra.forEach((row, index) => {
    if (used.has(index)) return;
    const key = placeless(row);
    if (!loose.has(key)) loose.set(key, []);
    loose.get(key).push(index);
  });
  const missing = unmatched.filter((row) => !row.includes("G") || !take(loose, placeless(row)));
  return { missing, more: extra.filter((row, index) => !used.has(index)) };
}
