-- Arrows between slices that are both there. Of a flow over several slices of which some are gone those before and behind
-- them are joined.
with recursive kept as (
  select id from slice where ts < $end and (ts >= $start or dur = -1 or ts + dur > $start)),
onward as materialized (select slice_out, slice_in, trace_id from flow where slice_out not in kept),
joined as (
  select slice_out, slice_in, trace_id from flow where slice_out in kept and slice_in not in kept
  union
  select j.slice_out, o.slice_in, j.trace_id from joined j join onward o on o.slice_out = j.slice_in
  where o.trace_id = j.trace_id and j.slice_in not in kept),
arrow as (
  select slice_out, slice_in from flow where slice_out in kept and slice_in in kept
  union all
  select slice_out, slice_in from joined where slice_in in kept)
select max(o.ts, $start) as ts, o.name, max(i.ts, $start) as ts_in, i.name as name_in
from arrow f join slice o on o.id = f.slice_out join slice i on i.id = f.slice_in
-- of the part
select o.ts, o.name, i.ts as ts_in, i.name as name_in
from flow f join slice o on o.id = f.slice_out join slice i on i.id = f.slice_in
