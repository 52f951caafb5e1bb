"""Arrays in device memory, which NumPy, torch and JAX see without a copy."""

from __future__ import annotations

import contextlib
import ctypes
import operator
from typing import TYPE_CHECKING, Any, Iterable, Optional, Sequence, Union

import numpy as np

from . import _context, _dlpack, _library, errors
from ._handles import Keeper
from ._library import RELEASE, ArrayInfo, lib
from .device import Device

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from ._context import StreamLike

_DTYPES = (np.dtype(np.int32), np.dtype(np.float32), np.dtype(np.uint32))
_CODES = (_dlpack.INT, _dlpack.FLOAT, _dlpack.UINT)
_TYPES = {(code, 32): kind for kind, code in enumerate(_CODES)}
_INFO_SIZE = ctypes.sizeof(ArrayInfo)
MAX_RANK = 4
_MAX_SIZE = 2**31 - 1
LEGACY_STREAM = 1
"""The legacy default stream of CUDA, as DLPack counts streams."""


class Array:
    """An array in device memory: contiguous, the last index runs fastest.

    It is no copy: ``numpy()``, ``torch()`` and DLPack return views of the same memory, which a later ``generate``,
    ``regenerate`` or ``step`` of the producer writes again. A view keeps the memory, also after the array, its producer and
    its device have been closed.

    Results are ``read_only``: the library alone writes them. NumPy's views of them cannot be written, and DLPack capsules
    of version 1 say so. Consumers of version 0, such as torch 1.13, have no place for that, so it is up to you not to
    write to what they return.
    """

    __slots__ = ("_keeper", "_info", "_closed", "_shared", "device", "shape", "dtype", "__weakref__")

    device: Device
    """The device that holds the memory."""
    shape: tuple[int, ...]
    """The number of elements along each index. Vectors have a last index of their own."""
    dtype: np.dtype[Any]
    """int32, float32 or uint32."""

    def __init__(self, device: Device, info: ArrayInfo) -> None:
        self._keeper: Optional[Keeper] = Keeper(info.handle)
        self._info = info
        self._closed = self._shared = False
        self.device = device
        self.shape = tuple(info.shape[: info.rank])
        self.dtype = _DTYPES[info.type]

    @property
    def _handle(self) -> int:
        if self._closed or self._keeper is None:
            raise errors.ClosedError(f"{self.name or 'the array'} has been closed")
        return self._keeper.handle

    @property
    def name(self) -> str:
        """Its name among the results of its producer, such as ``"center"``; ``""`` for arrays of the caller."""
        return (self._info.name or b"").decode()

    @property
    def unit(self) -> str:
        """``"length"`` for track units, or another unit, or ``""``."""
        unit = (self._info.unit or b"").decode()
        return "" if unit == "none" else unit

    @property
    def doc(self) -> str:
        """What it is, in one line."""
        return (self._info.doc or b"").decode()

    @property
    def read_only(self) -> bool:
        """Whether the library alone writes it."""
        return bool(self._info.read_only)

    @property
    def ndim(self) -> int:
        """The number of indices."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def nbytes(self) -> int:
        """The number of bytes."""
        return int(self._info.bytes)

    @property
    def strides(self) -> tuple[int, ...]:
        """The bytes from one element to the next along each index, as in NumPy."""
        return tuple(stride * self.dtype.itemsize for stride in self._info.strides[: self.ndim])

    @property
    def address(self) -> int:
        """The address of the first element on the device; 0 on Vulkan, whose memory has no address."""
        return int(self._info.data or 0)

    @property
    def closed(self) -> bool:
        """Whether the array has been closed."""
        return self._closed

    def close(self) -> None:
        """Ends the use of this object. The memory goes when no view of it is left."""
        self._closed = True
        if not self._shared:
            self._keeper = None

    # Views

    def __dlpack_device__(self) -> tuple[int, int]:
        """The type and number of the device: (1, 0) the CPU, (2, n) CUDA, (7, n) Vulkan."""
        return int(self._info.device_type), int(self._info.device_id)

    def __dlpack__(
        self,
        *,
        stream: Optional[int] = None,
        max_version: Optional[tuple[int, int]] = None,
        dl_device: Optional[tuple[int, int]] = None,
        copy: Optional[bool] = None,
    ) -> Any:
        """Returns a capsule of the memory.

        :param stream: the stream of the consumer (CUDA: 1 the legacy default one, 2 that of the thread, -1 no order). What
            was emitted before runs before what is emitted there; inside of a capture, its graph has the order.
        :param max_version: the newest version that the consumer understands; from (1, 0) on it is told of read_only.
        :param dl_device: ``(1, 0)`` copies the array of another device to the host.
        :param copy: True always copies, False never does.
        """
        here = self.__dlpack_device__()
        if dl_device is not None and tuple(dl_device) != here:
            if tuple(dl_device) != (_dlpack.CPU, 0) or copy is False:
                raise BufferError(f"the array is on the device {here} of DLPack, and not on {tuple(dl_device)}")
            return _host_capsule(self.read(), max_version)
        if copy:
            if here[0] != _dlpack.CPU:
                raise BufferError("a copy on the device of the array is the consumer's work; dl_device=(1, 0) is a host copy")
            return _host_capsule(self.read(), max_version)
        self._order(here[0], stream)
        info, versioned = self._info, max_version is not None and max_version[0] >= 1
        self._addressable("DLPack")
        return _dlpack.export(
            self._lend(), self.address, here, _CODES[info.type], 32, self.shape, tuple(info.strides[: self.ndim]),
            self.read_only, versioned,
        )

    def _order(self, device_type: int, stream: Optional[int]) -> None:
        if device_type == _dlpack.CPU:
            if stream is not None and stream != -1:
                raise ValueError(f"the CPU has no streams, and stream is {stream}")
            return
        if stream == 0:
            raise ValueError("stream 0 is ambiguous: 1 is the legacy default stream, 2 that of the thread")
        if stream == -1 or self.device.closed:
            return
        with contextlib.suppress(errors.CaptureError):  # the order of a capture is that of its graph
            self.device.order(_context.LEGACY if stream in (None, LEGACY_STREAM) else stream)

    @property
    def __array_interface__(self) -> dict[str, Any]:
        if self._info.device_type != _dlpack.CPU:
            raise AttributeError(f"the array is on {self.device.name}, and not in host memory")
        return self._interface(3)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if self._info.device_type != _dlpack.CUDA:
            raise AttributeError(f"the array is on {self.device.name}, and not in the memory of a CUDA device")
        return {**self._interface(3), "stream": LEGACY_STREAM}

    def _interface(self, version: int) -> dict[str, Any]:
        self._lend()
        return {
            "version": version, "shape": self.shape, "typestr": self.dtype.str, "data": (self.address, self.read_only),
            "strides": None,
        }

    def _lend(self) -> Keeper:
        """Returns what keeps the memory, for somebody who keeps a view."""
        keeper = self._keeper
        if self._closed or keeper is None:
            raise errors.ClosedError(f"{self.name or 'the array'} has been closed")
        self._shared = True
        return keeper

    def _addressable(self, what: str) -> None:
        if self._info.device_type == _dlpack.VULKAN:
            raise BufferError(f"memory of Vulkan has no address, so {what} cannot share it; read() copies it")

    def __array__(self, dtype: Optional[DTypeLike] = None, copy: Optional[bool] = None) -> NDArray[Any]:
        host = self._info.device_type == _dlpack.CPU
        if copy is False and not host:
            raise ValueError(f"the array is on {self.device.name}: only a copy of it can be in host memory")
        values = self.numpy()
        if dtype is not None and np.dtype(dtype) != values.dtype:
            return values.astype(dtype)
        return values.copy() if copy and host else values

    def numpy(self) -> NDArray[Any]:
        """Returns a view of the array if it is in host memory, and else a copy (see ``read``)."""
        if self._info.device_type != _dlpack.CPU:
            return self.read()
        return np.asarray(_View(self._lend(), self._interface(3)))

    def torch(self) -> Any:
        """Returns a ``torch.Tensor`` of the same memory. torch must be installed. Do not write to it if ``read_only``."""
        import torch

        return torch.from_dlpack(self)

    def read(self, stream: Optional[StreamLike] = None) -> NDArray[Any]:
        """Waits for the work on the stream, and returns a copy in host memory."""
        result = np.empty(self.shape, self.dtype)
        context = _context.of_call(self.device, stream, None)
        _library.check(lib.tg_array_read(self._handle, result.ctypes.data, result.nbytes, context))
        return result

    def write(self, values: Any, stream: Optional[StreamLike] = None) -> None:
        """Replaces all elements, in stream order, and waits. values have the shape of the array, or one that broadcasts.

        :raises ArgumentError: values are no numbers, do not fit into the type or the shape, or the array is ``read_only``.
        """
        if self.read_only and not self.name:  # a wrapped array; the library knows its own results
            raise errors.ArgumentError(
                "the memory is read-only", operation="write array", argument="array", value="read-only memory",
                allowed="memory that may be written",
            )
        source = _converted(values, self.shape, self.dtype)
        context = _context.of_call(self.device, stream, None)
        _library.check(lib.tg_array_write(self._handle, source.ctypes.data, source.nbytes, context))

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of an array without an index")
        return self.shape[0]

    def __repr__(self) -> str:
        unit = f", {self.unit}" if self.unit else ""
        state = ", closed" if self._closed else ""
        return f"<Array {self.name or 'of the caller'} {self.dtype} {list(self.shape)}{unit} on {self.device.name}{state}>"

    def __reduce__(self) -> Any:
        raise TypeError("an Array is device memory and cannot be pickled; numpy() can")


class _View:
    """What NumPy keeps as the base of a view."""

    __slots__ = ("_keeper", "__array_interface__")

    def __init__(self, keeper: Keeper, interface: dict[str, Any]) -> None:
        self._keeper, self.__array_interface__ = keeper, interface


def _host_capsule(values: NDArray[Any], max_version: Optional[tuple[int, int]]) -> Any:
    code = {"i": _dlpack.INT, "u": _dlpack.UINT, "f": _dlpack.FLOAT}[values.dtype.kind]
    strides = tuple(stride // values.itemsize for stride in values.strides)
    versioned = max_version is not None and max_version[0] >= 1
    return _dlpack.export(values, values.ctypes.data, (_dlpack.CPU, 0), code, 32, values.shape, strides, False, versioned)


def _type_of(dtype: DTypeLike) -> int:
    wanted = np.dtype(dtype)
    if wanted not in _DTYPES:
        raise errors.ArgumentError(
            f"the type {wanted} is none of int32, float32 and uint32", operation="make an array", argument="dtype",
            value=str(wanted), allowed="int32, float32 or uint32",
        )
    return _DTYPES.index(wanted)


def _converted(values: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Returns a contiguous copy of values that has the shape and the type, into which they must fit."""
    given = np.asarray(values)
    fits = given.dtype.kind in "biuf"
    if fits and dtype.kind in "iu" and given.dtype.kind != "b" and given.dtype != dtype and given.size:
        limits = np.iinfo(dtype)
        fits = bool(limits.min <= given.min() and given.max() <= limits.max)  # not for NaN
        fits = fits and (given.dtype.kind != "f" or bool((given == np.trunc(given)).all()))
    if not fits:
        raise errors.ArgumentError(
            f"values of the type {given.dtype}: must be numbers that {dtype} has", operation="write array", argument="values",
            value=str(given.dtype), allowed=f"numbers that {dtype} has",
        )
    try:
        return np.ascontiguousarray(np.broadcast_to(given, shape), dtype)
    except ValueError:
        raise errors.ArgumentError(
            f"values of the shape {list(given.shape)} do not broadcast to {list(shape)}", operation="write array",
            argument="values", value=str(list(given.shape)), allowed=f"{list(shape)}, or a shape that broadcasts to it",
        ) from None


