-- Where a track is, as in ../trim, and whose it is: of which process and thread, and whether what is on it has names that
-- filter looks at
-- (track events and marks of atrace, not interrupts and the like) or is a counter that has one.
create view track_owner as
select k.id as track_id, coalesce(tt.utid, tc.utid) as utid, coalesce(th.upid, pt.upid, pc.upid) as upid
from track k left join thread_track tt on tt.id = k.id left join process_track pt on pt.id = k.id
left join thread_counter_track tc on tc.id = k.id left join process_counter_track pc on pc.id = k.id
left join thread th on th.utid = coalesce(tt.utid, tc.utid);
create view track_place as
select k.id as track_id, ifnull(k.name, '') as track_name, o.utid is not null as of_thread, th.name as thread,
  o.upid is not null as of_process, p.name as process,
  k.type glob '*track_event*' or k.type = 'chrome_process_instant' or k.type glob 'atrace*' or k.type glob 'legacy*' or k.type = 'thread_execution' as named,
  k.type in ('global_counter_track_event', 'process_counter_track_event', 'thread_counter_track_event', 'atrace_counter')
    and not is_thread_time as chosen_counter, is_thread_time,
  case
    when o.utid is not null then 'T' || ifnull(p.pid, '?') || '/' || th.tid
    when o.upid is not null then 'P' || p.pid
    else 'G' end || ':' || iif(k.type like '%merged%', '', ifnull(k.name, '')) || ':' || ifnull((select name from track where id = k.parent_id), '')
    as place
from (select *, ifnull(name, '') in ('thread_time', 'thread_instruction_count') as is_thread_time from track) k
join track_owner o on o.track_id = k.id left join thread th using (utid)
left join process p on p.upid = o.upid
