"""Wrong seeds, actions and pictures of the environments, and environments that have been closed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="needs gymnasium of PyPI")

from trackgen import errors  # noqa: E402
from trackgen.gym import RacingEnv, RacingVectorEnv  # noqa: E402


def test_seeds_of_numpy() -> None:
    envs = RacingVectorEnv(3, seed=np.array([4, 5, 6]))
    first, _ = envs.reset()
    for seed in ([4, 5, 6], np.array([4, 5, 6], np.uint8), np.int64(4), 4):
        again, _ = envs.reset(seed=seed)
        assert np.array_equal(first, again)
    envs.close()


@pytest.mark.parametrize("seed", [[1.5, 2.5], np.array([1.5, 2]), "x", [None, 1], [[1, 2]], [True, False]])
def test_wrong_seeds_are_named(seed: Any) -> None:
    with pytest.raises((ValueError, TypeError), match="seed is"):
        RacingVectorEnv(2, seed=seed)
    envs = RacingVectorEnv(2)
    with pytest.raises((ValueError, TypeError), match="seed is"):
        envs.reset(seed=seed)
    envs.close()


@pytest.mark.parametrize("env", [RacingVectorEnv, RacingEnv])
def test_closed_environments_say_so(env: Any) -> None:
    made = env()
    made.reset()
    made.close()
    made.close()
    for call in (made.reset, lambda: made.step(made.action_space.sample())):
        with pytest.raises(errors.ClosedError, match="closed"):
            call()


@pytest.mark.parametrize("size", [(1, 64), (64, 10**4), (15, 15)])
def test_pictures_that_cannot_be_drawn_are_refused_at_once(size: tuple[int, int]) -> None:
    with pytest.raises(errors.ArgumentError, match="16 to 4096 pixels"):
        RacingVectorEnv(1, render_mode="rgb_array", render_size=size)


def test_actions_of_a_wrong_shape_in_parallel() -> None:
    pytest.importorskip("pettingzoo", reason="needs pettingzoo of PyPI")
    from trackgen.gym import ParallelRacingEnv

    env = ParallelRacingEnv(2)
    env.reset()
    with pytest.raises(ValueError, match=r"action of car_1 is \[1\], and has to be \[2\]"):
        env.step({"car_0": [0, 0], "car_1": [0]})
    env.close()
