"""The race of an environment, with its arrays as NumPy or torch has them."""

from __future__ import annotations

from typing import Any, Literal, Mapping, Optional, Sequence, Union

import numpy as np

from .. import _dlpack
from ..array import Array, zeros
from ..config import RaceConfig
from ..device import Device
from ..race import Race

Mode = Literal["numpy", "torch"]
REASONS = ("off_road", "wrong_way", "stuck", "collision", "laps", "time", "env")
"""What the bits of ``reasons`` say of the end of an episode, the lowest first. ``env``: other agents have ended it."""


class RaceArrays:
    """A race and views of its arrays: of NumPy in host memory, or of torch on the device."""

    def __init__(self, device: Union[Device, str], config: RaceConfig, seed: Any, mode: Mode) -> None:
        if mode not in ("numpy", "torch"):
            raise ValueError(f'mode is {mode!r}, and has to be "numpy" or "torch"')
        self.torch = mode == "torch"
        self.race = Race(device, config, **_seeds(seed))
        self.host = self.race.device.dl_device[0] == _dlpack.CPU
        try:
            self._view_all()
        except BaseException:
            self.race.close()
            raise

    def _view_all(self) -> None:
        race = self.race
        envs, self.agents, self.width = race.observations.vector.shape
        self.channels = 4 if "drone" in race.config["vehicle"].get("model", "") else 2
        self.step_time = float(race.config["vehicle"]["time_step"])
        self._actions = zeros((envs, self.agents, self.channels), "float32", race.device)
        race.bind(self._actions)
        if self.host or self.torch:
            self.actions = self.view(self._actions)
        outcomes = race.outcomes
        self.observation = race.observations.vector
        self.outcomes = {
            name: outcomes[name]
            for name in ("reward", "terminated", "truncated", "done", "return", "length", "laps", "best_lap", "reasons")
        }
        if self.host or self.torch:
            self.observation = self.view(self.observation)
            self.outcomes = {name: self.view(array) for name, array in self.outcomes.items()}
        # Views of views take time in each step, so they are made once.
        self._first = {} if not self.host and not self.torch else {
            name: array if name == "done" else array[:, 0] for name, array in self.outcomes.items()
        }

    def view(self, array: Array) -> Any:
        """Returns a tensor or an array of the same memory."""
        return array.torch() if self.torch else array.numpy()

    def get(self, name: str) -> Any:
        """Returns an outcome: a view of the device's memory, or a copy if NumPy cannot see that."""
        return _seen(self.outcomes[name])

    def first(self, name: str) -> Any:
        """Returns an outcome of the first agent of each env [E], as get does."""
        if self._first:
            return self._first[name]
        return self.get(name) if name == "done" else self.get(name)[:, 0]

    def observed(self) -> Any:
        """Returns the vectors of observations [E, A, W], as get does."""
        return _seen(self.observation)

    def step(self, actions: Any) -> None:
        """Makes a step. actions are [E, A, C]."""
        if self.torch:
            self.actions.copy_(actions)
        elif self.host:
            np.copyto(self.actions, actions, casting="same_kind")
        else:
            self._actions.write(actions)
        self.race.step(stream=self.stream)

    @property
    def stream(self) -> Optional[str]:
        """The stream of calls, None for that of the device."""
        return "torch" if self.torch and not self.host else None

    def seed(self, seed: Union[int, Sequence[int]]) -> None:
        """Begins the first episodes of other seeds."""
        given = _seeds(seed)
        values = given["seeds"] if "seeds" in given else np.arange(self.race.num_envs, dtype=np.int64) + given["seed"]
        self.race.seeds.set((values & 0x7FFFFFFF).astype(np.int32))

    def layout(self) -> dict[str, slice]:
        """Returns which values of the vectors are what: motion, preview, gates and scans, of these what there is."""
        parts, first = {}, 0
        for name in ("motion", "preview", "gates", "scans"):
            if name in self.race.observations:
                size = int(np.prod(self.race.observations[name].shape[2:]))
                parts[name] = slice(first, first + size)
                first += size
        return parts


def _seen(array: Any) -> Any:
    return array.read() if isinstance(array, Array) else array


def _seeds(seed: Any) -> dict[str, Any]:
    """Returns the argument of a Race for a seed or a list of one for each env. Seeds have 31 bits; others are cut off."""
    if isinstance(seed, (bool, float)) or seed is None:
        raise TypeError(f"seed is {seed!r}, and has to be an int, or one int for each env")
    values = np.asarray(seed)
    if values.ndim == 0 and hasattr(seed, "__index__"):
        return {"seed": int(seed) & 0x7FFFFFFF}
    if values.ndim != 1 or values.dtype.kind not in "iu":
        raise ValueError(f"seed is {seed!r}, and has to be an int, or one int of 64 bits for each env")
    return {"seeds": (values.astype(np.int64) & 0x7FFFFFFF)}


def reasons_of(bits: int) -> list[str]:
    """Returns the names of the reasons for the end of an episode."""
    return [name for bit, name in enumerate(REASONS) if int(bits) >> bit & 1]


def mask_of(options: Optional[Mapping[str, Any]], envs: int) -> Any:
    """Returns options["reset_mask"], of NumPy or torch, None if there is none. Other options are refused."""
    for name in options or {}:
        if name != "reset_mask":
            raise ValueError(f"the option {name!r} is unknown: there is reset_mask, bool [num_envs]")
    mask = (options or {}).get("reset_mask")
    if mask is None:
        return None
    kind = str(getattr(mask, "dtype", "")).rpartition(".")[2]
    if kind != "bool" or tuple(mask.shape) != (envs,):
        raise ValueError(f"options['reset_mask'] has to be bool [{envs}] of NumPy or torch")
    if not bool(mask.any()):
        raise ValueError("options['reset_mask'] is False for every env")
    return mask
