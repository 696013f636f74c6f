-- Nothing is outside of the window. At its end, which is not in it, are two things on purpose: a fence behind the one of
-- its queue that is cut there, and the value of a GPU's counter that says what the one before it is.
select 'slice' as kind, ts, null as place, name from slice where false
-- of the part
select 'slice' as kind, ts, place, name from slice join track_place using (track_id)
where ts < $start or ts > $end or (ts = $end and track_id not in (select id from track where type = 'drm_fence'))
union all
select 'counter', ts, place, null from counter join track_place using (track_id)
where ts < $start or ts > $end or (ts = $end and track_id not in (select id from track where type = 'gpu_counter'))
