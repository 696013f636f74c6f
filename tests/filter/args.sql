-- Arguments of those slices.
select ts, place, s.name, a.key, iif(a.key glob '*.mapping_id', (select build_id || m.name from stack_profile_mapping m where m.id = a.int_value),
    a.display_value) as value
from slice s join track_place using (track_id) join args a using (arg_set_id)
where ifnull(s.name, '') not glob 'binder*' and a.key not glob 'legacy_*' and a.key != 'utid' and $slice
