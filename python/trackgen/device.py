"""Devices: the CPU, and GPUs by CUDA or Vulkan."""

from __future__ import annotations

import json
import operator
import threading
import weakref
from ctypes import byref, c_int32, c_uint64
from typing import TYPE_CHECKING, Any, Iterator, Optional, Union

from . import _context, _dlpack, _library, errors
from ._handles import Owned
from ._library import lib

if TYPE_CHECKING:
    from ._context import Scope, StreamLike

_MAX_CONTEXTS = 256
_opened: "weakref.WeakSet[Device]" = weakref.WeakSet()


class Device(Owned):
    """One opening of a device. ``trackgen.open`` returns it.

    Several threads may use a device at once. Close it after what was made on it; arrays that are still open keep their
    memory.
    """

    def __init__(self, name: str, **options: Any) -> None:
        given = {key: value for key, value in options.items() if value is not None}
        self._open = _library.handle(lib.tg_open_with, _name(name).encode(), json.dumps(given).encode())
        self._info: dict[str, Any] = _library.data(lib.tg_device_info, self._handle)
        self._dl_device = int(self._info["dl_device_type"]), int(self._info["dl_device_id"])
        self._default_stream = _context.LEGACY if self._dl_device[0] == _dlpack.CUDA else None
        self._contexts: dict[tuple[Any, ...], int] = {}
        self._lock = threading.Lock()
        self.instrumented = bool(options.get("instrumented"))
        """Whether guards of :mod:`trackgen.testing` can watch the device."""
        _opened.add(self)

    @property
    def name(self) -> str:
        """Its name, such as ``"cpu"`` or ``"cuda:0"``."""
        return str(self._info["name"])

    @property
    def info(self) -> dict[str, Any]:
        """What is known of the device: backend, description, driver, memory in bytes, capabilities."""
        return dict(self._info)

    @property
    def dl_device(self) -> tuple[int, int]:
        """Its type and number in DLPack: (1, 0) the CPU, (2, n) CUDA, (7, n) Vulkan."""
        return self._dl_device

    def synchronize(self, stream: Optional[StreamLike] = None) -> None:
        """Waits until the stream, by default that of the scope or of the device, has run everything."""
        _library.check(lib.tg_synchronize(self._handle, _context.of_call(self, stream, None)))

    def stream(self, stream: Optional[StreamLike] = None) -> int:
        """The raw handle of the stream on which calls work and write results: a ``cudaStream_t``, 0 on the CPU and Vulkan.

        :param stream: what a call is given as ``stream=``; by default the stream of the scope or of the device.
        """
        answer = c_uint64()
        _library.check(lib.tg_stream(self._handle, _context.of_call(self, stream, None), byref(answer)))
        return int(answer.value)

    def order(self, before: int, stream: Optional[StreamLike] = None) -> None:
        """Makes what is emitted from now on, on a stream of another library, run after what was emitted here.

        The host does not wait. It raises CaptureError if one of the streams is being captured without the other one.

        :param before: the raw handle of the stream of the other library.
        :param stream: what a call is given as ``stream=``; by default the stream of the scope or of the device.
        """
        context = _context.of_call(self, stream, None)
        _library.check(lib.tg_order(self._handle, context, _context.raw_stream(before, self.dl_device[1])[0]))

    def is_capturing(self, stream: Optional[StreamLike] = None) -> bool:
        """Whether the stream is being captured, by this library or another one."""
        answer = c_int32()
        context = _context.of_call(self, stream, None)
        _library.check(lib.tg_is_capturing(self._handle, context, byref(answer)))
        return bool(answer.value)

    def release_streams(self) -> None:
        """Forgets the streams of other libraries that calls on this device have named."""
        with self._lock:
            self._drop_contexts()
        _library.check(lib.tg_release_streams(self._handle))

    def _context(self, scope: Scope, stream: Optional[int], capturing: bool, parent: int) -> int:
        """Returns the context of these settings, and makes it once."""
        guard = scope.guard if scope.guarded == self._handle else 0
        key = (stream, capturing, parent, scope.unconditional, scope.conditional, scope.host_poll, guard)
        with self._lock:
            context = self._contexts.get(key)
            if context is None:
                if len(self._contexts) >= _MAX_CONTEXTS:
                    lib.tg_close(self._contexts.pop(next(iter(self._contexts))))
                context = _context.make(self._handle, scope, stream, capturing, parent)
                self._contexts[key] = context
            return context

    def _forget(self, parent: int = 0, guard: int = 0) -> None:
        """Closes the contexts that were made with a parent or a guard that ends."""
        with self._lock:
            for key in [key for key in self._contexts if parent and key[2] == parent or guard and key[6] == guard]:
                lib.tg_close(self._contexts.pop(key))

    def _drop_contexts(self) -> None:
        for context in self._contexts.values():
            lib.tg_close(context)
        self._contexts.clear()

    def close(self) -> None:
        """Closes the device. Results that are still referred to keep their memory."""
        with self._lock:
            self._drop_contexts()
        handle, self._open = self._open, 0
        if not handle:
            return
        status = lib.tg_close(handle)
        if status:
            error = _library.last_error(status)
            # What is still open is no failure: arrays keep their memory, and producers warn when they are garbage.
            if status != errors.Status.FAILED or "still open" not in str(error):
                raise error

    def __repr__(self) -> str:
        state = "closed " if self.closed else ""
        return f"<{state}trackgen device {self.name}: {self._info.get('description', '')}>"


