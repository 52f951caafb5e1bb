"""The results of a producer, as attributes: ``course.events.passed``."""

from __future__ import annotations

import ctypes
import difflib
from typing import Any, Iterator, Mapping

import numpy as np

from . import _library
from ._library import lib
from .array import Array, new_info
from .device import Device


class Results(Mapping[str, Array]):
    """Arrays by name. ``results.center`` and ``results["center"]`` are the same array.

    The arrays are those of the producer: each is always the same memory, which the producer's next call writes again.
    ``numpy()`` returns copies of all.
    """

    _arrays: dict[str, Array]
    _of: str

    def __init__(self, arrays: Mapping[str, Array], of: str) -> None:
        self.__dict__["_arrays"] = dict(arrays)
        self.__dict__["_of"] = of

    def __getattr__(self, name: str) -> Array:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._arrays[name]
        except KeyError:
            raise AttributeError(f"{self._of} have no {name!r}{_nearest(name, self._arrays)}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{self._of} are written by the library; {name} cannot be replaced")

    def __getitem__(self, name: str) -> Array:
        try:
            return self._arrays[name]
        except KeyError:
            raise KeyError(f"{self._of} have no {name!r}{_nearest(name, self._arrays)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._arrays]

    def __repr__(self) -> str:
        lines = [f"{self._of}:"]
        for name, array in self._arrays.items():
            unit = f" [{array.unit}]" if array.unit else ""
            lines.append(f"  {name:20} {array.dtype} {list(array.shape)}{unit}  {array.doc}")
        return "\n".join(lines)

    def numpy(self) -> dict[str, np.ndarray[Any, Any]]:
        """Returns a copy of every array in host memory, by name."""
        return {name: array.read() for name, array in self._arrays.items()}

    def close(self) -> None:
        """Closes the arrays. Views keep the memory."""
        for array in self._arrays.values():
            array.close()


def _nearest(name: str, names: Mapping[str, Any]) -> str:
    close = difflib.get_close_matches(name, list(names), 1)
    return f"; did you mean {close[0]!r}?" if close else f"; there are {', '.join(names)}"


def of_producer(device: Device, producer: int) -> dict[str, dict[str, Array]]:
    """Returns the results of a producer by their group, the part of the name before the first point, or ""."""
    count = ctypes.c_int32()
    _library.check(lib.tg_result_count(producer, ctypes.byref(count)))
    groups: dict[str, dict[str, Array]] = {}
    for index in range(count.value):
        info = new_info()
        _library.check(lib.tg_result_at(producer, index, ctypes.byref(info)))
        array = Array(device, info)
        group, _, leaf = array.name.rpartition(".")
        groups.setdefault(group, {})[leaf] = array
    return groups
