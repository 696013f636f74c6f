# The summary of a conversion.
hide_size() {
  sed -E 's/(perfetto, )[^)]*/\1SIZE/; s/(format": "perfetto", "bytes": |peak_held_bytes": )[0-9]+/\1SIZE/'; }
tracebridge convert "$DATA/phases/counters.json" -o counters.perfetto-trace 2>&1 | hide_size
tracebridge convert "$DATA/real/clang-time-trace.json" -o clang.perfetto-trace 2>&1 | hide_size
ls
