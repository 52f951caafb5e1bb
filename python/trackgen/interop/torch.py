"""Captures of torch: our work inside of ``torch.cuda.graph`` (rules R118a to R118l).

::

    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph), registered(graph=graph, conditional=True):
        generator.regenerate(mask)
    graph.replay()

Work on torch's stream inside of a capture is recorded, registered or not. Registration adds device conditionals, where they
are asked for, and keeps what was recorded as long as the graph. torch is imported when a function is called.
"""

from __future__ import annotations

import dataclasses
from contextlib import contextmanager
from typing import Any, Iterator, Optional, Union

from .. import _context, _library, device as devices, errors
from .._handles import Keeper, Owned
from .._library import lib
from ..device import Device
from ..exec import LaunchContext

__all__ = ["registered", "retain"]

_ATTRIBUTE = "_trackgen_kept"
_MODES = {"global": 0, "thread_local": 1, "relaxed": 2}


class _Kept:
    """What a graph of torch keeps: a graph of the library, and owners. It goes with the graph."""

    def __init__(self) -> None:
        self.graph = Keeper(_library.handle(lib.tg_graph_new))
        self.owners: dict[int, Any] = {}

    def add(self, owner: Any) -> None:
        if id(owner) in self.owners:
            return
        handle = getattr(owner, "_open", 0)
        if isinstance(owner, Owned) and handle:
            _library.check(lib.tg_retain(self.graph.handle, handle))
        self.owners[id(owner)] = owner


def _kept(graph: Any) -> _Kept:
    """Returns what the graph keeps. It is an attribute of the graph, so that it goes with it."""
    kept = getattr(graph, _ATTRIBUTE, None)
    if kept is None:
        kept = _Kept()
        try:
            setattr(graph, _ATTRIBUTE, kept)
        except AttributeError:
            raise TypeError(f"a {type(graph).__name__} cannot keep attributes, so it cannot keep owners") from None
    return kept


def retain(graph: Any, *owners: Any) -> None:
    """Keeps owners as long as a graph of torch: once each, by identity. None is ignored (R118k).

    :param graph: a ``torch.cuda.CUDAGraph``, or another object that can have attributes.
    :raises TypeError: the graph cannot have attributes.
    """
    kept = _kept(graph)
    for owner in owners:
        if owner is not None:
            kept.add(owner)


def _mode(mode: Union[str, int, None]) -> int:
    if mode is None:
        return 0
    name = mode if isinstance(mode, str) else getattr(mode, "name", mode)
    if isinstance(name, str):
        name = name.lower()
    for known, number in _MODES.items():
        if name in (known, number) and not isinstance(name, bool):
            return number
    raise errors.ArgumentError(
        f"{mode!r} is no mode of a capture", operation="register a capture", argument="capture_mode", value=repr(mode),
        allowed=", ".join(_MODES),
    )


def _device_of(device: Optional[Device], number: int) -> Device:
    if device is not None:
        return device
    found = list(devices.opened((2, number)))
    if len(found) == 1:
        return found[0]
    raise errors.ArgumentError(
        f"{len(found)} devices cuda:{number} are open in trackgen", operation="register a capture", argument="device",
        value="None", allowed="the device whose work is to be recorded; None if one is open",
    )


@contextmanager
def registered(
    stream: Any = None,
    graph: Any = None,
    capture_mode: Union[str, int, None] = None,
    conditional: bool = False,
    *,
    device: Optional[Device] = None,
) -> Iterator[LaunchContext]:
    """Registers a capture of torch, inside of it: calls in the block work on its stream, and are recorded.

    :param stream: the stream that is being captured: of torch, or a raw handle; by default torch's current one.
    :param graph: the ``torch.cuda.CUDAGraph``: it keeps what is recorded. Without it that is kept to the end of the block.
    :param capture_mode: the mode in which torch has begun: ``"global"`` (as by default), ``"thread_local"`` or ``"relaxed"``.
    :param conditional: records device conditionals, so that replays skip work that is not needed. Such a graph cannot be a
        child graph.
    :param device: the device of ``trackgen.open``; by default the one that is open for the stream.
    :raises CaptureError: the stream is not being captured.

    Inside of a registration of the same stream the outer one stays in force. Yields the context of the stream.
    """
    import torch

    mode = _mode(capture_mode)
    number = torch.cuda.current_device() if device is None else device.dl_device[1]
    chosen = _device_of(device, number)
    handle, _ = _context.raw_stream("torch" if stream is None else stream, number)
    capturing = bool(torch.cuda.is_current_stream_capturing())
    outer = _context.current.get() or _context.NOTHING
    if outer.parent and outer.device == chosen._handle and outer.stream == handle:
        yield LaunchContext.for_call(chosen)
        return
    base = _context.make(chosen._handle, outer, handle, capturing)
    try:
        kept = 0 if graph is None else _kept(graph).graph.handle
        registration = _library.handle(lib.tg_register, base, kept, mode, int(conditional))
    except BaseException:
        lib.tg_close(base)
        raise
    token = _context.current.set(
        dataclasses.replace(outer, device=chosen._handle, stream=handle, capturing=capturing, parent=registration)
    )
    try:
        yield LaunchContext.for_call(chosen)
    finally:
        _context.current.reset(token)
        chosen._forget(parent=registration)
        status = lib.tg_registration_end(registration)
        lib.tg_close(registration)
        lib.tg_close(base)
        _library.check(status)
