"""Which stream and which scopes a call has: exec.py is the public part."""

from __future__ import annotations

import contextvars
import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional, Union

from . import _library
from ._library import ContextOptions, lib

if TYPE_CHECKING:
    from .device import Device

StreamLike = Union[int, str, Any]
"""A raw handle (``cudaStream_t`` as an int), a stream object of torch or of another library, or ``"torch"``."""


LEGACY = 0
"""The handle of the legacy default stream of CUDA."""


@dataclass(frozen=True)
class Scope:
    """What holds for the calls inside of a block."""

    device: int = 0
    """Handle of the device that stream and parent are of; 0: none."""
    stream: Optional[int] = None
    capturing: bool = False
    parent: int = 0
    unconditional: bool = False
    conditional: bool = False
    host_poll: Optional[bool] = None
    guard: int = 0
    guarded: int = 0
    """Handle of the device of guard."""


NOTHING = Scope()
current: contextvars.ContextVar[Optional[Scope]] = contextvars.ContextVar("trackgen scope", default=None)


def raw_stream(stream: StreamLike, device_id: int) -> tuple[int, bool]:
    """Returns the handle of a stream, and whether its library is capturing it in this thread."""
    if isinstance(stream, bool):
        raise TypeError("stream is a raw handle (int), a stream object or \"torch\", not a bool")
    if isinstance(stream, int):
        if not 0 <= stream < 2**64:
            raise ValueError(f"stream is {stream}, and a raw handle has 64 bits")
        return stream, False
    if stream == "torch":
        return _torch_stream(device_id)
    for attribute in ("cuda_stream", "ptr", "handle"):
        handle = getattr(stream, attribute, None)
        if isinstance(handle, int):
            return handle, False
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        return int((protocol() if callable(protocol) else protocol)[1]), False
    raise TypeError(f'stream is a raw handle (int), a stream object or "torch", not {stream!r}')


def _torch_stream(device_id: int) -> tuple[int, bool]:
    import torch

    return int(torch.cuda.current_stream(device_id).cuda_stream), bool(torch.cuda.is_current_stream_capturing())


def make(device: int, scope: Scope, stream: Optional[int], capturing: bool, parent: int = 0) -> int:
    """Makes a context of the C library."""
    options = ContextOptions(size=ctypes.sizeof(ContextOptions), conditional=-1, host_poll=-1, parent=parent)
    if stream is not None:
        options.has_stream, options.stream, options.capturing = 1, stream, int(capturing)
    if scope.unconditional:
        options.conditional = 0
    elif scope.conditional:
        options.conditional = 1
    if scope.host_poll is not None:
        options.host_poll = int(scope.host_poll)
    if scope.guard and scope.guarded == device:
        options.guard = scope.guard
    return _library.handle(lib.tg_context_new, device, ctypes.byref(options))


def of_call(device: Device, stream: Optional[StreamLike], default: Optional[int]) -> int:
    """Returns the context of a call: its stream, else that of the scope, else the default one (R6).

    The default one of a CUDA device is the legacy default stream, on which torch and others work where they are told
    nothing else: so what they have written is complete for us, and what we have written for them.
    """
    scope = current.get()
    if scope is None and stream is None and default is None and device._default_stream is None:
        return 0
    scope = scope or NOTHING
    capturing, parent = False, 0
    if stream is not None:
        number: Optional[int]
        number, capturing = raw_stream(stream, device.dl_device[1])
        if scope.device == device._handle and number == scope.stream:
            parent, number = scope.parent, None if scope.parent else number
    elif scope.device == device._handle:
        number, capturing, parent = scope.stream, scope.capturing, scope.parent
        if parent:
            number = None
    else:
        number = default
    if number is None and not parent:
        number = device._default_stream
    return device._context(scope, number, capturing, parent)
