# SPDX-License-Identifier: Apache-2.0
"""Events as columns.

A column is a numpy array over the library's own memory: nothing is copied. A batch is held by its columns, and its
memory is used again when the last of them is gone.
"""
import os
import threading
from collections.abc import Sequence
from typing import NamedTuple, Optional

import numpy

from ._binding import ffi, lib
from ._status import chars, choice, fail, format_number, losses_of, raise_interrupted, text, warn_of

NO_TIME = lib.TB_NO_TIME  # in a column of times: the event has none
NO_TRACK = lib.TB_NO_TRACK

_TYPES = {"ts": "i8", "dur": "i8", "thread_ts": "i8", "thread_dur": "i8", "type": "u1", "has": "u4", "track": "u4",
          "thread": "u4", "name": "u4", "categories": "u4", "value": "f8", "slice_id": "u8", "flow_from": "u8",
          "cpu": "u4", "task_state": "u1", "priority": "i4", "log_level": "u1", "sequence": "u4", "offset": "u8"}
_ARG_TYPES = {"arg_key": "u4", "arg_type": "u1", "arg_int": "i8", "arg_double": "f8", "arg_text": "u4"}
COLUMNS = tuple(_TYPES) + ("args",)
USUAL_COLUMNS = ("ts", "dur", "type", "track", "name", "categories", "value", "slice_id", "flow_from")
TEXT_COLUMNS = ("name", "categories")
_TIMES = ("ts", "dur", "thread_ts", "thread_dur")
_SLICES = {"either": lib.TB_SLICES_EITHER, "begin_end": lib.TB_SLICES_BEGIN_END, "complete": lib.TB_SLICES_COMPLETE}
_TRACK_TYPES = ("global", "process", "thread", "custom", "counter")

EVENT_TYPES = {text(lib.tb_event_type_name(number)).replace(" ", "_"): number
               for number in range(lib.TB_EVENT_TYPE_COUNT)}
_TYPE_NAMES = list(EVENT_TYPES)


def version():
    """The version of the library."""
    return text(lib.tb_version())


class Track(NamedTuple):
    """Where events happen: row `track` of a trace's tracks. `pid` and `tid` are None where the trace has none."""
    index: int
    type: str
    parent: Optional[int]
    pid: Optional[int]
    tid: Optional[int]
    name: str
    machine: int


def _text_of(string):
    return bytes(ffi.buffer(string.ptr, string.len)).decode("utf-8", "surrogateescape") if string.len else ""


def _track(index, track):
    return Track(index, _TRACK_TYPES[track.type], track.parent.index if track.parent else None,
                 track.pid if track.has_pid else None, track.tid if track.has_tid else None, _text_of(track.name),
                 track.machine)


class _Memory:
    """What numpy takes an array from without a copy: it keeps this, and this keeps the batch."""

    def __init__(self, batch, pointer, count, kind):
        self.batch = batch
        self.__array_interface__ = {"version": 3, "shape": (count,), "typestr": f"<{kind}" if kind != "u1" else "|u1",
                                    "data": (int(ffi.cast("uintptr_t", pointer)), True)}


class Batch:
    """Some events in a row: an array for each column that was asked for, as an attribute; read only.

    Texts are numbers: trace.texts[number]. `args` asks for arg_end, arg_key, arg_type, arg_int, arg_double and arg_text
    (tracebridge/columns.h has what is in them).
    """

    def __init__(self, rows, names):
        self._rows = ffi.gc(rows, lib.tb_column_batch_free)
        self._names = names

    def __len__(self):
        return self._rows.count

    def __getattr__(self, name):
        if name in _TYPES and name in self._names:
            array = self._array(name, self._rows.count, _TYPES[name])
        elif name == "arg_end" and "args" in self._names:
            array = self._array(name, self._rows.count, "u4")
        elif name in _ARG_TYPES and "args" in self._names:
            array = self._array(name, self._rows.arg_count, _ARG_TYPES[name])
        else:
            raise AttributeError(f"the batch has no column {name!r}")
        setattr(self, name, array)
        return array

    def _array(self, name, count, kind):
        if not count:
            return numpy.empty(0, kind)
        return numpy.asarray(_Memory(self._rows, getattr(self._rows, name), count, kind))

    @property
    def columns(self):
        """{name: array}, as a DataFrame's constructor takes them."""
        names = [name for name in self._names if name != "args"]
        return {name: getattr(self, name) for name in names}


