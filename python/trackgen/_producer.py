"""What generators, courses and races have in common."""

from __future__ import annotations

import ctypes
import json
import operator
import os
from typing import TYPE_CHECKING, Any, ClassVar, Mapping, Optional, Sequence, Union

import numpy as np

from . import _context, _dlpack, _library, _results, errors
from ._handles import Owned, interruptible
from ._inputs import Inputs
from ._library import NewOptions, lib
from ._settings import Configuration
from .array import Array
from .device import Device, device_of
from .seeds import SeedState

if TYPE_CHECKING:
    from ._context import StreamLike

Seeds = Union[int, Sequence[int], np.ndarray[Any, Any]]
_INT32 = (-(2**31), 2**31)
_PIXELS = (16, 4096)


class Producer(Owned):
    """Fills arrays on a device, its results.

    One thread at a time uses a producer; a second one gets :class:`trackgen.errors.ConcurrentUseError`.
    """

    _kind: ClassVar[str]
    _config: ClassVar[type[Configuration]]

    def __init__(
        self,
        device: Union[Device, str],
        config: Union[Configuration, Mapping[str, Any], None] = None,
        *,
        seed: int = 0,
        seeds: Optional[Seeds] = None,
        epoch: int = 0,
        stream: Optional[StreamLike] = None,
    ) -> None:
        given = self._configuration(config)
        self._pending: Any = None
        self._device, self._owns_device = device_of(device)
        self._stream = None if stream is None else _context.raw_stream(stream, self._device.dl_device[1])[0]
        self._options, self._values = _new_options(seed, seeds, epoch)
        try:
            self._open = self._make(given)
            self._load()
        except BaseException:
            self._abort()
            raise
        _library.emit_warnings()

    def _abort(self) -> None:
        if self._open:
            lib.tg_close(self._open)
            self._open = 0
        if self._owns_device:
            self._device.close()

    def _configuration(self, config: Union[Configuration, Mapping[str, Any], None]) -> bytes:
        if config is None:
            return b"{}"
        if isinstance(config, Mapping):
            return self._config.from_dict(config)._json()
        if not isinstance(config, self._config):
            raise TypeError(f"config is a {self._config.__name__} or a dict, not a {type(config).__name__}")
        return config._json()

    def _make(self, config: bytes) -> int:
        options, device = self._options, self._device._handle

        def make(context: int) -> int:
            return _library.handle(lib.tg_new, device, self._kind.encode(), config, ctypes.byref(options), context)

        return int(self._long(make, lib.tg_close))

    def _load(self) -> None:
        self._groups = _results.of_producer(self._device, self._handle)
        self._inputs = Inputs(self._device)
        seeds = self._groups.get("seeds", self._groups.get("tracks", self._groups.get("gates", self._groups.get("", {}))))
        self.seeds = SeedState(self, seeds)

    def _long(self, call: Any, dispose: Any) -> Any:
        """Makes a call that may take seconds, so that Ctrl-C interrupts it."""
        self._settle()
        outer = self._context()
        scope = _context.current.get()
        if outer and scope is not None and (scope.parent or scope.capturing):
            return call(outer)  # another library's capture belongs to this thread
        context = _context.make(self._device._handle, _context.NOTHING, None, False, outer)
        try:
            return interruptible(lambda: lib.tg_cancel(context), lambda: call(context), dispose)
        except KeyboardInterrupt as interrupt:
            self._pending = getattr(interrupt, "trackgen_pending", None)
            raise
        finally:
            lib.tg_close(context)

    def _settle(self) -> None:
        """Waits for a call that was interrupted and is still running."""
        if self._pending is not None:
            self._pending.wait()
            self._pending = None

    def _context(self, stream: Optional[StreamLike] = None) -> int:
        return _context.of_call(self._device, stream, self._stream)

    @property
    def device(self) -> Device:
        """The device that holds the results."""
        return self._device

    @property
    def config(self) -> dict[str, Any]:
        """All settings, with those that are derived from others, as a dict of the names in configuration files."""
        settings: dict[str, Any] = _library.data(lib.tg_config, self._handle)
        return settings

    @property
    def num_envs(self) -> int:
        """The number of envs E, the first size of every result."""
        return self.seeds.num_envs

    def _generate(self, seed: Optional[Seeds], stream: Optional[StreamLike]) -> None:
        self._settle()
        if seed is not None:
            self.seeds.set(seed)
        if stream is not None or self._device.dl_device[0] == _dlpack.CUDA:  # emits, and does not wait
            _library.check(lib.tg_generate(self._handle, self._context(stream)))
        else:
            handle = self._handle
            self._long(lambda context: _library.check(lib.tg_generate(handle, context)), lambda _: None)
        _library.emit_warnings()

    def _regenerate(self, mask: Any, advance: bool, stream: Optional[StreamLike]) -> None:
        self._settle()
        handle = 0 if mask is None else self._inputs.mask(mask, self.num_envs, stream)
        _library.check(lib.tg_regenerate(self._handle, handle, int(not advance), self._context(stream)))
        _library.emit_warnings()

    def save(
        self, path: Union[str, bytes, os.PathLike[Any]], *, envs: Optional[Sequence[int]] = None,
        format: Optional[str] = None,
    ) -> None:
        """Writes the tracks or gates of the batch to a file, as ``trackgen generate --out`` does, and waits for it.

        :param path: the file, whose folder is there. Its ending says the format: ``.npz``, which ``numpy.load`` reads; ``.json``
            or ``.csv``, the points as text; ``.png`` or ``.svg``, a picture of up to 64 envs.
        :param envs: the envs to write, by default all.
        :param format: ``"npz"`` and so on, in place of the ending.
        :raises FailedError: the file cannot be written. It is an OSError.
        """
        options = {"envs": None if envs is None else [operator.index(env) for env in envs], "format": format}
        name = os.fsencode(path)
        if b"\0" in name:
            raise ValueError(f"the path has a null character: {path!r}")
        text = json.dumps({name: value for name, value in options.items() if value is not None}).encode()
        handle = self._handle
        self._long(
            lambda context: _library.check(lib.tg_save(handle, name, text, context)), lambda _: None
        )

    def render(
        self, env: int = 0, *, width: int = 400, height: int = 400, stream: Optional[StreamLike] = None
    ) -> np.ndarray[Any, Any]:
        """Draws an env from above, and waits for it: the road or the gates, and the vehicles of a race with dark fronts.

        Returns uint8 [height, width, 3], red, green and blue. Both sides have 16 to 4096 pixels.
        """
        self._settle()
        env, width, height = int32(env, "env"), pixels(width, "width"), pixels(height, "height")
        picture = np.empty((height, width, 3), np.uint8)
        context = self._context(stream)
        status = lib.tg_render(
            self._handle, env, width, height, None, picture.ctypes.data, picture.nbytes, context
        )
        _library.check(status)
        return picture

    def close(self) -> None:
        """Closes the producer. Arrays and views of its results keep their memory."""
        self._settle()
        super().close()
        self._inputs.close()
        if self._owns_device:
            self._device.close()

    def _describe(self) -> str:
        return f"{self.num_envs} envs on {self._device.name}"

    def __repr__(self) -> str:
        state = "closed " if self.closed else ""
        return f"<{state}{type(self).__name__}: {self._describe()}>"


