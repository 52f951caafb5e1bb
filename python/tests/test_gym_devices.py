"""Environments on a CUDA device: an emulated one, as scripts/test-python.sh has it, or a GPU."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="needs gymnasium of PyPI")

from trackgen import errors  # noqa: E402
from trackgen.gym import RacingVectorEnv  # noqa: E402


def driven(device: str, mode: str) -> list[Any]:
    """Drives until some episodes have ended and others have begun, and returns all that was seen."""
    envs = RacingVectorEnv(4, device=device, seed=3, autoreset_mode=mode)
    seen, ends = [envs.reset()[0]], 0
    for _ in range(75):
        observations, rewards, terminations, truncations, infos = envs.step(np.tile(np.float32([0, 0.5]), (4, 1)))
        seen += [observations, rewards, terminations]
        done = terminations | truncations
        ends += int(done.sum())
        if done.any():
            seen += [infos["episode"]["r"], infos["episode"]["reasons"]]
            if mode == "Disabled":
                seen.append(envs.reset(options={"reset_mask": done})[0])
    envs.close()
    assert ends >= 4
    return seen


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_environments_on_cuda_give_the_bits_of_the_cpu(mode: str) -> None:
    try:
        there = driven("cuda:0", mode)
    except errors.UnavailableError as error:
        if os.environ.get("TRACKGEN_REQUIRE_CUDA") == "1":
            raise
        pytest.skip(f"needs a CUDA device: {error}")
    here = driven("cpu", mode)
    assert len(here) == len(there)
    assert all(np.array_equal(a, b) for a, b in zip(here, there))
