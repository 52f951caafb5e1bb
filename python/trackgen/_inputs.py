"""Arrays that come into a call: those of other libraries go in without a copy where that can be."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

import numpy as np

from . import _dlpack, _library, errors
from ._handles import Keeper
from ._library import lib
from .array import _INFO_SIZE, Array, from_dlpack, zeros
from .device import Device

if TYPE_CHECKING:
    from ._context import StreamLike

_TYPES = {"int32": 0, "float32": 1}
_TYPESTR = {"<i4": "int32", "<f4": "float32"}


class _Place(NamedTuple):
    """Where the elements of a tensor are."""

    address: int
    size: int
    host: bool


class _Known(NamedTuple):
    """An input of the last call: the tensor, which is kept, where it was, and what names it in the library."""

    source: Any
    place: Optional[_Place]
    keeper: Any
    address: int


class Inputs:
    """The inputs of the last calls of a producer, so that the same tensor is not wrapped again in each step."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._on_host = device.dl_device[0] == _dlpack.CPU
        self._known: dict[str, _Known] = {}
        self._converted: dict[str, Any] = {}

    def array(self, name: str, source: Any, dtype: str, size: Optional[int], stream: Optional[StreamLike]) -> int:
        """Returns the handle of an input of a type. Values of another type, layout or device are copied.

        size is the number of elements; None leaves it to the library to know that.
        """
        if isinstance(source, Array):
            return source._handle
        place = _place(source, dtype)
        known = self._known.get(name)
        if known is not None and place is not None and known.source is source and known.place == place:
            return int(known.keeper.handle)
        if place is not None and place.host and self._on_host:
            return self._wrap(name, source, place, dtype)
        return self._take(name, source, dtype, size, stream)

    def _wrap(self, name: str, source: Any, place: _Place, dtype: str) -> int:
        """Wraps host memory for calls that are complete when they return. The tensor is kept until the next one."""
        info, sizes = _library.ArrayInfo(size=_INFO_SIZE), (ctypes.c_int64 * 1)(place.size)
        _library.check(
            lib.tg_wrap(
                self._device._handle, place.address, _TYPES[dtype], 1, sizes, None, None, ctypes.byref(info)
            )
        )
        keeper = Keeper(info.handle)
        self._known[name] = _Known(source, place, keeper, place.address)
        return keeper.handle

    def _take(self, name: str, source: Any, dtype: str, size: Optional[int], stream: Optional[StreamLike]) -> int:
        if _type_name(source) == dtype and hasattr(source, "__dlpack__"):
            try:
                array = from_dlpack(source, self._device, stream)
            except (errors.ArgumentError, errors.DeviceMismatchError, errors.UnsupportedError, BufferError):
                pass  # memory of the host, with gaps, or of a kind that DLPack does not lend: copied below
            else:
                self._known[name] = _Known(source, _place(source, dtype), array._keeper, array.address)
                return array._handle
        return self._copy(name, source, dtype, size, stream)._handle

    def _copy(self, name: str, source: Any, dtype: str, size: Optional[int], stream: Optional[StreamLike]) -> Array:
        """Copies into an array that stays the same, because each further array would be another graph."""
        if hasattr(source, "__cuda_array_interface__") and hasattr(source, "copy_"):
            return self._convert_there(name, source, dtype, stream)
        values = np.asarray(source.cpu() if hasattr(source, "cpu") else source)
        if values.dtype.kind not in "biuf":
            raise errors.ArgumentError(
                f"{name} has elements of the type {values.dtype}: must be numbers or bool", operation=f"use {name}",
                argument=name, value=str(values.dtype), allowed="numbers or bool",
            )
        if size is not None and values.size != size:
            raise errors.ArgumentError(
                f"{name} has {values.size} elements: must be {size}", operation=f"use {name}", argument=name,
                value=str(list(values.shape)), allowed=f"{size} elements",
            )
        array: Optional[Array] = self._converted.get(name)
        if array is None or array.size != values.size:
            array = self._converted[name] = zeros(values.size, dtype, self._device)
        flat = values.reshape(-1)
        array.write(flat != 0 if dtype == "int32" else flat, stream)
        return array

    def _convert_there(self, name: str, source: Any, dtype: str, stream: Optional[StreamLike]) -> Array:
        """Converts a tensor of torch on a CUDA device into one that stays the same."""
        kept: Optional[Array] = self._converted.get(name)
        values = source != 0 if dtype == "int32" else source
        if kept is None or kept.size != source.numel():
            tensor = values.to(dtype=getattr(__import__("torch"), dtype)).contiguous().clone()
            kept = self._converted[name] = from_dlpack(tensor, self._device, stream)
            self._converted[name + " tensor"] = tensor
        else:
            self._converted[name + " tensor"].copy_(values)
        return kept

    def close(self) -> None:
        """Lets go of all inputs."""
        for kept in self._converted.values():
            if isinstance(kept, Array):
                kept.close()
        self._known.clear()
        self._converted.clear()

    def mask(self, mask: Any, size: int, stream: Optional[StreamLike]) -> int:
        """Returns the handle of a mask: int32 [E] goes in without a copy, bool, floats and other integers are converted."""
        return self.array("mask", mask, "int32", size, stream)


def _place(source: Any, dtype: str) -> Optional[_Place]:
    """Returns where a tensor of NumPy or torch has contiguous, aligned elements of the type, else None."""
    if isinstance(source, np.ndarray):
        interface = source.__array_interface__
        if interface["strides"] is None and _TYPESTR.get(interface["typestr"]) == dtype and source.flags.aligned:
            return _Place(interface["data"][0], source.size, True)
        return None
    pointer = getattr(source, "data_ptr", None)
    if pointer is not None and str(source.dtype) == "torch." + dtype and source.is_contiguous():
        return _Place(pointer(), source.numel(), source.device.type == "cpu")
    return None


def _type_name(source: Any) -> str:
    return str(getattr(source, "dtype", "")).rpartition(".")[2]
