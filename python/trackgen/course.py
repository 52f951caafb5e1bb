"""Courses: what happens to agents on the tracks or gates of each env."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

from . import _library
from ._library import lib
from ._producer import Producer, Seeds
from ._results import Results
from .array import Array, from_dlpack
from .config import CourseConfig

if TYPE_CHECKING:
    from ._context import StreamLike


class Driven(Producer):
    """A producer with results in groups, and with agents: a course or a race."""



    def _load(self) -> None:
        super()._load()
        self._bound: dict[str, Array] = {}
        self._rebound = False
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
        known = f"; its results are {', '.join([*results, *single])}" if results else ""
        raise AttributeError(f"a {type(self).__name__} has no {name!r}{known}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._results, *self._groups.get("", {})]

    @property
    def results(self) -> dict[str, Any]:
        """The groups of results by name, and the results without a group. Each is an attribute, too."""
        return {**self._results, **self._groups.get("", {})}

    def regenerate(self, mask: Any = None, advance: bool = True, *, stream: Optional[StreamLike] = None) -> None:
        """Makes new tracks or gates for the envs whose mask is not 0, and puts their agents to the start.

        :param mask: [E], of torch, NumPy, JAX or an Array; None stands for all envs. int32 on the device goes in without a
            copy; bool and other integers are converted first.
        :param advance: begins the next epoch of these envs before; without it they get the same tracks again.
        """
        self._regenerate(mask, advance, stream)

    def reset(self, mask: Any = None, *, stream: Optional[StreamLike] = None) -> None:
        """Puts the agents of the envs whose mask is not 0 back to the start; None stands for all envs."""
        if self._pending is not None:
            self._settle()
        handle = 0 if mask is None else self._inputs.mask(mask, self.num_envs, stream)
        _library.check(lib.tg_reset(self._handle, handle, self._context(stream)))

    def _bind(self, name: str, source: Any) -> None:
        self._settle()
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

    The results are groups of arrays, as attributes: ``tracks`` or ``gates``, ``events``, ``contacts``, ``places`` and
    others, according to the settings; ``results`` lists them.

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

        :param position: float32 [E, A, 3], where the agents are; NaN stands for an agent that is not there.
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
        for name, source in given.items():
            if source is not None:
                self._bind(name, source)
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


def _elements(source: Any) -> int:
    size = 1
    for length in getattr(source, "shape", ()):
        size *= int(length)
    return size
