"""Traces that each have one thing wrong, at a place that is known. write(FOLDER, PROGRAM, FXT_FROM_TEXT) makes them:
{file: (code, offset)}, both None of those in which nothing is to be found.
"""
import os
import subprocess

# ---- Perfetto, as text of packets --------------------------------------------------------------------------------

SNAPSHOT = ("packet {{ timestamp: {0} trusted_packet_sequence_id: 1 clock_snapshot {{"
            " clocks {{ clock_id: 6 timestamp: {0} }} clocks {{ clock_id: 3 timestamp: {1} }}"
            " clocks {{ clock_id: 1 timestamp: {2} }} primary_trace_clock: 6 }} }}").format


def reads(sequence):
    """Makes snapshots of that sequence: of a time, and of clocks each with its reading."""
    def snapshot(time, *clocks):
        pairs = zip(clocks[::2], clocks[1::2])
        return (f"packet {{ timestamp: {time} trusted_packet_sequence_id: {sequence} clock_snapshot {{"
                + " ".join(f"clocks {{ clock_id: {clock} timestamp: {at} }}" for clock, at in pairs)
                + " primary_trace_clock: 6 } }")
    return snapshot


READS, ON_SEQUENCE_5 = reads(2), reads(5)
DAY = 1700000000000000000
BEGIN, END, INSTANT, COUNTER = "TYPE_SLICE_BEGIN", "TYPE_SLICE_END", "TYPE_INSTANT", "TYPE_COUNTER"


def event(ts, kind, rest="", uuid=10, sequence=2, flags=2, packet=""):
    return (f"packet {{ timestamp: {ts} trusted_packet_sequence_id: {sequence} sequence_flags: {flags}"
            f" track_event {{ type: {kind} track_uuid: {uuid} {rest} }} {packet} }}")


def described(body):
    return f"packet {{ trusted_packet_sequence_id: 2 sequence_flags: 2 timestamp: 1500 track_descriptor {{ {body} }} }}"


def stats(body):
    return f"packet {{ trusted_packet_sequence_id: 9 timestamp: 5000 {body} }}"


def kernel(phase, overrun, dropped):
    return stats(f"ftrace_stats {{ phase: {phase} cpu_stats {{ overrun: {overrun} dropped_events: {dropped} }} }}")


def bundle(cpu, *events):
    return f"packet {{ trusted_packet_sequence_id: 9 ftrace_events {{ cpu: {cpu} {' '.join(events)} }} }}"


def binder(ts, pid, transaction, reply=None):
    what = "_received" if reply is None else ""
    says = "" if reply is None else f"to_proc: 9 to_thread: 9 reply: {reply} flags: 0"
    return f"event {{ timestamp: {ts} pid: {pid} binder_transaction{what} {{ debug_id: {transaction} {says} }} }}"


# A transaction and its reply, each received in a bundle that is before the one in which it was sent.
RECEIVED_BEFORE_SENT = [bundle(0, binder(4300, 7, 2)), bundle(2, binder(4100, 9, 1), binder(4200, 9, 2, reply=1)),
                        bundle(1, binder(4000, 7, 1, reply=0))]
WHOLE = [
    SNAPSHOT(1000, 1000, DAY),
    "packet { trusted_packet_sequence_id: 2 sequence_flags: 1 timestamp: 1000"
    ' track_descriptor { uuid: 10 thread { pid: 7 tid: 7 thread_name: "main" } } }',
    event(2000, BEGIN, 'name: "a"'), event(3000, END),
]
CONFIG = "packet { trusted_packet_sequence_id: 1 trace_config { duration_ms: 5 } }"
COUNTED = described('uuid: 30 name: "c" parent_uuid: 10 counter { }')
CUSTOM = [described('uuid: 11 name: "c" parent_uuid: 10'), event(3100, BEGIN, 'name: "a"', uuid=11),
          event(3200, END, uuid=11)]
