# What is chosen stays, and what it needs: ends of slices, delta times, values of counters that came with other events.
# Arguments go but for what other formats need.
cat >all.textproto <<'TEXT'
packet { trusted_packet_sequence_id: 1 sequence_flags: 1 clock_snapshot { primary_trace_clock: 6
  clocks { clock_id: 6 timestamp: 1000 } clocks { clock_id: 64 timestamp: 1000 is_incremental: true } } }
packet { trusted_packet_sequence_id: 1
  trace_packet_defaults { timestamp_clock_id: 64 track_event_defaults {
    track_uuid: 2 extra_counter_track_uuids: 4 extra_counter_track_uuids: 3 } }
  track_descriptor { uuid: 2 thread { pid: 5 tid: 6 thread_name: "worker" } } }
packet { trusted_packet_sequence_id: 1 track_descriptor { uuid: 3 name: "sum" counter { is_incremental: true } } }
packet { trusted_packet_sequence_id: 1
  track_descriptor { uuid: 4 parent_uuid: 2 counter { type: COUNTER_THREAD_TIME_NS } } }
packet { trusted_packet_sequence_id: 1 track_descriptor { uuid: 7 process { pid: 70 process_name: "other" } } }
packet { timestamp: 10 sequence_flags: 2 trusted_packet_sequence_id: 1
  interned_data { event_names { iid: 1 name: "long" } event_names { iid: 2 name: "short" } }
  track_event { type: TYPE_SLICE_BEGIN name_iid: 1 flow_ids: 9 debug_annotations { name: "a" string_value: "b" }
    debug_annotations { name: "trace_event" dict_entries { name: "tts" int_value: 5 } } extra_counter_values: 100
    extra_counter_values: 7 } }
packet { timestamp: 10 sequence_flags: 2 trusted_packet_sequence_id: 1
  track_event { type: TYPE_SLICE_BEGIN name_iid: 2 extra_counter_values: 110 extra_counter_values: 1 } }
packet { timestamp: 10 sequence_flags: 2 trusted_packet_sequence_id: 1 track_event { type: TYPE_SLICE_END } }
packet { timestamp: 10 sequence_flags: 2 trusted_packet_sequence_id: 1
  track_event { type: TYPE_INSTANT name: "mark" } }
packet { timestamp: 60 sequence_flags: 2 trusted_packet_sequence_id: 1
  track_event { type: TYPE_SLICE_END extra_counter_values: 190 extra_counter_values: 2 } }
packet { timestamp: 10 sequence_flags: 2 trusted_packet_sequence_id: 1
  track_event { type: TYPE_INSTANT name: "elsewhere" track_uuid: 7 } }
packet { timestamp: 10 trusted_packet_sequence_id: 1 1999 { 1: 7 } }
TEXT
tracebridge filter all.textproto -o part.pftrace --min-dur 50ns --no-args --no-flows --json
tracebridge dump --events part.pftrace
echo "the counter is gone, and the thread's time is not"
tracebridge filter -q all.textproto -o - --counter '!sum' --process 5 | tracebridge dump --events -
echo "a name, as JSON"
tracebridge filter -q all.textproto -o part.json --name 'l*' --name '!lo'
grep -c '"ph":"[Xi]"' part.json
echo "without arguments, what is no argument stays: ids, phases, colors, threads of global instants"
cat >fields.json <<'TEXT'
[{"ph":"b","cat":"c","id":"abc","name":"as","ts":5,"pid":3,"tid":4,"args":{"x":1}},
{"ph":"e","cat":"c","id":"abc","name":"as","ts":9,"pid":3,"tid":4},
{"ph":"s","id":"7x","name":"fl","ts":6,"pid":3,"tid":4,"args":{"y":1}},
{"ph":"X","name":"q","cname":"good","ts":7,"dur":3,"pid":3,"tid":4,"args":{"z":1}},
{"ph":"i","s":"g","name":"gi","ts":8,"pid":3,"tid":4,"args":{"x":1}}]
TEXT
tracebridge filter -q fields.json -o part.json --no-args
grep -o '"name".*' part.json | sort
