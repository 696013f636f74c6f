# SPDX-License-Identifier: Apache-2.0
"""Traces of Chrome JSON, Perfetto and FXT as numpy columns; converting and merging them.

    import tracebridge
    table = tracebridge.read("trace.json", slices="complete", types=["slice_complete"])
    table.to_pandas().groupby("name", observed=True)["dur"].sum()

What is lost of a trace is a LossWarning; what cannot be done is an Error.
"""
from ._jobs import ConvertReport, MergeReport, convert, merge
from ._reading import (COLUMNS, EVENT_TYPES, NO_TIME, NO_TRACK, USUAL_COLUMNS, Batch, Table, Trace, Track, open, read,
                       version)
from ._status import Error, Loss, LossWarning

__all__ = ["COLUMNS", "EVENT_TYPES", "NO_TIME", "NO_TRACK", "USUAL_COLUMNS", "Batch", "ConvertReport", "Error", "Loss",
           "LossWarning", "MergeReport", "Table", "Trace", "Track", "convert", "merge", "open", "read", "version"]
__version__ = version()
