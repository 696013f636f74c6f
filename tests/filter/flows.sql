-- Arrows between slices that both stay. Of a flow over several slices of which one is gone those before and behind it are
-- joined, so that only whole ones are asked for.
with kept as (
  select s.id from slice s join track_place using (track_id) where ifnull(s.name, '') not glob 'binder*' and $slice)
select o.ts, o.name, i.ts as ts_in, i.name as name_in
from flow f join slice o on o.id = f.slice_out join slice i on i.id = f.slice_in
where f.slice_out in kept and f.slice_in in kept
