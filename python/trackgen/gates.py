"""Batches of gate courses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

from ._producer import Producer, Seeds
from ._results import Results
from .config import GateConfig

if TYPE_CHECKING:
    from ._context import StreamLike


class GateGenerator(Producer):
    """Generates batches of gate courses: a sequence of gates for each env.

    :param device: a device of ``trackgen.open``, or its name; then the generator closes it.
    :param config: a GateConfig, or a dict of settings as configuration files have it; by default the defaults.

    The other parameters are those of :class:`trackgen.TrackGenerator`.
    """

    _kind = "gates"
    _config = GateConfig

    def _load(self) -> None:
        super()._load()
        self.gates = Results(self._groups[""], "the results of a gate generator")
        """The results: ``gates.position`` and so on. Each is the same memory after every call."""

    def generate(self, seeds: Optional[Seeds] = None, *, stream: Optional[StreamLike] = None) -> Results:
        """Makes the batch of the current seeds and epochs, and returns ``gates``. See ``TrackGenerator.generate``."""
        self._generate(seeds, stream)
        return self.gates

    def regenerate(self, mask: Any = None, advance: bool = True, *, stream: Optional[StreamLike] = None) -> Results:
        """Makes new courses for the envs whose mask is not 0. See ``TrackGenerator.regenerate``."""
        self._regenerate(mask, advance, stream)
        return self.gates
