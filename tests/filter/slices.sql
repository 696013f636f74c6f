-- Slices and instants. How deep one is depends on those that are gone. Slices of binder are of two threads, and not asked
-- for.
select ts, dur, place, s.name, category from slice s join track_place using (track_id)
where ifnull(s.name, '') not glob 'binder*' and $slice
