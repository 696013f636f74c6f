# SPDX-License-Identifier: Apache-2.0
"""Whole jobs: converting and merging."""
import json
import os
import warnings
from typing import NamedTuple

from ._binding import ffi, lib
from ._reading import _TYPE_NAMES
from ._status import (LossWarning, chars, choice, fail, format_number, in_python, losses_of, raise_interrupted, text,
                      warn_of)

_UNPLACED = {"error": lib.TB_UNPLACED_ERROR, "start": lib.TB_UNPLACED_START, "drop": lib.TB_UNPLACED_DROP}
_CLOCK_IDS = 64
_CONVERT_NAMES = {"reader": {"format": "source_format"}, "writer": {"format": "target_format"}}


class ConvertReport(NamedTuple):
    """What a conversion did. `is_whole`: nothing was lost. `events`: how many of each type."""
    is_whole: bool
    source_format: str
    target_format: str
    events: dict
    losses: list
    notes: list
    bytes_read: int
    bytes_written: int


class MergeReport(NamedTuple):
    """What a merge did. `text`: for people; `data`: the same as the program's report in JSON has it."""
    is_whole: bool
    text: str
    data: dict


def convert(source, target, *, source_format=None, target_format=None, compress=False, strict=False, no_clobber=False,
            memory_budget=0, threads=0):
    """Converts the trace `source` to `target`, whose name says the format unless target_format does.

    What is lost is a LossWarning, and in the report.
    """
    options = ffi.new("struct tb_convert_options *")
    options.size = ffi.sizeof("struct tb_convert_options")
    options.threads = threads
    reader = options.reader = ffi.new("struct tb_reader_options *")
    reader.size = ffi.sizeof("struct tb_reader_options")
    reader.format = format_number(source_format)
    reader.strict = strict
    writer = options.writer = ffi.new("struct tb_writer_options *")
    writer.size = ffi.sizeof("struct tb_writer_options")
    writer.format = format_number(target_format)
    writer.compress = compress
    writer.memory_budget = memory_budget
    writer.no_clobber = no_clobber
    options.progress = options.on_write_progress = lib._progress
    report, error = ffi.new("struct tb_convert_report *"), ffi.new("struct tb_error *")
    report.size = ffi.sizeof("struct tb_convert_report")
    status = lib.tb_convert(chars(source), chars(target), options, report, error)
    raise_interrupted()
    if status not in (lib.TB_OK, lib.TB_PARTIAL):
        fail(status, error, _CONVERT_NAMES)
    losses = losses_of(report.losses, report.loss_count)
    warn_of(os.fspath(source), losses, 2)
    summary = report.summary
    events = {name: summary.events_by_type[i] for i, name in enumerate(_TYPE_NAMES) if summary.events_by_type[i]}
    source_format, target_format = (text(lib.tb_format_name(getattr(report, end))) for end in ("from", "to"))
    return ConvertReport(status == lib.TB_OK, source_format, target_format, events, losses,
                         losses_of(report.notes, report.note_count), report.input_bytes, summary.bytes_written)


def _clock(name):
    if name is None:
        return lib.TB_CLOCK_UNKNOWN
    for number in range(1, _CLOCK_IDS):
        if text(lib.tb_clock_id_name(number)) == name.upper():
            return number
    raise ValueError(f"{name!r} is no clock")


def _fill_input(to, source, keep):
    if not isinstance(source, dict):
        source = {"path": source}
    unknown = set(source) - {"path", "machine", "clock", "offset_ns"}
    if unknown:
        raise ValueError(f"an input has no {', '.join(sorted(unknown))}")
    keep.append(chars(source["path"]))
    to.path = keep[-1]
    if source.get("machine") is not None:
        keep.append(chars(source["machine"]))
        to.machine = keep[-1]
    to.clock = _clock(source.get("clock"))
    if source.get("offset_ns") is not None:
        to.has_offset, to.offset_ns = True, source["offset_ns"]


def _warn_of_notes(report):
    for i in range(lib.tb_merge_report_note_count(report)):
        note = lib.tb_merge_report_note(report, i)
        if note.level == lib.TB_MERGE_NOTE_WARNING:
            source = lib.tb_merge_report_input(report, note.input)
            where = f"{text(source.name)}: " if source else ""
            warnings.warn(f"{where}{in_python(text(note.text))}", LossWarning, stacklevel=3)


def merge(inputs, target, *, manifest=None, align_on=None, align_messages=False, trace_clock=None, share_flows=False,
          flatten_machines=False, skip_bad=False, unplaced="error", dry_run=False, no_clobber=False, threads=0):
    """Merges traces onto one clock, into the file `target` (None with dry_run).

    inputs: paths, or dicts with a path and machine, clock or offset_ns; one alone need not be in a list. Other options
    are those of tb_merge_options. The report's warnings are LossWarnings.
    """
    inputs, keep = [inputs] if isinstance(inputs, (str, bytes, os.PathLike, dict)) else list(inputs), []
    own = ffi.new("struct tb_merge_input[]", max(len(inputs), 1))
    for to, source in zip(own, inputs):
        _fill_input(to, source, keep)
    options = ffi.new("struct tb_merge_options *", {
        "size": ffi.sizeof("struct tb_merge_options"), "align_messages": align_messages,
        "trace_clock": _clock(trace_clock), "share_flows": share_flows, "flatten_machines": flatten_machines,
        "skip_bad": skip_bad, "dry_run": dry_run, "unplaced": choice(_UNPLACED, unplaced, "unplaced"),
        "threads": threads, "no_clobber": no_clobber, "progress": lib._progress})
    if manifest is not None:
        keep.append(chars(manifest))
        options.manifest = keep[-1]
    if align_on is not None:
        keep.append(chars(align_on))
        options.align_on = keep[-1]
    out = ffi.NULL if target is None else chars(target)
    report, error = ffi.new("struct tb_merge_report **"), ffi.new("struct tb_error *")
    status = lib.tb_merge(own, len(inputs), out, options, report, error)
    made = ffi.gc(report[0], lib.tb_merge_report_free) if report[0] else None
    raise_interrupted()
    if status not in (lib.TB_OK, lib.TB_PARTIAL) or not made:
        fail(status, error)
    _warn_of_notes(made)
    return MergeReport(status == lib.TB_OK, text(lib.tb_merge_report_render(made, lib.TB_MERGE_REPORT_TEXT)),
                       json.loads(text(lib.tb_merge_report_render(made, lib.TB_MERGE_REPORT_JSON))))
