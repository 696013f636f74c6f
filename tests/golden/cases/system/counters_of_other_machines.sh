# What the recorder read off the system of a second machine, which the kernel's text has no place for, is counters of
# that machine's process 0 in JSON; in FXT, which has no text, that of the first machine is counters, too.
cat >in.textproto <<'EOF'
packet { timestamp: 1000 sys_stats { meminfo { key: MEMINFO_MEM_FREE value: 7 } } }
packet { timestamp: 2000 machine_id: 5 sys_stats { meminfo { key: MEMINFO_MEM_FREE value: 100 } cpufreq_khz: 200 } }
packet { timestamp: 3000 machine_id: 5 battery { charge_counter_uah: 5 capacity_percent: 77 } }
packet { timestamp: 4000 machine_id: 5 process_stats { processes { pid: 9 vm_rss_kb: 3 } } }
packet { timestamp: 5000 machine_id: 5 power_rails { rail_descriptor { index: 1 rail_name: "r" }
  energy_data { index: 1 timestamp_ms: 1 energy: 100 } } }
packet { timestamp: 6000 trigger { trigger_name: "stop" } }
EOF
for format in json fxt; do
  tracebridge convert in.textproto -o out.$format 2>&1 | grep -A9 lost
  tracebridge convert -q out.$format --to json
done
