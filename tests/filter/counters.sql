-- Values of counters. The clock of a thread is part of its slices. What the kernel says of buffers is of the whole, and
-- the same event of a thread.
select ts, place, printf('%.12g', value) as value from counter join track_place using (track_id)
where not is_thread_time and track_name not in ('mem.dma_heap_change', 'mem.ion_change')
  and track_name not glob 'mem.fastrpc_change*' and $counter