def _known_device(device: Any) -> Device:
    if not isinstance(device, Device):
        raise TypeError(f"device is a Device of trackgen.open, not {device!r}")
    return device


def _shape_of(shape: Union[int, Sequence[int]]) -> Any:
    sizes = tuple(operator.index(size) for size in (shape if isinstance(shape, Iterable) else (shape,)))
    if any(not 0 <= size <= _MAX_SIZE for size in sizes):
        raise errors.ArgumentError(
            f"the shape is {sizes}: must be sizes of 0 to {_MAX_SIZE}", operation="make an array", argument="shape",
            value=str(sizes), allowed=f"sizes of 0 to {_MAX_SIZE}",
        )
    if not 1 <= len(sizes) <= MAX_RANK:
        raise errors.ArgumentError(
            f"an array has 1 to {MAX_RANK} indices, not {len(sizes)}", operation="make an array", argument="shape",
            value=str(sizes), allowed=f"1 to {MAX_RANK} sizes",
        )
    return (ctypes.c_int64 * len(sizes))(*sizes)


def new_info() -> ArrayInfo:
    """Returns a description for a call to fill in."""
    return ArrayInfo(size=_INFO_SIZE)


def zeros(shape: Union[int, Sequence[int]], dtype: DTypeLike, device: Device) -> Array:
    """Returns an array of zeros on the device, which the caller may write. dtype is int32, float32 or uint32."""
    info, sizes = new_info(), _shape_of(shape)
    _library.check(lib.tg_array_new(_known_device(device)._handle, _type_of(dtype), len(sizes), sizes, ctypes.byref(info)))
    return Array(device, info)


