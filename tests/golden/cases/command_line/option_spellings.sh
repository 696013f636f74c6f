# Sizes with the units of other tools, words in any case, the version by each of its names.
for size in 2M 2MiB 2mb 1.5G 1T 2097152B 2000.5KiB; do
  tracebridge convert "$DATA/real/clang-time-trace.json" -o a.pftrace -q --memory $size && echo "--memory $size"
done
for size in 1.3K 1.000001kB 1.0000001M 1..5M 1.M .5M 1.5 M 1MX 1Mi 20000000T; do
  tracebridge convert "$DATA/real/clang-time-trace.json" -o b.pftrace -q --memory $size 2>&1 | head -1
done
echo "-- the least memory"
tracebridge convert "$DATA/real/clang-time-trace.json" -o b.pftrace --memory 64K 2>&1 | head -1
cmp a.pftrace b.pftrace
echo "-- words"
tracebridge convert "$DATA/real/clang-time-trace.json" -o a.pftrace -q --from JSON --clock MONOTONIC_RAW
tracebridge info a.pftrace | grep -o MONOTONIC_RAW | head -1
tracebridge convert "$DATA/real/clang-time-trace.json" -o a.pftrace -q --clock Boottime
tracebridge info a.pftrace | grep -o BOOTTIME | head -1
echo "-- version"
for word in -V --version version; do tracebridge $word; done
