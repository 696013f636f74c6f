-- Slices and instants. How deep one is depends on those that are gone. Slices of binder, which names do not choose, are
-- those of threads that stay: with each is the other thread's, whoever that is.
select ts, dur, place, s.name, category, thread_ts, thread_dur, thread_instruction_count from slice s join track_place using (track_id)
where iif(ifnull(s.name, '') glob 'binder*', $stays, $slice)