def _count(value: Any, name: str) -> Optional[int]:
    """Returns an option that is a whole number, or None."""
    if value is None:
        return None
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} is an int, not {value!r}")
    number = operator.index(value)
    if not -(2**63) <= number < 2**63:
        raise errors.ArgumentError(
            f"{name} is {number}: must be an int of 64 bits", operation="open device", argument=name, value=str(number),
            allowed="an int of 64 bits",
        )
    return number


def _flag(value: Any, name: str) -> Optional[bool]:
    """Returns an option that is True, False or None."""
    if value is not None and not isinstance(value, bool):
        raise TypeError(f"{name} is True or False, not {value!r}")
    return value


def _name(name: str) -> str:
    if not isinstance(name, str):
        raise TypeError(f'a device has a name such as "cpu", "cuda:0", "vulkan:0" or "auto", not {name!r}')
    if "\0" in name:
        raise ValueError(f"the name has a null character: {name!r}")
    return name


def open(
    name: str = "auto",
    *,
    workers: Optional[int] = None,
    memory_limit: Optional[int] = None,
    debug: Optional[bool] = None,
    instrumented: Optional[bool] = None,
) -> Device:
    """Opens a device.

    :param name: ``"cpu"``, ``"cuda:0"``, ``"vulkan:0"`` and so on, or ``"auto"`` for the best one of this machine.
    :param workers: threads of the CPU device, 1 or more; by default as many as there are processors.
    :param memory_limit: the most memory in bytes that arrays may take.
    :param debug: checks each launch, slowly.
    :param instrumented: lets guards of :mod:`trackgen.testing` watch the device.
    :raises UnavailableError: the driver or the device is missing on this machine.
    """
    return Device(
        name, workers=_count(workers, "workers"), memory_limit=_count(memory_limit, "memory_limit"),
        debug=_flag(debug, "debug"), instrumented=_flag(instrumented, "instrumented"),
    )


def devices() -> list[dict[str, Any]]:
    """Lists the devices of this machine, the best first: a dict with name, backend, description and driver each."""
    found = []
    for backend in _library.data(lib.tg_devices):
        found += [{"backend": backend["backend"], **device} for device in backend["devices"]]
    return found


def device_of(device: Union[Device, str]) -> tuple[Device, bool]:
    """Returns a device, and whether it was opened for this call because its name was given."""
    if isinstance(device, Device):
        return device, False
    return open(device), True


def opened(dl_device: tuple[int, int]) -> Iterator[Device]:
    """Iterates over the open devices of a type and number."""
    return (device for device in list(_opened) if not device.closed and device.dl_device == dl_device)
