"""The C library, loaded by ctypes, which releases the GIL in every call."""

from __future__ import annotations

import ctypes
import json
import os
import sys
import warnings
from ctypes import POINTER, Structure, byref, c_char_p, c_double, c_int32, c_int64, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Any, Callable

from . import errors

ABI = (1, 0)
"""The version of the C interface that this package is written for."""

RELEASE = ctypes.CFUNCTYPE(None, c_void_p)


class ContextOptions(Structure):
    """tg_context_options"""

    _fields_ = [
        ("size", c_uint32), ("has_stream", c_int32), ("stream", c_uint64), ("capturing", c_int32),
        ("conditional", c_int32), ("host_poll", c_int32), ("reserved", c_int32), ("guard", c_uint64), ("parent", c_uint64),
    ]


class ArrayInfo(Structure):
    """tg_array"""

    _fields_ = [
        ("size", c_uint32), ("type", c_int32), ("handle", c_uint64), ("data", c_void_p), ("device_type", c_int32),
        ("device_id", c_int32), ("rank", c_int32), ("read_only", c_int32), ("shape", c_int64 * 4),
        ("strides", c_int64 * 4), ("bytes", c_int64), ("name", c_char_p), ("unit", c_char_p), ("doc", c_char_p),
    ]


class NewOptions(Structure):
    """tg_new_options"""

    _fields_ = [
        ("size", c_uint32), ("seed", c_int32), ("seeds", POINTER(c_int32)), ("seed_count", c_int64),
        ("epoch", c_int32), ("reserved", c_int32),
    ]


_TEXT = POINTER(c_void_p)
_HANDLE = POINTER(c_uint64)
_FUNCTIONS: dict[str, list[Any]] = {
    "tg_check_abi": [c_uint32, c_uint32],
    "tg_take_warning": [_TEXT],
    "tg_devices": [_TEXT],
    "tg_open_with": [c_char_p, c_char_p, _HANDLE],
    "tg_device_info": [c_uint64, _TEXT],
    "tg_close": [c_uint64],
    "tg_context_new": [c_uint64, POINTER(ContextOptions), _HANDLE],
    "tg_cancel": [c_uint64],
    "tg_is_capturing": [c_uint64, c_uint64, POINTER(c_int32)],
    "tg_synchronize": [c_uint64, c_uint64],
    "tg_stream": [c_uint64, c_uint64, POINTER(c_uint64)],
    "tg_order": [c_uint64, c_uint64, c_uint64],
    "tg_register": [c_uint64, c_uint64, c_int32, c_int32, _HANDLE],
    "tg_registration_end": [c_uint64],
    "tg_graph_new": [_HANDLE],
    "tg_retain": [c_uint64, c_uint64],
    "tg_release_streams": [c_uint64],
    "tg_array_new": [c_uint64, c_int32, c_int32, POINTER(c_int64), POINTER(ArrayInfo)],
    "tg_wrap": [c_uint64, c_void_p, c_int32, c_int32, POINTER(c_int64), c_void_p, c_void_p, POINTER(ArrayInfo)],
    "tg_array_read": [c_uint64, c_void_p, c_int64, c_uint64],
    "tg_array_write": [c_uint64, c_void_p, c_int64, c_uint64],
    "tg_kinds": [_TEXT],
    "tg_fields": [c_char_p, _TEXT],
    "tg_resolve": [c_char_p, c_char_p, _TEXT],
    "tg_new": [c_uint64, c_char_p, c_char_p, POINTER(NewOptions), c_uint64, _HANDLE],
    "tg_config": [c_uint64, _TEXT],
    "tg_generate": [c_uint64, c_uint64],
    "tg_regenerate": [c_uint64, c_uint64, c_int32, c_uint64],
    "tg_reset": [c_uint64, c_uint64, c_uint64],
    "tg_bind": [c_uint64, c_char_p, c_uint64],
    "tg_step": [c_uint64, c_uint64],
    "tg_step_actions": [c_uint64, c_uint64, c_uint64],
    "tg_set_seeds": [c_uint64, POINTER(c_int32), c_int64, c_uint64],
    "tg_set_epoch": [c_uint64, c_int32, c_uint64],
    "tg_result_count": [c_uint64, POINTER(c_int32)],
    "tg_result_at": [c_uint64, c_int32, POINTER(ArrayInfo)],
    "tg_result": [c_uint64, c_char_p, POINTER(ArrayInfo)],
    "tg_driver_new": [c_uint64, c_double, c_uint64, _HANDLE],
    "tg_driver_update": [c_uint64, c_uint64],
    "tg_save": [c_uint64, c_char_p, c_char_p, c_uint64],
    "tg_render": [c_uint64, c_int32, c_int32, c_int32, c_char_p, c_void_p, c_int64, c_uint64],
    "tg_guard_new": [c_uint64, c_uint32, c_int32, _HANDLE],
    "tg_guard_report": [c_uint64, _TEXT],
}


