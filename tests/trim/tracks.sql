-- Where a track is, by what does not depend on the order of import: T<pid>/<tid> of a thread, P<pid> of a process, else
-- G, with the names of the track and of the one that it is below; of those that the engine names after an event without
-- them.
create view track_place as
select k.id as track_id,
  case
    when tt.utid is not null then 'T' || ifnull(p.pid, '?') || '/' || th.tid
    when pt.upid is not null then 'P' || (select pid from process where upid = pt.upid)
    else 'G' end || ':' || iif(k.type like '%merged%', '', ifnull(k.name, '')) || ':' || ifnull((select name from track where id = k.parent_id), '')
    as place
from track k left join thread_track tt on tt.id = k.id left join thread th on th.utid = tt.utid
left join process p on p.upid = th.upid left join process_track pt on pt.id = k.id
