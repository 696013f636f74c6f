-- Values of counters in the window, and the last one before it, which comes at its start unless there is another one.
-- What comes at its end, which is no longer in it, says of some how large the last one is.
with value as (
  select c.ts, c.track_id, c.value, row_number() over (partition by track_id order by ts desc, c.id desc) as age
  from counter c where ts < $start)
select c.ts, place, printf('%.12g', value) as value from counter c join track_place using (track_id)
where ts >= $start and ts < $end
union all
select $start, place, printf('%.12g', value) from value join track_place using (track_id)
where age = 1 and not exists (select 1 from counter c where c.track_id = value.track_id and c.ts = $start)
-- of the part
select ts, place, printf('%.12g', value) as value from counter join track_place using (track_id)
where ts < $end
