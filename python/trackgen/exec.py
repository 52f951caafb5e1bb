"""How calls run: on which stream, and with or without device conditionals in captures.

The scopes hold for the calls inside of their block, in this thread or asyncio task::

    with exec.LaunchContext(device, stream="torch"):
        race.step(actions)  # on torch's current stream
    with exec.unconditional():
        generator.regenerate(mask)  # records no conditional, so that the graph can be a child graph
"""

from __future__ import annotations

import dataclasses
from contextlib import contextmanager
from typing import Any, Iterator, Optional

from . import _context
from ._context import NOTHING, StreamLike, current
from .device import Device
from .errors import (
    CaptureError,
    LegacyPluginStreamError,
    NotCapturableError,
    RebindAfterCaptureWarning,
)

__all__ = [
    "CaptureError", "LaunchContext", "LegacyPluginStreamError", "NotCapturableError", "RebindAfterCaptureWarning",
    "allow_host_poll", "conditional", "is_capturing", "unconditional",
]


class LaunchContext:
    """One device and one stream. In a ``with`` block, calls on this device that name no stream use it (rules R1 to R14)."""

    def __init__(self, device: Device, stream: Optional[StreamLike] = None) -> None:
        self._device = device
        self._stream, self._capturing = None, False
        self._parent = 0
        if stream is not None:
            self._stream, self._capturing = _context.raw_stream(stream, device.dl_device[1])
        self._tokens: list[Any] = []

    @classmethod
    def for_call(
        cls, device: Device, stream: Optional[StreamLike] = None, default: Optional[StreamLike] = None
    ) -> LaunchContext:
        """Returns the context of a call: the stream that is named, else that of the scope, else the default one (R6)."""
        scope = current.get() or NOTHING
        if stream is None and scope.device == device._handle:
            result = cls(device, scope.stream)
            result._capturing, result._parent = scope.capturing, scope.parent
            return result
        return cls(device, default if stream is None else stream)

    @classmethod
    def current(cls, device: Device) -> LaunchContext:
        """Returns a context on the stream of the device, whatever the scope says (R12)."""
        return cls(device)

    @property
    def device(self) -> Device:
        """Its device."""
        return self._device

    @property
    def stream(self) -> Optional[int]:
        """The handle of its stream; None for that of the device: on CUDA the legacy default stream."""
        return self._stream

    @property
    def capturing(self) -> bool:
        """Whether the stream is being captured. It is for diagnosis (R4)."""
        with self:
            return self._device.is_capturing()

    def synchronize(self) -> None:
        """Waits until the stream has run everything."""
        with self:
            self._device.synchronize()

    @contextmanager
    def scope(self) -> Iterator[LaunchContext]:
        """Makes the context that of the calls inside."""
        with self:
            yield self

    def __enter__(self) -> LaunchContext:
        outer = current.get() or NOTHING
        self._tokens.append(
            current.set(
                dataclasses.replace(
                    outer, device=self._device._handle, stream=self._stream, capturing=self._capturing, parent=self._parent
                )
            )
        )
        return self

    def __exit__(self, *exception: Any) -> None:
        current.reset(self._tokens.pop())

    def __repr__(self) -> str:
        stream = "its stream" if self._stream is None else f"stream {self._stream:#x}"
        return f"<LaunchContext on {stream} of {self._device.name}>"


@contextmanager
def _with(**settings: Any) -> Iterator[None]:
    token = current.set(dataclasses.replace(current.get() or NOTHING, **settings))
    try:
        yield
    finally:
        current.reset(token)


def unconditional(enabled: bool = True) -> Any:
    """Inside, captures record no device conditionals: all work runs in each replay, with the same results (R45)."""
    return _with(unconditional=bool(enabled))


def conditional(enabled: bool = True) -> Any:
    """Inside, captures of streams of other libraries may record device conditionals (R48). ``unconditional`` wins."""
    return _with(conditional=bool(enabled))


def allow_host_poll(enabled: bool = True) -> Any:
    """Inside, eager loops on a device without conditionals may wait for their flag, to end early (R43)."""
    return _with(host_poll=bool(enabled))


def is_capturing(device: Device, stream: Optional[StreamLike] = None) -> bool:
    """Whether the stream is being captured, by this library or another one (R15)."""
    return device.is_capturing(stream)
