# SPDX-License-Identifier: Apache-2.0
"""What goes wrong: errors are exceptions, losses are warnings."""
import os
import re
import threading
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

    def __reduce__(self):  # else the text alone would go to another process
        return type(self), (self.status, self.message, self.file, self.offset)


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


def chars(what):
    """A NUL-terminated text or path for the library, which would end it at a NUL."""
    data = os.fsencode(what)
    if b"\0" in data:
        raise ValueError(f"{what!r} has a NUL in it")
    return ffi.new("char[]", data)


def choice(choices, name, option):
    """What `name` stands for among an option's choices."""
    if name not in choices:
        raise ValueError(f"{option}={name!r} is none of {', '.join(choices)}")
    return choices[name]


_MEMBER = re.compile(r"\btb_(\w+)_(?:options|input)\.(\w+)")


def in_python(message, own_names=None):
    """A message of the library, with its options called as they are here."""
    return _MEMBER.sub(lambda found: (own_names or {}).get(found[1], {}).get(found[2], found[2]), message)


def fail(status, error=None, own_names=None):
    """Raises what the call's `error` says."""
    if error is None or not error.code:
        raise Error(status, text(lib.tb_status_text(status)))
    raise Error(status, in_python(text(error.message), own_names), text(error.file), offset_of(error.offset))


# ---- Ctrl-C: Python runs a signal's handler only in Python, which a long call of the library asks for by its progress

_interrupted = threading.local()  # calls of several threads go on at a time


def _keep(kind, error, trace):
    _interrupted.error = error


@ffi.def_extern(error=False, onerror=_keep)
def _progress(ctx, done, size):
    return True  # handlers of signals have run by now; what they raise is kept, and the call ends


def raise_interrupted():
    """Behind a call that was given lib._progress: raises what a handler of a signal raised in it."""
    error = getattr(_interrupted, "error", None)
    _interrupted.error = None
    if error is not None:
        raise error


def losses_of(array, count):
    return [Loss(text(array[i].reason), text(lib.tb_loss_kind_name(array[i].kind)), array[i].count,
                 offset_of(array[i].first_offset)) for i in range(count)]


def warn_of(what, losses, stacklevel):
    for loss in losses:
        warnings.warn(f"{what}: {loss.count} x {loss.reason}", LossWarning, stacklevel=stacklevel + 1)


def format_number(name):
    if name is None:
        return lib.TB_FORMAT_UNKNOWN
    number = lib.tb_format_from_name(chars(name))
    if number == lib.TB_FORMAT_UNKNOWN:
        raise ValueError(f"{name!r} is no format")
    return number