class Tracks(Sequence):
    """The tracks that came by now, by their index. A Track says what is known of it when it is asked for."""

    def __init__(self, trace):
        self._trace = trace

    def __len__(self):
        trace = self._trace
        with trace._lock:
            while trace._track_at(trace._track_count):
                trace._track_count += 1
            return trace._track_count

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        with self._trace._lock:
            track = self._trace._track_at(index if index >= 0 else len(self) + index)
            if not track:
                raise IndexError(f"there is no track {index} by now")
            return track if isinstance(track, Track) else _track(track.index, track)


class Trace:
    """An open trace: iterate over it for its batches. Made by open(); a context manager.

    Several threads may use one: each batch goes to one of them.
    """

    def __init__(self, reader, columns, names, label, keep):
        self._lock = threading.RLock()  # the library is called without Python's own lock, and takes one call at a time
        self._reader, self._columns, self._names, self._label, self._keep = reader, columns, names, label, keep
        self._texts = []
        self._closed_tracks, self._closed_losses, self._closed_format = [], [], "unknown"
        self._track_count = 0
        self._ended = False

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def __del__(self):
        self._free()

    def close(self):
        """Batches stay, and what is known by now: texts, tracks, losses and the format."""
        with self._lock:
            if not self._reader:
                return
            self._load_texts()
            self._closed_losses, self._closed_format, self._closed_tracks = self.losses, self.format, list(self.tracks)
            self._free()

    def _free(self):
        columns, reader = self._columns, self._reader
        self._columns = self._reader = None
        if reader:
            lib.tb_columns_close(columns)
            lib.tb_reader_close(reader)

    def __iter__(self):
        return self

    def __next__(self):
        with self._lock:
            if not self._columns:
                raise ValueError("the trace is closed")
            rows = ffi.new("struct tb_column_batch **")
            status = lib.tb_columns_next(self._columns, rows)
            batch = Batch(rows[0], self._names) if status == lib.TB_OK else None
            raise_interrupted()
            if batch is not None:
                return batch
            if status != lib.TB_END:
                fail(status, lib.tb_reader_error(self._reader))
            warns, self._ended = not self._ended, True
            losses = self.losses
        if warns:
            warn_of(self._label, losses, 2)
        raise StopIteration

    def _load_texts(self):
        with self._lock:
            if self._columns:
                for number in range(len(self._texts), lib.tb_columns_text_count(self._columns)):
                    self._texts.append(_text_of(lib.tb_columns_text(self._columns, number)))

    @property
    def texts(self):
        """The texts that columns name by number; more of them after each batch, and those before stay."""
        self._load_texts()
        return self._texts

    @property
    def tracks(self):
        """What is known of tracks by now, by their index: a sequence."""
        return Tracks(self)

    def _track_at(self, index):
        if self._reader:
            return lib.tb_reader_track(self._reader, index) if index >= 0 else None
        return self._closed_tracks[index] if 0 <= index < len(self._closed_tracks) else None

    @property
    def format(self):
        with self._lock:
            return text(lib.tb_format_name(lib.tb_reader_format(self._reader))) if self._reader else self._closed_format

    @property
    def losses(self):
        """What was lost so far."""
        with self._lock:
            if not self._reader:
                return self._closed_losses
            count = ffi.new("size_t *")
            return losses_of(lib.tb_reader_losses(self._reader, count), count[0])

    def read(self):
        """All that comes, as one Table: this copies."""
        batches = list(self)
        names = [name for name in self._names if name != "args"]
        columns = {name: _joined([getattr(batch, name) for batch in batches], _TYPES[name]) for name in names}
        if "args" in self._names:
            for name, kind in _ARG_TYPES.items():
                columns[name] = _joined([getattr(batch, name) for batch in batches], kind)
            columns["arg_end"] = _joined(_whole_ends(batches), "u8")
        return Table(columns, list(self.texts), list(self.tracks), self.losses, sum(len(batch) for batch in batches))


def _joined(arrays, kind):
    return numpy.concatenate(arrays) if arrays else numpy.empty(0, kind)


def _whole_ends(batches):
    before, ends = 0, []
    for batch in batches:
        ends.append(batch.arg_end.astype("u8") + numpy.uint64(before))
        before += len(batch.arg_key)
    return ends


