-- Arguments of those slices.
select ts, place, s.name, a.key, a.display_value as value
from slice s join track_place using (track_id) join args a using (arg_set_id)
where ifnull(s.name, '') not glob 'binder*' and a.key not glob 'legacy_*' and a.key != 'utid' and $slice
