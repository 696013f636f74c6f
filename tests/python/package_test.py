#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""package_test.py ROWS.json: the installed package, over the traces of ROWS (engine_rows.mjs) and some of its own."""
import gc
import importlib.util
import json
import os
import pathlib
import pickle
import signal
import sys
import tempfile
import threading
import unittest
import warnings

import numpy

import tracebridge
from tracebridge._binding import ffi

EVENTS = [
    {"ph": "X", "pid": 1, "tid": 2, "ts": 5, "dur": 3, "name": "späť", "cat": "c,d",
     "args": {"n": -3, "u": 2**63, "deep": {"list": ["x", 2.5, True]}}},
    {"ph": "X", "pid": 1, "tid": 2, "ts": 1, "dur": 2, "name": "a"},
    {"ph": "i", "pid": 1, "tid": 3, "ts": 2, "s": "t", "name": "mark"},
    {"ph": "C", "pid": 1, "ts": 3, "name": "load", "args": {"cpu": 0.5}},
    {"ph": "M", "pid": 1, "tid": 2, "name": "thread_name", "args": {"name": "worker"}},
]
SLICES = ["slice_begin", "slice_complete", "instant"]
ROWS = {}


def sums(numbers, texts, values):
    """{text: [rows, sum of their values]}."""
    found = {}
    for number in numpy.unique(numbers):
        chosen = values[numbers == number]
        name = texts[number]
        count, total = found.get(name, [0, 0])
        found[name] = [count + len(chosen), total + chosen.sum().item()]
    return found


def many_events(count):
    return b"[" + b",".join(b'{"ph":"X","pid":1,"tid":2,"ts":%d,"dur":1,"name":"n"}' % i for i in range(count)) + b"]"


class Interrupted:
    """Something to read that goes on for long; SIGINT comes once some of it was read."""
    PIECES = 400

    def __init__(self, path):
        self.path, self.written = path, 0
        os.mkfifo(path)
        self.thread = threading.Thread(target=self.write)
        self.thread.start()

    def write(self):
        piece = many_events(2000)[1:-1] + b","
        try:
            with open(self.path, "wb", buffering=0) as file:
                file.write(b"[")
                for self.written in range(self.PIECES):
                    file.write(piece)
                    if self.written == 20:
                        os.kill(os.getpid(), signal.SIGINT)
        except BrokenPipeError:
            pass


