-- Events before the time 0, which the trace processor drops: trim makes none.
select name, value from stats where name = 'trace_sorter_negative_timestamp_dropped' limit 0
-- of the part
select name, value from stats where name = 'trace_sorter_negative_timestamp_dropped' and value > 0