def int32(value: Any, name: str) -> int:
    """Returns an int that fits, or raises ArgumentError."""
    if isinstance(value, bool) or not _is_whole(value):
        raise TypeError(f"{name} is an int, not {value!r}")
    number = int(value.__index__())
    if not _INT32[0] <= number < _INT32[1]:
        raise errors.ArgumentError(
            f"{name} is {number}, and has to fit into 32 bits", operation="use a seed", argument=name, value=str(number),
            allowed=f"[{_INT32[0]}, {_INT32[1] - 1}]",
        )
    return number


def pixels(value: Any, name: str) -> int:
    """Returns a side of a picture, or raises ArgumentError."""
    side = int32(value, name)
    if not _PIXELS[0] <= side <= _PIXELS[1]:
        raise errors.ArgumentError(
            f"{name} is {side}: must be {_PIXELS[0]} to {_PIXELS[1]} pixels", operation="render", argument=name,
            value=str(side), allowed=f"{_PIXELS[0]} to {_PIXELS[1]} pixels",
        )
    return side


def _is_whole(value: Any) -> bool:
    return hasattr(value, "__index__") and not getattr(value, "shape", ())


def _new_options(seed: int, seeds: Optional[Seeds], epoch: int) -> tuple[NewOptions, Any]:
    options = NewOptions(size=ctypes.sizeof(NewOptions), seed=int32(seed, "seed"), epoch=int32(epoch, "epoch"))
    if seeds is None:
        return options, None
    if _is_whole(seeds):
        options.seed = int32(seeds, "seeds")
        return options, None
    values = _seed_values(seeds)
    options.seeds = values.ctypes.data_as(ctypes.POINTER(ctypes.c_int32))
    options.seed_count = values.size
    return options, values


def _seed_values(seeds: Any) -> np.ndarray[Any, Any]:
    values = np.asarray(seeds.seeds.numpy() if isinstance(seeds, SeedState) else seeds)
    if values.dtype.kind not in "iu" or values.ndim != 1:
        raise errors.ArgumentError(
            f"seeds are {values.dtype} {list(values.shape)}", operation="use seeds", argument="seeds",
            value=f"{values.dtype} {list(values.shape)}", allowed="an int, or one int for each env",
        )
    if values.size and not (_INT32[0] <= int(values.min()) and int(values.max()) < _INT32[1]):
        raise errors.ArgumentError(
            "a seed does not fit into 32 bits", operation="use seeds", argument="seeds",
            value=f"{values.min()} to {values.max()}", allowed=f"[{_INT32[0]}, {_INT32[1] - 1}]",
        )
    return np.ascontiguousarray(values, np.int32)