# code, packets behind WHOLE, and which of them is the planted one
PERFETTO = [
    (None, [], 0),
    (None, [described('uuid: 10 thread { pid: 7 tid: 7 thread_name: "another" }')], 0),
    (None, RECEIVED_BEFORE_SENT, 0),
    (None, [SNAPSHOT(9000, 9000, DAY + 8000), SNAPSHOT(12000, 12000, DAY + 12000)], 0),
    ("state_missing", [event(4000, INSTANT, 'name: "x"', sequence=4)], 0),
    ("interned_missing", [event(4000, INSTANT, "name_iid: 99")], 0),
    ("interned_missing", [event(4000, INSTANT, 'name: "x" category_iids: 98')], 0),
    ("no_sequence", ['packet { timestamp: 4000 track_event { type: TYPE_INSTANT track_uuid: 10 name: "x" } }'], 0),
    ("clock_unknown", [event(4000, INSTANT, 'name: "x"', packet="timestamp_clock_id: 9")], 0),
    ("clock_unknown", [event(4000, INSTANT, 'name: "x"', packet="timestamp_clock_id: 64")], 0),
    ("clock_backwards", [SNAPSHOT(9000, 9000, DAY + 8000), SNAPSHOT(5000, 5000, DAY + 4000)], 1),
    ("clock_backwards", [SNAPSHOT(9000, 9000, DAY + 8000), SNAPSHOT(12000, 5000, DAY + 11000),
                         event(13000, INSTANT, 'name: "x"')], 1),
    ("clock_backwards", [SNAPSHOT(9000, 9000, DAY + 8000), ON_SEQUENCE_5(5000, 6, 5000, 3, 5000, 1, DAY + 4000)], 1),
    ("clock_backwards", [READS(9000, 6, 9000, 9, 9000), READS(12000, 6, 12000, 9, 5000)], 1),
    ("clock_backwards", [READS(9000, 6, 9000, 64, 9000), READS(12000, 6, 12000, 64, 5000)], 1),
    ("clock_backwards", [READS(9000, 6, 9000, 128, 9000), READS(12000, 6, 12000, 128, 5000)], 1),
    ("clock_backwards", [READS(9000, 6, 9000, 3, 9000, 3, 9100)], 0),
    ("second_trace", [CONFIG, SNAPSHOT(9000, 9000, DAY + 8000), CONFIG], 1),
    ("clock_jump", [SNAPSHOT(9000, 9000, DAY + 200000000)], 0),
    ("no_time", ["packet { trusted_packet_sequence_id: 2 sequence_flags: 2"
                 ' track_event { type: TYPE_INSTANT track_uuid: 10 name: "x" } }'], 0),
    ("track_two_meanings", [described('uuid: 10 process { pid: 7 process_name: "p" }')], 0),
    ("track_two_meanings", [described("uuid: 10 thread { pid: 7 tid: 8 }")], 0),
    ("track_two_meanings", [*CUSTOM, described('uuid: 11 name: "c" parent_uuid: 10 counter { }')], 3),
    ("track_two_meanings", [*CUSTOM, described('uuid: 11 name: "c"')], 3),
    ("track_incomplete", [described('name: "x"')], 0),
    ("track_incomplete", [described("uuid: 12 thread { pid: 7 }")], 0),
    ("track_incomplete", [described('uuid: 12 process { process_name: "x" }')], 0),
    ("track_undescribed", [event(4000, INSTANT, 'name: "x"', uuid=55)], 0),
    ("track_loop", [described('uuid: 20 parent_uuid: 21 name: "x"'), described('uuid: 21 parent_uuid: 20 name: "y"'),
                    event(4000, INSTANT, 'name: "z"', uuid=20)], 0),
    ("parent_undescribed", [described('uuid: 20 parent_uuid: 77 name: "x"'),
                            event(4000, INSTANT, 'name: "z"', uuid=20)], 0),
    ("end_without_begin", [event(4000, END)], 0),
    ("begin_without_end", [event(4000, BEGIN, 'name: "b"')], 0),
    ("flow_without_end", [event(4000, BEGIN, 'name: "b" flow_ids: 5'), event(4500, END)], 0),
    ("flow_without_begin", [event(4000, BEGIN, 'name: "b" terminating_flow_ids: 5'), event(4500, END)], 0),
    ("counter_no_value", [COUNTED, event(3000, COUNTER, "counter_value: 1", uuid=30),
                          event(4000, COUNTER, uuid=30)], 2),
    ("counter_no_track", [event(4000, COUNTER, "counter_value: 3")], 0),
    ("counter_no_track", [event(4000, COUNTER, "counter_value: 3", uuid=66)], 0),
    ("events_lost", [event(4000, INSTANT, 'name: "x"', flags=1, packet="previous_packet_dropped: true")], 0),
    ("buffer_overwritten", [stats("trace_stats { buffer_stats { chunks_overwritten: 3 } }")], 0),
    ("buffer_full", [stats("trace_stats { buffer_stats { chunks_discarded: 3 } }")], 0),
    ("writer_dropped", [stats("trace_stats { buffer_stats { trace_writer_packet_loss: 3 } }")], 0),
    ("patches_late", [stats("trace_stats { patches_discarded: 3 }")], 0),
    ("packets_invalid", [stats("trace_stats { invalid_packets: 3 }")], 0),
    ("flush_failed", [stats("trace_stats { flushes_failed: 3 }")], 0),
    ("kernel_overwritten", [kernel(1, 1, 1), kernel(2, 5, 1)], 1),
    ("kernel_dropped", [kernel(1, 1, 1), kernel(2, 1, 5)], 1),
]
ODD = {"cut": lambda trace: trace + trace[:7], "damaged": lambda trace: trace + b"\xff" * 20 + trace}


