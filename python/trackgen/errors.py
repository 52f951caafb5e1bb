"""Exceptions and warnings.

Every exception of the library is an :class:`Error`, and also what Python's own libraries raise in such a case, so
``except ValueError`` finds a wrong argument. Where they are known, its fields say what was called, which argument is
wrong, its value, and what is allowed.
"""

from __future__ import annotations

import enum
from typing import Any, Mapping, Optional

__all__ = [
    "ArgumentError", "CanceledError", "CaptureError", "ClosedError", "ConcurrentUseError", "ConfigError",
    "DenormalsWarning", "DeviceLostError", "DeviceMismatchError", "Error", "FailedError", "ForkedError",
    "InternalError", "KeyedGraphLimitWarning", "LegacyPluginStreamError", "NotCapturableError", "NotPreparedError",
    "OutOfMemoryError", "RebindAfterCaptureWarning", "Status", "TrackgenWarning", "UnavailableError",
    "UnknownSettingError", "UnsupportedError", "Violation",
]


class Status(enum.IntEnum):
    """What a call of the C library returns."""

    OK = 0
    INVALID = 1
    CONFIG = 2
    CAPTURE = 3
    CLOSED = 4
    UNSUPPORTED = 5
    OUT_OF_MEMORY = 6
    DEVICE_LOST = 7
    DEVICE_MISMATCH = 8
    CONCURRENT = 9
    CANCELED = 10
    VIOLATION = 11
    FORKED = 12
    INTERNAL = 13
    FAILED = 14
    UNAVAILABLE = 15


class Error(Exception):
    """An error of the library."""

    op: Optional[str] = None
    """What was being done."""
    argument: Optional[str] = None
    """The argument, or the field of a configuration, that is wrong."""
    value: Optional[str] = None
    """Its value."""
    allowed: Optional[str] = None
    """What is allowed there."""

    def __init__(self, text: str = "", /, **details: Any) -> None:
        super().__init__(text)
        self.op = details.get("operation")
        self.argument = details.get("argument", details.get("field"))
        self.value = details.get("value")
        self.allowed = details.get("allowed")

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class ArgumentError(Error, ValueError):
    """An argument is wrong."""


class ConfigError(ArgumentError):
    """A setting of a configuration is wrong. ``argument`` is its name."""

    @property
    def field(self) -> Optional[str]:
        """The name of the setting."""
        return self.argument


class UnknownSettingError(ConfigError, AttributeError):
    """A configuration has no setting of this name."""


class CaptureError(Error, RuntimeError):
    """The state of a capture forbids the call."""


class NotCapturableError(CaptureError):
    """The producer has stages that work on the host, so it cannot be recorded into a capture."""


class LegacyPluginStreamError(CaptureError):
    """A legacy producer can be recorded only where the captured stream is the current one."""


class NotPreparedError(CaptureError):
    """The producer has to run once outside of captures before this call."""


class ClosedError(Error, ValueError):
    """The object has been closed."""


class UnsupportedError(Error, NotImplementedError):
    """The device cannot do this."""


class OutOfMemoryError(Error, MemoryError):
    """The memory of the device, or the limit on it, is exhausted."""


class DeviceLostError(Error, RuntimeError):
    """The device has failed. It has to be opened again."""


class DeviceMismatchError(ArgumentError):
    """An array or a stream is of another device."""


class ConcurrentUseError(Error, RuntimeError):
    """Another thread is using the object. Give each thread objects of its own."""


class CanceledError(Error, RuntimeError):
    """The call was canceled."""


class Violation(Error, AssertionError):
    """A guard of :mod:`trackgen.testing` has refused a call, or has seen what it forbids."""

    category: str = ""
    """One of host_sync, allocation, stream, capture."""


class ForkedError(Error, RuntimeError):
    """This process was forked after the library was loaded. Use the start method "spawn" of multiprocessing."""


class InternalError(Error, RuntimeError):
    """A defect of the library."""


class UnavailableError(Error, RuntimeError):
    """The driver or the device is missing on this machine."""


class FailedError(Error, OSError):
    """A driver, a file or the operating system has failed."""


class TrackgenWarning(UserWarning):
    """A warning of the library."""


class RebindAfterCaptureWarning(TrackgenWarning):
    """An input was replaced after a step that reads it was recorded: replays read the array of before."""


class KeyedGraphLimitWarning(TrackgenWarning, RuntimeWarning):
    """A producer is called with more masks than it keeps graphs for; the further ones run eagerly."""


class DenormalsWarning(TrackgenWarning, RuntimeWarning):
    """This device flushes denormal numbers to zero, so bits may differ."""


_CLASSES: Mapping[int, type[Error]] = {
    Status.INVALID: ArgumentError,
    Status.CONFIG: ConfigError,
    Status.CAPTURE: CaptureError,
    Status.CLOSED: ClosedError,
    Status.UNSUPPORTED: UnsupportedError,
    Status.OUT_OF_MEMORY: OutOfMemoryError,
    Status.DEVICE_LOST: DeviceLostError,
    Status.DEVICE_MISMATCH: DeviceMismatchError,
    Status.CONCURRENT: ConcurrentUseError,
    Status.CANCELED: CanceledError,
    Status.VIOLATION: Violation,
    Status.FORKED: ForkedError,
    Status.INTERNAL: InternalError,
    Status.FAILED: FailedError,
    Status.UNAVAILABLE: UnavailableError,
}
_CAPTURE_KINDS: Mapping[str, type[CaptureError]] = {
    kind.__name__: kind for kind in (NotCapturableError, LegacyPluginStreamError, NotPreparedError)
}
_WARNINGS: Mapping[str, type[TrackgenWarning]] = {
    kind.__name__: kind for kind in (RebindAfterCaptureWarning, KeyedGraphLimitWarning, DenormalsWarning)
}


def of_status(status: int, message: str, details: Mapping[str, Any]) -> Error:
    """Returns the exception for a status of the C library."""
    kind = _CLASSES.get(status, FailedError)
    if kind is CaptureError:
        kind = _CAPTURE_KINDS.get(str(details.get("type", "")), CaptureError)
    error = kind(message or f"status {status}", **details)
    if isinstance(error, Violation):
        error.category = str(details.get("category", ""))
    return error


def warning_of(kind: str) -> type[TrackgenWarning]:
    """Returns the class of a warning by its name in the C library."""
    return _WARNINGS.get(kind, TrackgenWarning)