class Table:
    """A whole trace: `columns`, its arrays by name; `texts`; `tracks`; `losses`."""

    def __init__(self, columns, texts, tracks, losses, rows):
        self.columns, self.texts, self.tracks, self.losses, self._rows = columns, texts, tracks, losses, rows

    def __len__(self):
        return self._rows

    def codes(self, name):
        """Of a column of texts or types: (codes, categories), a dictionary of what is in it alone."""
        numbers = self.columns[name]
        all_texts = _TYPE_NAMES if name == "type" else self.texts
        present = numpy.flatnonzero(numpy.bincount(numbers, minlength=1))
        places = numpy.zeros(int(present[-1]) + 1 if len(present) else 1, "i4")
        places[present] = numpy.arange(len(present), dtype="i4")
        return places[numbers], [all_texts[number] for number in present]

    def _row_columns(self):
        return {name: array for name, array in self.columns.items() if not name.startswith("arg_")}

    def to_pandas(self):
        """A pandas.DataFrame of the rows: texts and types are categorical, times that an event has not are missing."""
        import pandas
        made = {}
        for name, array in self._row_columns().items():
            if name in TEXT_COLUMNS or name == "type":
                made[name] = pandas.Categorical.from_codes(*self.codes(name))
            elif name in _TIMES and (missing := array == NO_TIME).any():
                made[name] = pandas.arrays.IntegerArray(array.copy(), missing)
            else:
                made[name] = array
        return pandas.DataFrame(made, index=pandas.RangeIndex(len(self)), copy=False)

    def frame(self):
        """{name: array} for the constructor of any DataFrame: texts and types are arrays of str objects."""
        return {name: self._texts_of(name) if name in TEXT_COLUMNS or name == "type" else array
                for name, array in self._row_columns().items()}

    def _texts_of(self, name):
        codes, texts = self.codes(name)  # as objects: a str array gives each row the room of the longest text
        return numpy.array(texts, dtype=object)[codes] if texts else numpy.empty(0, dtype=object)


def _column_bits(columns):
    bits = 0
    for name in columns:
        if name not in COLUMNS:
            raise ValueError(f"{name!r} is no column: {', '.join(COLUMNS)}")
        bits |= getattr(lib, "TB_COLUMN_ARG" if name == "args" else f"TB_COLUMN_{name.upper()}")
    return bits or lib.TB_COLUMN_TYPE  # none: rows are counted alone; 0 would be all


def _type_bits(types):
    if types is None:
        return 0
    bits = 0
    for name in types:
        if name not in EVENT_TYPES:
            raise ValueError(f"{name!r} is no type of events: {', '.join(EVENT_TYPES)}")
        bits |= 1 << EVENT_TYPES[name]
    if not bits:
        raise ValueError("types names no type of events; None stands for all")
    return bits


def open(source, *, columns=USUAL_COLUMNS, types=None, slices="either", sorted=False, sort_window_ns=0,
         memory_budget=0, format=None, strict=False, threads=0, rows=0):
    """Opens a trace: a path, or its bytes.

    columns: of COLUMNS. types: of EVENT_TYPES, None for all. slices: "begin_end", "complete", or "either" as the trace
    has them. sorted: in the order of time. strict: what would be lost is an Error. rows: of a batch at most.
    Other options are those of tb_reader_options.
    """
    columns = tuple(dict.fromkeys(columns))
    options = ffi.new("struct tb_reader_options *", {
        "size": ffi.sizeof("struct tb_reader_options"), "format": format_number(format), "strict": strict,
        "threads": threads, "slices": choice(_SLICES, slices, "slices"), "sorted": sorted,
        "event_types": _type_bits(types), "memory_budget": memory_budget, "sort_window_ns": sort_window_ns,
        "progress": lib._progress})
    wanted = ffi.new("struct tb_columns_options *", {
        "size": ffi.sizeof("struct tb_columns_options"), "rows": rows, "columns": _column_bits(columns)})
    reader, made, error = ffi.new("struct tb_reader **"), ffi.new("struct tb_columns **"), ffi.new("struct tb_error *")
    if isinstance(source, (bytes, bytearray, memoryview)):
        keep, label = ffi.from_buffer(source), "bytes"
        status = lib.tb_reader_open_memory(b"bytes", keep, len(keep), options, reader, error)
    else:
        keep, label = None, os.fspath(source)
        status = lib.tb_reader_open(chars(source), options, reader, error)
    if status != lib.TB_OK:
        fail(status, error)
    status = lib.tb_columns_open(reader[0], wanted, made, error)
    if status != lib.TB_OK:
        lib.tb_reader_close(reader[0])
        fail(status, error)
    return Trace(reader[0], made[0], columns, label, keep)


def read(source, **options):
    """A whole trace as a Table. Options are those of open()."""
    with open(source, **options) as trace:
        return trace.read()
