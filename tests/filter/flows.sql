-- Arrows between slices that both stay. Of a flow over several slices of which some are gone those before and behind them
-- are joined.
with recursive kept as (
  select s.id from slice s join track_place using (track_id) where ifnull(s.name, '') not glob 'binder*' and $slice),
arrows as (
  select slice_out, slice_in, trace_id from flow where slice_out in kept
  union
  select a.slice_out, f.slice_in, f.trace_id from arrows a join flow f on f.slice_out = a.slice_in and f.trace_id is a.trace_id
  where a.slice_in not in kept)
select o.ts, o.name, i.ts as ts_in, i.name as name_in
from arrows f join slice o on o.id = f.slice_out join slice i on i.id = f.slice_in
where f.slice_in in kept
