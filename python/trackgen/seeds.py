"""Seeds and epochs: what an env's track is made from."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Mapping

import numpy as np

from . import _library
from ._library import lib

if TYPE_CHECKING:
    from ._producer import Producer, Seeds
    from .array import Array
    from .device import Device

_GOLDEN = 0x9E3779B9


def _pcg(state: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The output hash of a 32-bit PCG (M. Jarzynski and M. Olano, JCGT 9(3), 2020)."""
    state = np.asarray(state * np.uint32(747796405) + np.uint32(2891336453))
    word = ((state >> ((state >> np.uint32(28)) + np.uint32(4))) ^ state) * np.uint32(277803737)
    return np.asarray((word >> np.uint32(22)) ^ word)


def effective_seed(seed: Any, epoch: Any) -> Any:
    """Returns the seed that an env has in an epoch: the same bits as the device computes (rule R105).

    A generator with this seed makes the same track in epoch 0 as one with ``seed`` in ``epoch``. Takes ints or arrays of
    int32, which broadcast, and returns an int or an array of int32.
    """
    keys, rounds = _uint32(seed), _uint32(epoch)
    hashed = _pcg(keys ^ _pcg(rounds * np.uint32(_GOLDEN))) & np.uint32(0x7FFFFFFF)
    result = np.where(rounds == 0, keys, hashed).view(np.int32)
    return result if np.ndim(seed) or np.ndim(epoch) else int(result[0])


def _uint32(value: Any) -> np.ndarray[Any, Any]:
    values = np.atleast_1d(np.asarray(value))
    if values.dtype.kind not in "iu":
        raise TypeError(f"seeds and epochs are integers, not {values.dtype}")
    return (values.astype(np.int64) & 0xFFFFFFFF).astype(np.uint32)


class SeedState:
    """The seeds and epochs of a producer, int32 [E] each. They alone say which batch it makes."""

    def __init__(self, producer: Producer, arrays: Mapping[str, Array]) -> None:
        import weakref

        self._producer, self._device = weakref.ref(producer), producer.device
        self._seeds, self._epoch = arrays["seed"], arrays["epoch"]

    @property
    def seeds(self) -> Array:
        """The seed of each env, int32 [E], as of the last batch."""
        return self._seeds

    @property
    def epoch(self) -> Array:
        """The epoch of each env, int32 [E], as of the last batch: ``regenerate`` begins the next one."""
        return self._epoch

    @property
    def num_envs(self) -> int:
        """The number of envs E."""
        return self._seeds.shape[0]

    @property
    def device(self) -> Device:
        """The device that holds them."""
        return self._device

    def effective(self) -> np.ndarray[Any, Any]:
        """Waits, and returns the effective seed of each env, int32 [E], in host memory."""
        seeds: np.ndarray[Any, Any] = effective_seed(self._seeds.read(), self._epoch.read())
        return seeds

    def set(self, seeds: Seeds) -> None:
        """Replaces the seeds, and returns to epoch 0: one for each env, or an int k for k, k+1 and so on. Waits.

        The next ``generate`` makes the batch of them; a race begins anew with them at once.
        """
        from ._producer import _is_whole, _seed_values, int32

        producer = self._live()
        if _is_whole(seeds):
            first = int32(seeds, "seeds")
            seeds = ((np.arange(self.num_envs, dtype=np.int64) + first) & 0xFFFFFFFF).astype(np.uint32).view(np.int32)
        values = _seed_values(seeds)
        pointer = values.ctypes.data_as(ctypes.POINTER(ctypes.c_int32))
        _library.check(lib.tg_set_seeds(producer._handle, pointer, values.size, producer._context()))

    def set_epoch(self, epoch: int) -> None:
        """Sets the epoch of all envs. Waits. The next ``generate`` makes the batch of it."""
        from ._producer import int32

        producer = self._live()
        _library.check(lib.tg_set_epoch(producer._handle, int32(epoch, "epoch"), producer._context()))

    def reset_epoch(self) -> None:
        """Returns all envs to epoch 0. Waits."""
        self.set_epoch(0)

    def _live(self) -> Producer:
        producer = self._producer()
        if producer is None:
            raise ReferenceError("the producer of these seeds is gone")
        producer._settle()
        return producer

    def __repr__(self) -> str:
        return f"<SeedState of {self.num_envs} envs on {self._device.name}>"
