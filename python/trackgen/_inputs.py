"""Arrays that come into a call: those of other libraries go in without a copy where that can be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from . import errors
from .array import Array, from_dlpack, zeros
from .device import Device

if TYPE_CHECKING:
    from ._context import StreamLike


class Inputs:
    """The arrays that a producer was called with last, so that the same tensor is not wrapped again in each step."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._known: dict[str, tuple[Any, Optional[tuple[int, Any]], Array]] = {}
        self._converted: dict[str, Any] = {}

    def array(self, name: str, source: Any, dtype: str, size: int, stream: Optional[StreamLike]) -> int:
        """Returns the handle of an input of a type. Values of another type or device are copied."""
        if isinstance(source, Array):
            return source._handle
        known = self._known.get(name)
        at = _place(source)
        if known is not None and known[0] is source and at is not None and known[1] == at:
            return known[2]._handle
        array = self._wrap(name, source, dtype, size, stream)
        if array is not self._converted.get(name):
            self._known[name] = (source, at, array)  # also keeps it during the call
        return array._handle

    def _wrap(self, name: str, source: Any, dtype: str, size: int, stream: Optional[StreamLike]) -> Array:
        if _type_name(source) == dtype and hasattr(source, "__dlpack__"):
            try:
                return from_dlpack(source, self._device, stream)
            except (errors.DeviceMismatchError, errors.UnsupportedError, BufferError):
                pass  # of the host, or read-only in an old NumPy: copied below
        return self._copy(name, source, dtype, size, stream)

    def _copy(self, name: str, source: Any, dtype: str, size: int, stream: Optional[StreamLike]) -> Array:
        """Copies into an array that stays the same, because each further array would be another graph."""
        if hasattr(source, "__cuda_array_interface__"):
            return self._convert_there(name, source, dtype, stream)
        values = np.asarray(source.cpu() if hasattr(source, "cpu") else source)
        if values.size != size:
            raise errors.ArgumentError(
                f"{name} has {values.size} elements", operation=f"use {name}", argument=name, value=str(list(values.shape)),
                allowed=f"{size} elements",
            )
        array = self._converted.get(name)
        if array is None:
            array = self._converted[name] = zeros(size, dtype, self._device)
        array.write(values.reshape(-1) if values.dtype.kind != "f" or dtype != "int32" else values.reshape(-1) != 0, stream)
        return array

    def _convert_there(self, name: str, source: Any, dtype: str, stream: Optional[StreamLike]) -> Array:
        """Converts a tensor of torch on a CUDA device into one that stays the same."""
        kept = self._converted.get(name)
        if kept is None:
            tensor = source.to(dtype=getattr(__import__("torch"), dtype)).contiguous().clone()
            kept = self._converted[name] = from_dlpack(tensor, self._device, stream)
            self._converted[name + " tensor"] = tensor
        else:
            self._converted[name + " tensor"].copy_(source)
        return kept

    def close(self) -> None:
        """Lets go of all inputs."""
        for array in [known[2] for known in self._known.values()]:
            array.close()
        for kept in self._converted.values():
            if isinstance(kept, Array):
                kept.close()
        self._known.clear()
        self._converted.clear()

    def mask(self, mask: Any, size: int, stream: Optional[StreamLike]) -> int:
        """Returns the handle of a mask: int32 [E] goes in without a copy, bool and other integers are converted."""
        return self.array("mask", mask, "int32", size, stream)


def _place(source: Any) -> Optional[tuple[int, Any]]:
    """Returns where the memory of a tensor is, and its shape, to notice that it was replaced."""
    pointer = getattr(source, "data_ptr", None)
    if pointer is not None:
        return pointer(), source.shape
    if isinstance(source, np.ndarray):
        return source.__array_interface__["data"][0], source.shape
    return None


def _type_name(source: Any) -> str:
    return str(getattr(source, "dtype", "")).rpartition(".")[2]