def packet_offsets(trace):
    """Where packets begin; each is a tag, a length and its bytes."""
    at, offsets = 0, []
    while at < len(trace):
        offsets.append(at)
        at += 1
        length = shift = 0
        while True:
            byte = trace[at]
            length |= (byte & 127) << shift
            shift, at = shift + 7, at + 1
            if byte < 128:
                break
        at += length
    return offsets


def write_perfetto(folder, program, made):
    for number, (code, packets, planted) in enumerate(PERFETTO):
        name = f"{folder}/{number:02}-{code}"
        with open(name + ".textproto", "w", encoding="utf-8") as file:
            file.write("\n".join([*WHOLE, *packets]) + "\n")
        subprocess.run([program, "convert", "-q", "--from", "text", name + ".textproto", "-o", name + ".pftrace"],
                       check=True)
        os.remove(name + ".textproto")
        with open(name + ".pftrace", "rb") as file:
            trace = file.read()
        made[name + ".pftrace"] = code, packet_offsets(trace)[len(WHOLE) + planted] if code else None
        if number == 0:
            whole = trace
    for code, change in ODD.items():
        with open(f"{folder}/odd-{code}.pftrace", "wb") as file:
            file.write(change(whole))
        made[file.name] = code, len(whole)


# ---- JSON --------------------------------------------------------------------------------------------------------

def complete(ts, dur, rest=""):
    return f'{{"name":"a","ph":"X","ts":{ts},"dur":{dur},"pid":1,"tid":1{rest}}}'


def flow(phase, ts, tid=1, rest=""):
    return f'{{"name":"f","cat":"f","ph":"{phase}","ts":{ts},"id":1,"pid":1,"tid":{tid}{rest}}}'


