-- Arrows between slices that are both there. Of a flow over several slices of which one is gone those before and behind
-- it are joined; only whole flows are asked for here.
with kept as (
  select id from slice where ts < $end and (ts >= $start or dur = -1 or ts + dur > $start))
select max(o.ts, $start) as ts, o.name, max(i.ts, $start) as ts_in, i.name as name_in
from flow f join slice o on o.id = f.slice_out join slice i on i.id = f.slice_in
where f.slice_out in kept and f.slice_in in kept
-- of the part
select o.ts, o.name, i.ts as ts_in, i.name as name_in
from flow f join slice o on o.id = f.slice_out join slice i on i.id = f.slice_in
