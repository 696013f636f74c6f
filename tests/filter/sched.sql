-- What runs on each processor, of threads that stay: others are the idle one.
with t as (
  select utid, tid, th.name as thread, (select name from process where upid = th.upid) as process from thread th)
select ts, dur, cpu, tid, end_state, priority from sched_slice join t using (utid) where $thread