HERE = ',"planted":1'
AT_30 = '{"name":"b","cat":"c","ph":"%s","ts":30,"pid":1,"tid":1' + HERE
JSON = [
    (None, []),
    (None, [complete(30, 10), complete(30, 5), complete(40, 5)]),
    (None, [flow("s", 12), flow("f", 22, rest=',"bp":"e"')]),
    ("overlap", [complete(30, 10), complete(35, 10, HERE)]),
    ("overlap", [complete(30, 10), complete(35, 10, HERE), complete(36, 3)]),
    ("negative_duration", [complete(30, -10, HERE)]),
    ("negative_time", [complete(-30, 10, HERE)]),
    ("no_time", ['{"name":"b","ph":"X","dur":3,"pid":1,"tid":1' + HERE + "}"]),
    ("unknown_phase", [AT_30 % "?" + "}"]),
    ("no_id", [AT_30 % "n" + "}"]),
    ("no_id", [AT_30 % "s" + "}"]),
    ("end_without_begin", [AT_30 % "E" + "}"]),
    ("end_without_begin", [AT_30 % "e" + ',"id":3}']),
    ("begin_without_end", [AT_30 % "B" + "}"]),
    ("begin_without_end", [AT_30 % "b" + ',"id":3}']),
    ("flow_without_begin", [flow("f", 22, rest=',"bp":"e"' + HERE)]),
    ("flow_without_begin", [flow("t", 22, rest=HERE)]),
    ("flow_without_end", [flow("s", 12, rest=HERE)]),
    ("flow_without_slice", [flow("s", 5, 2, HERE), flow("f", 22, rest=',"bp":"e"')]),
    ("flow_without_slice", [flow("s", 11), flow("f", 22, 2, ',"bp":"e"' + HERE)]),
    ("counter_no_value", [AT_30 % "C" + ',"args":{"x":"much"}}']),
    ("counter_no_value", [AT_30 % "C" + "}"]),
    ("damaged", ["17 18" + HERE, complete(50, 5)]),
]


def write_json(folder, made):
    for number, (code, events) in enumerate(JSON):
        text = '{"traceEvents":[\n' + ",\n".join([complete(10, 5), complete(20, 5), *events]) + "\n]}\n"
        name = f"{folder}/{number:02}-{code}.json"
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
        lines = text.splitlines(True)
        planted = next((i for i, line in enumerate(lines) if '"planted"' in line), None)
        made[name] = code, None if planted is None else len("".join(lines[:planted]))
    whole = '{"traceEvents":[\n' + ",\n".join([complete(10, 5), complete(20, 5)]) + "\n]}\n"
    for code, text, offset in (("cut", whole[:-20], whole.rindex("{")), ("second_trace", whole + whole, len(whole))):
        with open(f"{folder}/odd-{code}.json", "w", encoding="utf-8") as file:
            file.write(text)
        made[file.name] = code, offset


# ---- FXT ---------------------------------------------------------------------------------------------------------

RECORDS = ["magic", "provider id=1 name=\"p\"", "init ticks_per_second=1000000000",
           "complete ts=100 thread=1/2 name=\"a\" end=200"]
FXT = [
    (None, []),
    ("overlap", ["complete ts=300 thread=1/2 name=\"a\" end=400", "complete ts=350 thread=1/2 name=\"a\" end=450"]),
    ("negative_duration", ["complete ts=300 thread=1/2 name=\"a\" end=250"]),
    ("state_missing", ["instant ts=300 thread=1/2 name=#7"]),
    ("events_lost", ["provider_event id=1 event=0"]),
]


def write_fxt(folder, fxt_from_text, made):
    for number, (code, records) in enumerate(FXT):
        sizes = []
        for count in (len(RECORDS) + max(len(records) - 1, 0), len(RECORDS) + len(records)):
            name = f"{folder}/{number:02}-{code}"
            with open(name + ".txt", "w", encoding="utf-8") as file:
                file.write("\n".join([*RECORDS, *records][:count]) + "\n")
            subprocess.run([fxt_from_text, name + ".txt", name + ".fxt"], check=True)
            os.remove(name + ".txt")
            sizes.append(os.path.getsize(name + ".fxt"))
        made[name + ".fxt"] = code, sizes[0] if code else None


def write(folder, program, fxt_from_text):
    made = {}
    write_perfetto(folder, program, made)
    write_json(folder, made)
    write_fxt(folder, fxt_from_text, made)
    return made