class Package(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.trace = os.path.join(self.folder.name, "trace.json")
        with open(self.trace, "w", encoding="utf-8") as file:
            json.dump(EVENTS, file)

    def test_columns_are_memory_of_the_library(self):
        with tracebridge.open(self.trace, rows=2, types=SLICES) as trace:
            batch = next(trace)
            address = int(ffi.cast("uintptr_t", batch._rows.ts))
            self.assertEqual(batch.ts.__array_interface__["data"], (address, True))
            self.assertEqual(batch.ts.tolist(), [5000, 1000])
            self.assertFalse(batch.ts.flags.owndata)
            self.assertFalse(batch.ts.flags.writeable)
            kept = batch.ts[1:]
            del batch
            gc.collect()
            second = next(trace)
            self.assertNotEqual(second.ts.__array_interface__["data"][0], address)  # it is still held
        self.assertEqual(kept.tolist(), [1000])  # and outlives the trace
        self.assertEqual(second.ts.tolist(), [2000])

    def test_memory_is_used_again(self):
        with tracebridge.open(self.trace, rows=1) as trace:
            addresses = {batch.ts.__array_interface__["data"][0] for batch in trace}
        self.assertLessEqual(len(addresses), 2)  # one is held while the next is read

    def test_rows_are_what_the_engine_sees(self):
        self.assertGreater(len(ROWS), 5)
        for path, rows in ROWS.items():
            with self.subTest(path=path), warnings.catch_warnings():
                warnings.simplefilter("ignore", tracebridge.LossWarning)
                table = tracebridge.read(path, slices="complete", sorted=True)
            columns, kind = table.columns, table.columns["type"]
            ended = (kind == tracebridge.EVENT_TYPES["slice_complete"]) | (kind == tracebridge.EVENT_TYPES["instant"])
            dur = numpy.where(kind == tracebridge.EVENT_TYPES["instant"], 0, columns["dur"])
            self.assertEqual(sums(columns["name"][ended], table.texts, dur[ended]), rows["slices"], path)
            counted = kind == tracebridge.EVENT_TYPES["counter"]
            names = [track.name for track in table.tracks]
            values = sums(columns["track"][counted], names, columns["value"][counted])
            self.assertEqual(values.keys(), rows["counters"].keys(), path)
            for name, (count, total) in rows["counters"].items():
                self.assertEqual(values[name][0], count, path)
                self.assertAlmostEqual(values[name][1] / (total or 1), 1 if total else 0, places=9, msg=path)
            edges = int((kind == tracebridge.EVENT_TYPES["flow_edge"]).sum())
            self.assertEqual(edges, rows["flows"][""][0], path)

    def test_sorted_and_types_and_texts(self):
        table = tracebridge.read(self.trace, types=SLICES, sorted=True)
        self.assertEqual(table.columns["ts"].tolist(), [1000, 2000, 5000])
        self.assertEqual([table.texts[number] for number in table.columns["name"]], ["a", "mark", "späť"])
        self.assertEqual(table.columns["dur"].tolist(), [2000, tracebridge.NO_TIME, 3000])
        codes, names = table.codes("name")
        self.assertEqual([names[code] for code in codes], ["a", "mark", "späť"])
        threads = {track.tid: track.name for track in table.tracks if track.type == "thread"}
        self.assertEqual(threads, {2: "worker", 3: ""})

    def test_arguments(self):
        with tracebridge.open(self.trace, columns=["args"], types=["slice_complete"], rows=1) as trace:
            first, second = next(trace), next(trace)
            keys = [trace.texts[number] for number in first.arg_key]
            texts = [trace.texts[number] for number in first.arg_text]
        self.assertEqual(keys, ["n", "u", "deep.list[0]", "deep.list[1]", "deep.list[2]"])
        self.assertEqual(first.arg_int.tolist(), [-3, -2**63, 0, 0, 1])
        self.assertEqual(texts[2], "x")
        self.assertEqual(first.arg_double[3], 2.5)
        self.assertEqual((first.arg_end.tolist(), second.arg_end.tolist()), ([5], [0]))
        table = tracebridge.read(self.trace, columns=["ts", "args"], types=["slice_complete"], rows=1)
        self.assertEqual(table.columns["arg_end"].tolist(), [5, 5])

    def test_bytes_are_read(self):
        with open(self.trace, "rb") as file:
            data = file.read()
        self.assertEqual(len(tracebridge.read(data, types=SLICES)), 3)

    def test_losses_are_warnings(self):
        with open(self.trace, "rb") as file:
            data = file.read()[:-20]
        with self.assertWarnsRegex(tracebridge.LossWarning, "bytes: 1 x "):
            table = tracebridge.read(data)
        self.assertEqual([loss.kind for loss in table.losses], ["cut"])
        with self.assertRaises(tracebridge.Error) as caught:
            tracebridge.read(data, strict=True)
        self.assertIsNotNone(caught.exception.offset)
        cut = os.path.join(self.folder.name, "cut.json")
        with open(cut, "wb") as file:
            file.write(data)
        with self.assertWarns(tracebridge.LossWarning):
            report = tracebridge.convert(cut, os.path.join(self.folder.name, "cut.fxt"))
        self.assertFalse(report.is_whole)

    def test_errors_are_exceptions(self):
        with self.assertRaisesRegex(tracebridge.Error, "nothing: cannot open"):
            tracebridge.read(os.path.join(self.folder.name, "nothing"))
        with self.assertRaises(tracebridge.Error):
            tracebridge.read(b"no trace at all")
        with self.assertRaisesRegex(ValueError, "no column"):
            tracebridge.open(self.trace, columns=["time"])
        with self.assertRaisesRegex(ValueError, "no type"):
            tracebridge.open(self.trace, types=["slice"])
        with self.assertRaisesRegex(ValueError, "no format"):
            tracebridge.open(self.trace, format="xml")
        with self.assertRaises(tracebridge.Error):
            tracebridge.convert(self.trace, self.trace)
        with self.assertRaises(tracebridge.Error):
            tracebridge.merge([], os.path.join(self.folder.name, "none.perfetto-trace"))
        trace = tracebridge.open(self.trace)
        trace.close()
        trace.close()
        with self.assertRaisesRegex(ValueError, "closed"):
            next(trace)
        with self.assertRaises(AttributeError):
            next(tracebridge.open(self.trace, columns=["ts"])).dur

    def test_arguments_that_are_wrong_say_so(self):
        with self.assertRaisesRegex(ValueError, "slices='x' is none of either, begin_end, complete"):
            tracebridge.open(self.trace, slices="x")
        with self.assertRaisesRegex(ValueError, "unplaced='x' is none of error, start, drop"):
            tracebridge.merge([self.trace], "none", unplaced="x")
        with self.assertRaisesRegex(ValueError, "types names no type"):
            tracebridge.open(self.trace, types=[])
        target = os.path.join(self.folder.name, "cut")
        for call in (lambda: tracebridge.open(self.trace + "\0x"),
                     lambda: tracebridge.convert(self.trace, target + "\0.fxt"),
                     lambda: tracebridge.open(self.trace, format="json\0x"),
                     lambda: tracebridge.merge([{"path": self.trace, "machine": "a\0b"}], target)):
            with self.assertRaisesRegex(ValueError, "NUL"):
                call()
        self.assertFalse(os.path.exists(target))
        with self.assertRaisesRegex(tracebridge.Error, r"; target_format names one$"):
            tracebridge.convert(self.trace, target)
        with self.assertRaisesRegex(tracebridge.Error, r"\(strict stops at the first\)"):
            tracebridge.read(b"[{", strict=True)

    def test_errors_go_to_other_processes(self):
        with self.assertRaises(tracebridge.Error) as caught:
            tracebridge.read(b'[{"ph":"i"', strict=True)
        error, again = caught.exception, pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((str(again), again.status, again.file, again.offset),
                         (str(error), error.status, "bytes", error.offset))

    def test_rows_without_columns(self):
        self.assertEqual(len(tracebridge.read(self.trace, columns=["args"], types=["slice_complete"])), 2)
        self.assertEqual(len(tracebridge.read(self.trace, columns=[], types=SLICES)), 3)

    def test_what_is_known_stays_when_a_trace_is_closed(self):
        with open(self.trace, "rb") as file:
            data = file.read()[:-20]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tracebridge.LossWarning)
            with tracebridge.open(data) as trace:
                for _ in trace:
                    pass
                known = trace.format, trace.losses, list(trace.tracks), list(trace.texts)
        self.assertEqual(known[0], "json")
        self.assertEqual([loss.kind for loss in known[1]], ["cut"])
        self.assertEqual((trace.format, trace.losses, list(trace.tracks), trace.texts), known)
        self.assertEqual((trace.tracks[-1], len(trace.tracks), trace.tracks[:1]),
                         (known[2][-1], len(known[2]), known[2][:1]))
        with self.assertRaises(IndexError):
            trace.tracks[len(known[2])]

    def test_a_trace_is_used_by_threads(self):
        count, data, found = 60000, many_events(60000), []

        def read(trace):
            try:
                found.extend(batch.ts.sum().item() for batch in trace)
            except ValueError:  # it was closed
                found.append(None)

        def start(trace):
            threads = [threading.Thread(target=read, args=[trace]) for _ in range(4)]
            for thread in threads:
                thread.start()
            return threads

        trace = tracebridge.open(data, columns=["ts"], types=["slice_complete"], rows=32)
        for thread in start(trace):
            thread.join()
        self.assertEqual(sum(found), 1000 * count * (count - 1) // 2)
        self.assertEqual(len(found), count // 32)
        for _ in range(10):
            trace = tracebridge.open(data, columns=["ts"], rows=1)
            threads = start(trace)
            trace.close()
            for thread in threads:
                thread.join()
        self.assertIn(None, found)

    def test_control_c_ends_a_job(self):
        target = os.path.join(self.folder.name, "out.perfetto-trace")
        jobs = {"convert": lambda source: tracebridge.convert(source, target),
                "merge": lambda source: tracebridge.merge([source], target),
                "read": lambda source: tracebridge.read(source, sorted=True)}
        for name, job in jobs.items():
            with self.subTest(job=name):
                source = Interrupted(os.path.join(self.folder.name, name))
                with self.assertRaises(KeyboardInterrupt):
                    job(source.path)
                source.thread.join()
                self.assertLess(source.written, source.PIECES - 1)
                self.assertFalse([name for name in os.listdir(self.folder.name) if name.startswith("out")])

    def test_convert_and_merge(self):
        target = os.path.join(self.folder.name, "trace.perfetto-trace")
        report = tracebridge.convert(self.trace, target)
        self.assertTrue(report.is_whole)
        self.assertEqual((report.source_format, report.target_format), ("json", "perfetto"))
        self.assertEqual(report.events["slice_complete"], 2)
        self.assertEqual(report.bytes_written, os.path.getsize(target))
        both = os.path.join(self.folder.name, "both.perfetto-trace")
        again = {"path": self.trace, "machine": "other", "offset_ns": 1000}
        with self.assertWarnsRegex(tracebridge.LossWarning, "is the same trace"):
            merged = tracebridge.merge([target, again], both)
        self.assertIn("other", merged.text)
        self.assertEqual(len(merged.data["inputs"]), 2)
        table = tracebridge.read(both, slices="complete", types=["slice_complete"])
        self.assertEqual(len(table), 4)
        for alone in (self.trace, pathlib.Path(self.trace), {"path": self.trace, "machine": "other"}):
            self.assertEqual(len(tracebridge.merge(alone, both).data["inputs"]), 1)

    def test_frame(self):
        frame = tracebridge.read(self.trace, types=SLICES, sorted=True).frame()
        self.assertEqual(frame["name"].tolist(), ["a", "mark", "späť"])
        self.assertEqual(frame["type"].tolist(), ["slice_complete", "instant", "slice_complete"])
        self.assertEqual(frame["dur"].tolist(), [2000, tracebridge.NO_TIME, 3000])
        self.assertEqual({len(column) for column in frame.values()}, {3})
        self.assertEqual(tracebridge.read(b"[]", types=SLICES).frame()["name"].tolist(), [])
        events = [{"ph": "i", "pid": 1, "ts": 1, "name": name} for name in ("tail\0", "tail", "l" * 20000)]
        names = tracebridge.read(json.dumps(events).encode(), types=SLICES).frame()["name"]
        self.assertEqual(names.tolist(), ["tail\0", "tail", "l" * 20000])
        self.assertLess(names.nbytes, 100)  # a row does not take the room of the longest text

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed")
    def test_pandas(self):
        frame = tracebridge.read(self.trace, types=SLICES, sorted=True).to_pandas()
        self.assertEqual(frame["name"].tolist(), ["a", "mark", "späť"])
        self.assertEqual(frame["type"].cat.categories.tolist(), ["slice_complete", "instant"])
        self.assertTrue(frame["dur"].isna()[1])
        lengths = frame.groupby("name", observed=True)["dur"].sum().to_dict()
        self.assertEqual(lengths, {"a": 2000, "mark": 0, "späť": 3000})


if __name__ == "__main__":
    with open(sys.argv.pop(1), encoding="utf-8") as rows:
        ROWS = json.load(rows)
    unittest.main()
