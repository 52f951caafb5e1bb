"""Batches of race tracks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

from ._producer import Producer, Seeds
from ._results import Results
from .config import TrackConfig

if TYPE_CHECKING:
    from ._context import StreamLike


class TrackGenerator(Producer):
    """Generates batches of tracks: E closed roads at once, one for each env, on the device.

    ::

        device = trackgen.open("cpu")
        generator = trackgen.TrackGenerator(device, trackgen.TrackConfig(num_envs=4096), seed=1)
        tracks = generator.generate()
        tracks.center.numpy()  # float32 [E, N_max, 3], NaN from tracks.count on

    :param device: a device of ``trackgen.open``, or its name; then the generator closes it.
    :param config: a TrackConfig, or a dict of settings as configuration files have it; by default the defaults.
    :param seed: env e has the seed ``seed + e``.
    :param seeds: one int32 for each env, in its place.
    :param epoch: another epoch makes other tracks of the same seeds.
    :param stream: the stream of calls that name none; by default that of the device.
    """

    _kind = "tracks"
    _config = TrackConfig

    def _load(self) -> None:
        super()._load()
        self.tracks = Results(self._groups[""], "the results of a track generator")
        """The results: ``tracks.center`` and so on. Each is the same memory after every call."""

    def generate(self, seeds: Optional[Seeds] = None, *, stream: Optional[StreamLike] = None) -> Results:
        """Makes the batch of the current seeds and epochs, and returns ``tracks``.

        :param seeds: replaces the seeds before, as ``generator.seeds.set`` does: an int, or one for each env.
        """
        self._generate(seeds, stream)
        return self.tracks

    def regenerate(self, mask: Any = None, advance: bool = True, *, stream: Optional[StreamLike] = None) -> Results:
        """Makes new tracks for the envs whose mask is not 0, and returns ``tracks``.

        :param mask: [E], of torch, NumPy, JAX or an Array; None stands for all envs. int32 on the device goes in without a
            copy; bool, floats and other integers are converted first.
        :param advance: begins the next epoch of these envs before; without it they get the same tracks again.
        """
        self._regenerate(mask, advance, stream)
        return self.tracks
