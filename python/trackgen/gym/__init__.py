"""Environments for Gymnasium and PettingZoo: races on the device, thousands at a time.

::

    import gymnasium
    import trackgen.gym  # registers TrackGen/Racing-v0

    envs = trackgen.gym.RacingVectorEnv(512, seed=1)  # or gymnasium.make_vec("TrackGen/Racing-v0", num_envs=512)
    observations, infos = envs.reset()
    observations, rewards, terminations, truncations, infos = envs.step(envs.action_space.sample())

    env = gymnasium.make("TrackGen/Racing-v0", render_mode="rgb_array")

Gymnasium 1 looks for no plugins, so the module is imported first, or named:
``gymnasium.make("trackgen.gym:TrackGen/Racing-v0")``.
``pip install trackgen[gym]`` installs Gymnasium; :class:`ParallelRacingEnv` needs PettingZoo, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

try:
    import gymnasium
except ImportError as error:
    raise ImportError("trackgen.gym needs Gymnasium: pip install trackgen[gym]") from error

from ._race import REASONS
from ._settings import racing_config
from .single import RacingEnv
from .vector import RacingVectorEnv

if TYPE_CHECKING:
    from .parallel import ParallelRacingEnv

__all__ = ["REASONS", "ParallelRacingEnv", "RacingEnv", "RacingVectorEnv", "racing_config"]

ID = "TrackGen/Racing-v0"
"""The name by which gymnasium.make and gymnasium.make_vec find the environment."""


def __getattr__(name: str) -> Any:
    if name == "ParallelRacingEnv":  # needs PettingZoo, which the others do not
        from .parallel import ParallelRacingEnv

        return ParallelRacingEnv
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


if ID not in gymnasium.registry:
    gymnasium.register(
        ID, entry_point="trackgen.gym:RacingEnv", vector_entry_point="trackgen.gym:RacingVectorEnv",
        order_enforce=True,
    )