def from_dlpack(source: Any, device: Device, stream: Optional[StreamLike] = None) -> Array:
    """Returns an Array of the memory of a tensor of another library, without a copy.

    The memory is kept until nothing here uses it. It must be contiguous, of the type int32, float32 or uint32, and on the
    device: host memory for the CPU device. ``asarray`` copies where this is refused.

    :param stream: the stream on which the library will read it; the tensor's library orders its own work before.
    """
    if isinstance(source, Array) and source.device is _known_device(device):
        return source
    if not hasattr(source, "__dlpack__"):
        raise TypeError(f"a {type(source).__name__} has no __dlpack__; asarray copies it")
    there = source.__dlpack_device__()
    here = _known_device(device)._dl_device
    if (there[0], there[1]) != here and not (there[0] == _dlpack.CUDA_HOST and here[0] == _dlpack.CPU):
        raise errors.DeviceMismatchError(
            f"the memory is on the device {tuple(there)} of DLPack, and {device.name} is {here}",
            operation="wrap memory", argument="source", value=str(tuple(there)), allowed=str(here),
        )
    taken = _dlpack.take(source, _stream_for(device, stream))
    try:
        return _wrap(taken, device)
    except BaseException:
        taken.discard()
        raise


def _stream_for(device: Device, stream: Optional[StreamLike]) -> Optional[int]:
    """Returns the number of a stream as DLPack counts them: 0, the legacy default stream, is 1."""
    if device._dl_device[0] != _dlpack.CUDA:
        return None
    return device.stream(stream) or LEGACY_STREAM


