"""Courses: what happens to agents on the tracks or gates of each env."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Optional

from . import _library, errors
from ._library import lib
from ._producer import Producer, Seeds
from ._results import Results
from .array import Array, from_dlpack
from .config import CourseConfig

if TYPE_CHECKING:
    from ._context import StreamLike


_NEEDED = {
    "contacts": 'collision={"method": "segments"} or "sdf"', "others": 'collision={"agents": True}',
    "observations": "settings of observe, such as observe={'vector': True, 'motion': ['speed'], 'beams': 16}",
    "places": 'localize={"enabled": True}', "posts": 'posts={"radius": ...}', "frames": 'frames={"enabled": True}',
}
"""Settings without which a group of results is not there."""


class Driven(Producer):
    """A producer with results in groups, and with agents: a course or a race."""

    def _load(self) -> None:
        super()._load()
        self._bound: dict[str, Array] = {}
        self._rebound = False
        self._num_agents = int(self.config["agents"])
        kind = type(self).__name__
        self._results = {
            name: Results(arrays, f"the {name} of a {kind}") for name, arrays in self._groups.items() if name
        }

    def __getattr__(self, name: str) -> Any:
        results = self.__dict__.get("_results", {})
        if name in results:
            return results[name]
        single = self.__dict__.get("_groups", {}).get("", {})
        if name in single:
            return single[name]
        if results and name in _NEEDED:
            raise AttributeError(f"this {type(self).__name__} has no {name!r}; its configuration needs {_NEEDED[name]}")
        known = f"; its results are {', '.join([*results, *single])}" if results else ""
        raise AttributeError(f"a {type(self).__name__} has no {name!r}{known}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._results, *self._groups.get("", {})]

    @property
    def num_agents(self) -> int:
        """The number of agents of each env A."""
        return self._num_agents

    @property
    def results(self) -> dict[str, Any]:
        """The groups of results by name, and the results without a group. Each is an attribute, too."""
        return {**self._results, **self._groups.get("", {})}

    def regenerate(self, mask: Any = None, advance: bool = True, *, stream: Optional[StreamLike] = None) -> None:
        """Makes new tracks or gates for the envs whose mask is not 0, and puts their agents to the start.

        :param mask: [E], of torch, NumPy, JAX or an Array; None stands for all envs. int32 on the device goes in without a
            copy; bool, floats and other integers are converted first.
        :param advance: begins the next epoch of these envs before; without it they get the same tracks again.
        """
        self._regenerate(mask, advance, stream)

    def reset(self, mask: Any = None, *, stream: Optional[StreamLike] = None) -> None:
        """Puts the agents of the envs whose mask is not 0 back to the start; None stands for all envs."""
        if self._pending is not None:
            self._settle()
        handle = 0 if mask is None else self._inputs.mask(mask, self.num_envs, stream)
        _library.check(lib.tg_reset(self._handle, handle, self._context(stream)))

    def _bind(self, name: str, source: Any, shape: tuple[int, ...]) -> None:
        self._settle()
        _check_input(name, source, shape)
        array = from_dlpack(source, self._device)
        _library.check(lib.tg_bind(self._handle, name.encode(), array._handle))
        self._bound[name] = array  # until another one is bound

    def close(self) -> None:
        """Closes the producer. Arrays and views of its results keep their memory."""
        super().close()
        self._bound.clear()


class Course(Driven):
    """Follows agents on a batch of tracks or gates: checkpoints passed, laps, contacts, places along the line.

    ::

        config = trackgen.CourseConfig(tracks={"num_envs": 512}, checkpoints={"spacing": 0.6})
        course = trackgen.Course(device, config, seed=1)
        course.bind(position=position)  # float32 [E, A, 3], which the simulator writes
        course.step()
        course.events.passed  # int32 [E, A]

    The results are groups of arrays, as attributes, and ``print(course.events)`` lists one. There are ``tracks`` or
    ``gates``, ``checkpoints`` and ``events`` (checkpoints passed, laps, ranks); and, if the configuration has the setting,

    - ``contacts`` with borders: ``collision={"method": "segments"}``, or ``"sdf"``
    - ``others``, contacts of agents of an env with each other: ``collision={"agents": True}``
    - ``places`` along the line and beside it: ``localize={"enabled": True}``
    - ``frames`` of gates that were passed or hit: ``frames={"enabled": True}``; ``posts``: ``posts={"radius": 0.02}``

    The first batch is there after the constructor; ``regenerate`` makes others.

    :param config: a CourseConfig, or a dict of settings as configuration files have it.

    The other parameters are those of :class:`trackgen.TrackGenerator`.
    """

    _kind = "course"
    _config = CourseConfig

    def generate(self, seeds: Optional[Seeds] = None, *, stream: Optional[StreamLike] = None) -> Results:
        """Makes the batch of the current seeds and epochs, puts all agents to the start, and returns the tracks or gates."""
        self._generate(seeds, stream)
        return self._results["tracks" if "tracks" in self._results else "gates"]

    def bind(
        self, position: Any, orientation: Any = None, half_extents: Any = None, box_position: Any = None
    ) -> None:
        """Makes arrays the inputs of all later steps. The course keeps them until others are bound.

        Contacts need ``orientation`` and ``half_extents``. B, the number of boxes of an env, is A unless ``config.boxes`` says
        otherwise.

        :param position: float32 [E, A, 3] in track units, where the agents are; NaN stands for an agent that is not there.
        :param orientation: float32 [E, B, 4], quaternions (x, y, z, w) of the boxes.
        :param half_extents: float32 [E, B, 2], half of the length and half of the width of the boxes.
        :param box_position: float32 [E, B, 3]; by default the boxes are at the agents.

        Each is an Array, or a contiguous float32 tensor of torch or NumPy on the device: each step reads its memory as it is
        then. If others are bound after a step was recorded, the next step warns with
        :class:`trackgen.errors.RebindAfterCaptureWarning`.
        """
        given = {
            "position": position, "orientation": orientation, "half_extents": half_extents, "box_position": box_position
        }
        config = self.config
        boxes = int(config.get("boxes") or self._num_agents)
        contacts = config["collision"]["method"] != "none" or config["collision"]["agents"] or config["posts"]["radius"] > 0
        for name in ("orientation", "half_extents") if contacts else ():
            if given[name] is None and name not in self._bound:
                raise errors.ArgumentError(
                    f"{name} is missing: the contacts of this course need it", operation="bind", argument=name, value="None",
                    allowed=f"float32 {[self.num_envs, boxes, _WIDTHS[name]]}",
                )
        for name, source in given.items():
            if source is not None:
                count = self._num_agents if name == "position" else boxes
                self._bind(name, source, (self.num_envs, count, _WIDTHS[name]))
        self._rebound = True  # the library binds them together, in the next step

    def step(self, *, stream: Optional[StreamLike] = None) -> Driven:
        """Finds what has happened since the last step: fills ``events``, ``contacts``, ``places``. Returns the course."""
        if self._pending is not None:
            self._settle()
        status = lib.tg_step(self._handle, self._context(stream))
        if status:
            raise _library.last_error(status)
        if self._rebound:
            self._rebound = False
            _library.emit_warnings()
        return self

    def _describe(self) -> str:
        return f"{super()._describe()}, {', '.join(self._results)}"


_WIDTHS = {"position": 3, "orientation": 4, "half_extents": 2, "box_position": 3}
"""The last size of the inputs of a course."""


def fitting_shapes(shape: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Returns the shapes in which elements lie as in shape, if leading indices are joined."""
    size = math.prod(shape)
    return shape, (size // shape[-1], shape[-1]), (size,)


def _check_input(name: str, source: Any, shape: tuple[int, ...]) -> None:
    """Refuses an input of another type or shape. Leading indices may be joined: [E * A, 3] stands for [E, A, 3]."""
    given = tuple(getattr(source, "shape", shape))
    kind = str(getattr(source, "dtype", "float32")).rpartition(".")[2]
    if given not in fitting_shapes(shape) or kind != "float32":
        raise errors.ArgumentError(
            f"{name} is {kind} {list(given)}, and has to be float32 {list(shape)}", operation=f"bind {name}", argument=name,
            value=f"{kind} {list(given)}", allowed=f"float32 {list(shape)}",
        )
