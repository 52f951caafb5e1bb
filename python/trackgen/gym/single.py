"""One race as an environment of Gymnasium."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Union

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode

from ..config import RaceConfig
from ..device import Device
from ..race import Race
from ._race import reasons_of
from .vector import RacingVectorEnv


class RacingEnv(gymnasium.Env[Any, Any]):
    """A car that races on a track, which is another one in each episode: :class:`RacingVectorEnv` with one env.

    Observations are float32 [W], actions float32 [C]. The info of the last step of an episode has ``laps``, ``best_lap``
    in seconds or NaN, and ``reasons``, a list of names. ``reset(seed=k)`` gives the track of env 0 of a RacingVectorEnv
    with the seed k. The parameters are those of RacingVectorEnv.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 50}

    def __init__(
        self,
        *,
        device: Union[Device, str] = "cpu",
        config: Union[RaceConfig, Mapping[str, Any], None] = None,
        seed: int = 0,
        frame_skip: int = 1,
        render_mode: Optional[str] = None,
        render_size: tuple[int, int] = (400, 400),
    ) -> None:
        self._envs = RacingVectorEnv(
            1, device=device, config=config, seed=seed, frame_skip=frame_skip, autoreset_mode=AutoresetMode.DISABLED,
            render_mode=render_mode, render_size=render_size,
        )
        self.observation_space = self._envs.single_observation_space
        self.action_space = self._envs.single_action_space
        self.observation_parts = self._envs.observation_parts
        self.metadata = {**self.metadata, "render_fps": self._envs.metadata["render_fps"]}
        self.render_mode = render_mode

    @property
    def race(self) -> Race:
        """The race, with all its arrays: state, outcomes, tracks, totals."""
        return self._envs.race

    def reset(self, *, seed: Optional[int] = None, options: Optional[dict[str, Any]] = None) -> tuple[Any, dict[str, Any]]:
        """Begins a new episode, and returns its first observation. The seed says which track, None another one."""
        super().reset(seed=seed)
        if options:
            raise ValueError(f"the option {next(iter(options))!r} is unknown: there are none")
        observations, _ = self._envs.reset(seed=seed)
        return observations[0], {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Makes a step. Returns observation, reward, terminated, truncated and info."""
        observations, rewards, terminations, truncations, infos = self._envs.step(np.asarray(action)[None])
        info = {}
        if "episode" in infos:
            episode = infos["episode"]
            info = {"laps": int(episode["laps"][0]), "best_lap": float(episode["best_lap"][0]),
                    "reasons": reasons_of(episode["reasons"][0])}
        return observations[0], float(rewards[0]), bool(terminations[0]), bool(truncations[0]), info

    def render(self) -> Any:
        """Returns a picture, uint8 [height, width, 3]."""
        frames = self._envs.render()
        return None if frames is None else frames[0]

    def close(self) -> None:
        """Closes the race."""
        self._envs.close()
