"""Checks of the package with the torch of a machine with a GPU. make test-gpu runs it; it needs nothing but torch and NumPy.

    python gpu_torch.py
"""

from __future__ import annotations

import sys
import traceback
from typing import Any, Callable

import numpy as np
import torch

import trackgen
from trackgen.interop.torch import registered

ENVS = 256


def config() -> trackgen.TrackConfig:
    """Returns the tracks of all checks."""
    return trackgen.TrackConfig(num_envs=ENVS, generator="hull")


def done() -> Any:
    """Returns a mask with every tenth env."""
    mask = torch.zeros(ENVS, dtype=torch.int32, device="cuda")
    mask[::10] = 1
    return mask


def wanted(rounds: int) -> np.ndarray[Any, Any]:
    """Returns the centrelines after regenerations, of the CPU."""
    mask = np.zeros(ENVS, np.int32)
    mask[::10] = 1
    with trackgen.open("cpu") as device, trackgen.TrackGenerator(device, config(), seed=1) as generator:
        generator.generate()
        for _ in range(rounds):
            generator.regenerate(mask)
        center: np.ndarray[Any, Any] = generator.tracks.center.read()
        return center


def check_views(device: trackgen.Device) -> None:
    """A tensor of torch is the memory of a result, with the bits of the CPU."""
    with trackgen.TrackGenerator(device, config(), seed=1) as generator:
        center = generator.generate().center
        tensor = center.torch()
        assert tensor.is_cuda and tensor.data_ptr() == center.address
        np.testing.assert_array_equal(tensor.cpu().numpy(), wanted(0))


def check_masks(device: trackgen.Device) -> None:
    """A mask of torch goes in without a copy, on the stream of torch."""
    with trackgen.TrackGenerator(device, config(), seed=1) as generator:
        generator.generate()
        mask = done()
        generator.regenerate(mask, stream="torch")
        generator.regenerate(mask > 0, stream="torch")
        torch.cuda.synchronize()
        np.testing.assert_array_equal(generator.tracks.center.torch().cpu().numpy(), wanted(2))


def check_captures(device: trackgen.Device) -> None:
    """A graph of torch holds a regeneration, with and without conditionals."""
    for conditional in (False, True):
        with trackgen.TrackGenerator(device, config(), seed=1) as generator:
            generator.generate()
            mask = done()
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph), registered(graph=graph, conditional=conditional, device=device):
                mask.add_(0)
                generator.regenerate(mask)
            for _ in range(2):
                graph.replay()
            torch.cuda.synchronize()
            np.testing.assert_array_equal(generator.tracks.center.torch().cpu().numpy(), wanted(2))


def check_races(device: trackgen.Device) -> None:
    """A race is driven by actions of torch."""
    settings = trackgen.RaceConfig(tracks={"num_envs": ENVS, "scale": 10, "road": {"half_width": 1}})
    with trackgen.Race(device, settings, seed=1) as race:
        actions = torch.zeros((ENVS, 1, 2), device="cuda")
        actions[..., 1] = 1
        for _ in range(20):
            race.step(actions, stream="torch")
        torch.cuda.synchronize()
        assert bool((race.state.speed.torch() > 0.5).all())


def main() -> int:
    """Runs all checks, and returns how many have failed."""
    if not torch.cuda.is_available():
        print("NOT RUN: the Python package with torch, which has no CUDA here")
        return 0
    failed = 0
    checks: list[Callable[[trackgen.Device], None]] = [check_views, check_masks, check_captures, check_races]
    for check in checks:
        try:
            with trackgen.open("cuda:0") as device:
                check(device)
            print(f"ok    {check.__name__}: {check.__doc__}")
        except Exception:
            failed += 1
            print(f"FAIL  {check.__name__}: {check.__doc__}\n{traceback.format_exc()}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