def _wrap(taken: _dlpack.Imported, device: Device) -> Array:
    if not taken.contiguous:
        raise errors.ArgumentError(
            "the memory is not contiguous; asarray makes a contiguous copy", operation="wrap memory", argument="source",
            value=str(taken.shape), allowed="contiguous memory",
        )
    kind = (taken.code, taken.bits)
    if kind not in _TYPES:
        raise errors.ArgumentError(
            f"the type {_type_text(*kind)} is none of int32, float32 and uint32", operation="wrap memory",
            argument="source", value=_type_text(*kind), allowed="int32, float32 or uint32",
        )
    info, sizes = new_info(), _shape_of(taken.shape)
    # The library calls deleter(managed) itself, from whichever thread, when nothing uses the memory any more.
    status = lib.tg_wrap(
        device._handle, taken.address, _TYPES[kind], len(sizes), sizes, taken.deleter, taken.managed, ctypes.byref(info)
    )
    _library.check(status)
    info.read_only = int(taken.read_only)
    return Array(device, info)


def _type_text(code: int, bits: int) -> str:
    """The name of a type of DLPack, such as float64."""
    names = {_dlpack.INT: "int", _dlpack.UINT: "uint", _dlpack.FLOAT: "float"}
    return f"{names[code]}{bits}" if code in names else f"with the code {code} of DLPack, of {bits} bits,"


def asarray(source: Any, device: Device, dtype: Optional[DTypeLike] = None, stream: Optional[StreamLike] = None) -> Array:
    """Returns an Array of the values of source on the device: of the same memory where that can be, else of a copy.

    A tensor of torch or another library, or a NumPy array, is not copied if it is contiguous, of the type that is wanted,
    and on the device. Whatever NumPy can make an array of is copied.
    """
    wanted = None if dtype is None else np.dtype(dtype)
    if isinstance(source, Array) and source.device is _known_device(device) and wanted in (None, source.dtype):
        return source
    if hasattr(source, "__dlpack__") and _type_name(source) == (wanted.name if wanted else _type_name(source)):
        try:
            return from_dlpack(source, device, stream)
        except (errors.ArgumentError, errors.UnsupportedError, BufferError):
            pass
    values = np.asarray(source)
    if wanted is None:
        wanted = values.dtype if values.dtype in _DTYPES else np.dtype(np.int32 if values.dtype.kind in "biu" else np.float32)
    result = zeros(values.shape or (1,), wanted, device)
    result.write(values, stream)
    return result


def _type_name(source: Any) -> str:
    return str(getattr(source, "dtype", "")).rsplit(".", 1)[-1]
