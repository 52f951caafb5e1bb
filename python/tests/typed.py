"""A program for the type checker: what users write has types."""

from __future__ import annotations

import numpy as np

import trackgen
from trackgen import exec


def main() -> float:
    with trackgen.open("cpu", workers=2) as device:
        config = trackgen.TrackConfig(num_envs=8, generator="hull", road={"half_width": 0.2})
        config.road.half_width = 0.1
        generator = trackgen.TrackGenerator(device, config, seed=1)
        tracks = generator.generate()
        center: trackgen.Array = tracks.center
        shape: tuple[int, ...] = center.shape
        with exec.unconditional(), exec.LaunchContext(device):
            generator.regenerate(np.ones(8, bool))
        race = trackgen.Race(device, trackgen.RaceConfig(tracks=config))
        reward = race.step(np.zeros((8, 1, 2), np.float32)).outcomes.reward.numpy()
        seed: int = trackgen.effective_seed(1, 2)
        return float(reward.sum()) + seed + len(shape)
