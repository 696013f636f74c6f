-- The thread's own time of slices that are whole. Of work of a GPU it is how long that was busy, as long as the rest of it
-- where it is cut.
select ts, place, name, thread_ts, thread_dur from slice join track_place using (track_id)
where ts >= $start and ts < $end and ts + dur < $end and dur != -1 and thread_ts is not null
  and track_id not in (select id from track where type = 'android_gpu_work_period')
-- of the part
select ts, place, name, thread_ts, thread_dur from slice join track_place using (track_id)
where ts >= $start and ts + dur < $end and dur != -1 and thread_ts is not null
  and track_id not in (select id from track where type = 'android_gpu_work_period')
