-- Clock snapshots stay.
select ts, clock_id, clock_value, machine_id from clock_snapshot
-- of the part
select ts, clock_id, clock_value, machine_id from clock_snapshot
