# Perfetto written again says the same: instants of tracks that are no thread's are on these, and tracks without
# events do not count; a process described has a thread of its number.
for name in clock_faults cpu_profiles lost_state same_numbers_a same_numbers_b shared_tracks \
  chrome_samples late old_carried records names_in_time; do
  tracebridge convert -q "$HELPERS/../data/$name.perfetto-trace" -o again.pftrace 2>/dev/null
  tracebridge diff "$HELPERS/../data/$name.perfetto-trace" again.pftrace 2>/dev/null | sed -n 3p
done
