"""Measures a step of a race from Python, on the CPU. BenchmarkStepOfPython of package race is the same step in Go.

    python step.py [ENVS ...]
"""

from __future__ import annotations

import sys
import time
from typing import Any, Callable

import numpy as np

import trackgen


def microseconds(call: Callable[[], Any], least: float = 2.0) -> float:
    """Returns the median time of a call, of as many as fit into the time, at least 15."""
    times = []
    begin = time.perf_counter()
    while time.perf_counter() - begin < least or len(times) < 15:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return float(np.median(times)) * 1e6


def main() -> None:
    """Prints a table."""
    print("envs | bound actions | actions of NumPy, another array in each step")
    for envs in [int(argument) for argument in sys.argv[1:]] or [1, 4096]:
        config = trackgen.RaceConfig(tracks={"num_envs": envs, "scale": 10, "road": {"half_width": 1}}, autoreset="never")
        with trackgen.open("cpu") as device, trackgen.Race(device, config, seed=1) as race:
            buffers = [np.zeros((envs, 1, 2), np.float32) for _ in range(2)]
            turn = [0]

            def fresh() -> None:
                turn[0] ^= 1
                race.step(buffers[turn[0]])

            unbound = microseconds(fresh)
            race.bind(buffers[0])
            print(f"{envs} | {microseconds(race.step):.1f} us | {unbound:.1f} us")


if __name__ == "__main__":
    main()
