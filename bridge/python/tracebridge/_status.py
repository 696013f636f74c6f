# SPDX-License-Identifier: Apache-2.0
"""What goes wrong: errors are exceptions, losses are warnings."""
import os
import warnings
from typing import NamedTuple, Optional

from ._binding import ffi, lib


class Error(Exception):
    """A call failed. `status` is its number, as in tracebridge/base.h; `offset` a byte of the input, or None."""

    def __init__(self, status, message, file="", offset=None):
        where = f"{file}: " if file else ""
        place = f" (at byte {offset})" if offset is not None else ""
        super().__init__(f"{where}{message}{place}")
        self.status, self.message, self.file, self.offset = status, message, file, offset


class LossWarning(UserWarning):
    """Something of a trace was lost, or may not be what was wanted."""


class Loss(NamedTuple):
    """One reason for which something was lost, how often, and at which byte first (None: unknown)."""
    reason: str
    kind: str
    count: int
    first_offset: Optional[int]


def text(chars):
    """Of a NUL-terminated text of the library's."""
    return ffi.string(chars).decode("utf-8", "surrogateescape") if chars else ""


def offset_of(number):
    return None if number == lib.TB_NO_OFFSET else number


def path_bytes(path):
    return ffi.new("char[]", os.fsencode(path))


def fail(status, error=None):
    """Raises what the call's `error` says."""
    if error is None or not error.code:
        raise Error(status, text(lib.tb_status_text(status)))
    raise Error(status, text(error.message), text(error.file), offset_of(error.offset))


def losses_of(array, count):
    return [Loss(text(array[i].reason), text(lib.tb_loss_kind_name(array[i].kind)), array[i].count,
                 offset_of(array[i].first_offset)) for i in range(count)]


def warn_of(what, losses, stacklevel):
    for loss in losses:
        warnings.warn(f"{what}: {loss.count} x {loss.reason}", LossWarning, stacklevel=stacklevel + 1)


def format_number(name):
    if name is None:
        return lib.TB_FORMAT_UNKNOWN
    number = lib.tb_format_from_name(name.encode())
    if number == lib.TB_FORMAT_UNKNOWN:
        raise ValueError(f"{name!r} is no format")
    return number
