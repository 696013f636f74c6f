-- The thread's own time of slices that are whole.
select ts, place, name, thread_ts, thread_dur from slice join track_place using (track_id)
where ts >= $start and ts < $end and ts + dur < $end and dur != -1 and thread_ts is not null
-- of the part
select ts, place, name, thread_ts, thread_dur from slice join track_place using (track_id)
where ts >= $start and ts + dur < $end and dur != -1 and thread_ts is not null
