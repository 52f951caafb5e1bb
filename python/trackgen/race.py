"""Races: vehicles on a course, rewards, episodes and observations."""

from __future__ import annotations

import ctypes
import math
from typing import TYPE_CHECKING, Any, Optional

from . import _library, errors
from ._handles import Owned
from ._library import lib
from .array import Array, new_info
from .config import RaceConfig
from .course import Driven, fitting_shapes

if TYPE_CHECKING:
    from ._context import StreamLike


class Race(Driven):
    """Vehicles that race on a batch of tracks or gates: everything between a track and a learning agent.

    ::

        race = trackgen.Race(device, trackgen.RaceConfig(tracks={"num_envs": 512, "scale": 10}), seed=1)
        race.step(actions)  # float32 [E, A, C], each -1 to 1
        race.outcomes.reward.numpy()  # float32 [E, A]

    The results are groups of arrays, as attributes: ``state`` of the vehicles, ``outcomes`` (rewards, ends), ``totals`` of all
    episodes, ``parameters`` of the vehicles, those of a :class:`trackgen.Course`, and, with settings of ``observe``,
    ``observations``. ``print(race.outcomes)`` lists one. ``episodes``, int32 [E], counts the episodes of each env.

    A step in which an episode ends has ``outcomes.done`` 1; the next step begins another one, on a new track unless
    ``autoreset`` says otherwise.

    :param config: a RaceConfig, or a dict of settings as configuration files have it.

    The other parameters are those of :class:`trackgen.TrackGenerator`.
    """

    _kind = "race"
    _config = RaceConfig

    def _load(self) -> None:
        super()._load()
        channels = 4 if self.config["vehicle"]["model"] == "drone" else 2
        self._actions_shape = (self.num_envs, self._num_agents, channels)
        self._actions_shapes = fitting_shapes(self._actions_shape)
        self._actions_size = math.prod(self._actions_shape)

    @property
    def num_actions(self) -> int:
        """The number of actions of an agent C: 2 of a car, 4 of a drone."""
        return self._actions_shape[2]

    def bind(self, actions: Any) -> None:
        """Makes an array the actions of all later steps: float32 [E, A, C], each -1 to 1.

        It is an Array, or a contiguous float32 tensor of torch or NumPy on the device: each step reads its memory as it is
        then.
        """
        self._bind("actions", actions, self._actions_shape)
        _library.emit_warnings()

    def step(self, actions: Any = None, *, stream: Optional[StreamLike] = None) -> Race:
        """Moves the vehicles by the actions, and fills the results. Returns the race.

        :param actions: float32 [E, A, C], each -1 to 1; of a car steering, to the left above 0, and drive. None stands for
            those that are bound. An array on the device goes in without a copy.
        """
        if self._pending is not None:
            self._settle()
        context = self._context(stream)
        if actions is None:
            status = lib.tg_step(self._handle, context)
        else:
            shape = getattr(actions, "shape", None)
            if shape is not None and shape not in self._actions_shapes:
                raise errors.ArgumentError(
                    f"actions are {list(shape)}, and have to be {list(self._actions_shape)}", operation="step",
                    argument="actions", value=str(list(shape)), allowed=str(list(self._actions_shape)),
                )
            handle = self._inputs.array("actions", actions, "float32", self._actions_size, stream)
            status = lib.tg_step_actions(self._handle, handle, context)
        if status:
            error = _library.last_error(status)
            if actions is None and not self._bound and isinstance(error, errors.ArgumentError):
                raise errors.ArgumentError(
                    "the step has no actions: give them, step(actions), or bind(actions) before", operation="step",
                    argument="actions", value="None", allowed=f"float32 {list(self._actions_shape)}",
                ) from error
            raise error
        return self

    def driver(self, part: float = 1.0) -> Driver:
        """Returns the reference driver of the vehicles, which wants this part of the speed that it finds safe, above 0."""
        return Driver(self, part)


class Driver(Owned):
    """Drives the vehicles of a race along the line: pure pursuit for cars, a flight controller for drones.

    Its actions are ``driver.actions``, float32 [E, A, C]. Bind them, or give them to ``race.step``.
    """

    def __init__(self, race: Race, part: float) -> None:
        self._race = race
        self._open = _library.handle(lib.tg_driver_new, race._handle, float(part), race._context())
        info = new_info()
        _library.check(lib.tg_result(self._handle, b"actions", ctypes.byref(info)))
        self.actions = Array(race.device, info)
        """float32 [E, A, C], written by ``update``."""

    def update(self, *, stream: Optional[StreamLike] = None) -> Array:
        """Finds the actions for the present state, and returns ``actions``."""
        _library.check(lib.tg_driver_update(self._handle, self._race._context(stream)))
        return self.actions

    def __repr__(self) -> str:
        return f"<Driver of {self._race!r}>"