def _path() -> str:
    given = os.environ.get("TRACKGEN_LIBRARY")
    if given:
        return given
    return str(Path(__file__).with_name("_lib") / "libtrackgen.so")


def _load() -> ctypes.CDLL:
    if not sys.platform.startswith("linux"):
        raise ImportError(f"trackgen for Python runs on Linux, and this is {sys.platform}")
    path = _path()
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"trackgen cannot load its library {path}: {error}") from error
    for name, arguments in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = c_int32, arguments
    for name in ("tg_version", "tg_last_error", "tg_last_error_details"):
        function = getattr(library, name)
        function.restype, function.argtypes = c_char_p, []
    library.tg_free.restype, library.tg_free.argtypes = None, [c_void_p]
    if library.tg_check_abi(*ABI) != 0:
        raise ImportError(f"{path} is not the library of this package: {library.tg_last_error().decode()}")
    return library


lib = _load()
process = os.getpid()
"""The process that loaded the library. A fork of it must not call the library."""


def _after_fork() -> None:
    global forked
    forked = True


forked = False
os.register_at_fork(after_in_child=_after_fork)

_FORKED = (
    "this process was forked after trackgen was loaded, and the library's threads do not exist in a fork; start "
    'processes with multiprocessing.get_context("spawn"), or import trackgen after the fork'
)


def last_error(status: int) -> errors.Error:
    """Returns the exception for the failing call that this thread has made last."""
    if forked or status == errors.Status.FORKED:
        return errors.ForkedError(_FORKED)
    message = (lib.tg_last_error() or b"").decode(errors="replace")
    try:
        details = json.loads(lib.tg_last_error_details() or b"{}")
    except ValueError:
        details = {}
    return errors.of_status(status, message, details)


def check(status: int) -> None:
    """Raises the exception of a failed call."""
    if status:
        raise last_error(status)


def text(function: Callable[..., int], *arguments: Any) -> str:
    """Calls a function whose last argument receives a text."""
    pointer = c_void_p()
    check(function(*arguments, byref(pointer)))
    try:
        return ctypes.string_at(pointer.value or 0).decode() if pointer.value else ""
    finally:
        lib.tg_free(pointer)


def data(function: Callable[..., int], *arguments: Any) -> Any:
    """Calls a function whose last argument receives JSON."""
    return json.loads(text(function, *arguments) or "null")


def handle(function: Callable[..., int], *arguments: Any) -> int:
    """Calls a function whose last argument receives a handle."""
    result = c_uint64()
    check(function(*arguments, byref(result)))
    return int(result.value)


def emit_warnings(stacklevel: int = 3) -> None:
    """Gives the warnings that the library has kept to Python's module warnings."""
    while True:
        kept = text(lib.tg_take_warning)
        if not kept:
            return
        try:
            warning = json.loads(kept)
        except ValueError:
            warning = {"text": kept}
        warnings.warn(warning.get("text", ""), errors.warning_of(warning.get("type", "")), stacklevel)


def version() -> str:
    """Returns the version of the library."""
    return bytes(lib.tg_version() or b"").decode()
