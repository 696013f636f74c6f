-- Arguments of those slices: a slice that is cut keeps its own. The engine's own numbers are left out, and what slices.sql
-- leaves out; of binder, what later events say of a transaction.
select max(ts, $start) as ts, place, name, a.key, iif(a.key glob '*.mapping_id', (select build_id || m.name from stack_profile_mapping m where m.id = a.int_value),
    a.display_value) as value
from slice join track_place using (track_id) join args a using (arg_set_id)
where a.key not glob 'legacy_*' and a.key not in ('utid', 'end_utid', 'data size', 'offsets size') and a.key not glob 'destination*'
  and ifnull(name, '') != 'binder async rcv' and ts < $end and (ts >= $start or dur = -1 or ts + dur > $start)
-- of the part
select ts, place, name, a.key, iif(a.key glob '*.mapping_id', (select build_id || m.name from stack_profile_mapping m where m.id = a.int_value),
    a.display_value) as value
from slice join track_place using (track_id) join args a using (arg_set_id)
where a.key not glob 'legacy_*' and a.key not in ('utid', 'end_utid', 'data size', 'offsets size') and a.key not glob 'destination*'
  and ifnull(name, '') != 'binder async rcv' and ts < $end
