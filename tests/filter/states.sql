-- The states of threads that stay.
with t as (
  select utid, tid, th.name as thread, (select name from process where upid = th.upid) as process from thread th)
select ts, dur, state, cpu, tid from thread_state join t using (utid) where $stays
