"""Thousands of races as a vector environment of Gymnasium."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence, Union

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from ..config import RaceConfig
from ..device import Device
from ..errors import ClosedError
from ..race import Race
from ._race import Mode, RaceArrays, mask_of
from ._settings import pair, settings_of, whole


class RacingVectorEnv(VectorEnv[Any, Any, Any]):
    """Cars that race, one in each env, on tracks that differ from env to env and from episode to episode.

    Observations are float32 [num_envs, W], finite; ``observation_parts`` says what is where. Actions are float32
    [num_envs, C], each -1 to 1: of a car steering, to the left above 0, and drive, above 0 to accelerate. Others are
    clipped. An episode is *terminated* when the car leaves the road, drives the wrong way, stands still or has done its
    laps, and *truncated* by ``ends.max_time`` or ``ends.max_steps``. The settings say which of these ends there are.

    In the steps in which episodes end, ``infos["episode"]`` has arrays [num_envs], valid where ``infos["_episode"]`` is
    True: ``r`` the return, ``l`` the length in steps, ``t`` the same in simulated seconds, ``laps``, ``best_lap`` in
    seconds or NaN, and ``reasons``, one bit for each of :data:`trackgen.gym.REASONS`. With torch they are there in every
    step.

    Episodes begin on the device, with all their work in the graph of the step. ``autoreset_mode`` is one of Gymnasium's
    AutoresetMode:

    - NEXT_STEP: the step after the end of an episode begins another one; its action does not count, its reward is 0.
    - SAME_STEP: it begins in the step of the end; ``infos["final_obs"]`` and ``infos["final_info"]`` have what was
      before. This observes twice, and is the slowest.
    - DISABLED: ``reset(options={"reset_mask": terminations | truncations})`` begins it, before the next step.

    A new episode has a new track, unless ``config.autoreset`` is ``"restart"``. The same seeds give the same bits, however
    many envs there are.

    :param num_envs: E, the number of envs.
    :param device: a Device, or its name.
    :param config: a RaceConfig, which is taken as it is, or a dict of what differs from :func:`racing_config`. The number
        of envs, and ``observe.vector``, are set here.
    :param seed: env e has the seed ``seed + e``; or a list of one for each env.
    :param mode: ``"numpy"``, or ``"torch"`` for tensors on the device of the race.
    :param copy: returns copies of observations and rewards. Without it they are views of the device's memory, which the
        next step overwrites. Default: True with NumPy, False with torch.
    :param frame_skip: an action holds for so many steps of ``vehicle.time_step``; contacts and rewards are found once.
    :param record_statistics: gives infos of episodes. False for use with Gymnasium's RecordEpisodeStatistics.
    :param render_mode: ``"rgb_array"``: ``render`` returns a picture of each env, uint8 [height, width, 3].
    :param render_size: width and height of the pictures.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        device: Union[Device, str] = "cpu",
        config: Union[RaceConfig, Mapping[str, Any], None] = None,
        seed: Union[int, Sequence[int]] = 0,
        mode: Mode = "numpy",
        copy: Optional[bool] = None,
        frame_skip: int = 1,
        autoreset_mode: Union[AutoresetMode, str] = AutoresetMode.NEXT_STEP,
        record_statistics: bool = True,
        render_mode: Optional[str] = None,
        render_size: tuple[int, int] = (400, 400),
    ) -> None:
        super().__init__()
        self.closed = True  # until there is a race
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f'render_mode is {render_mode!r}, and has to be None or "rgb_array"')
        self.num_envs = whole(num_envs, "num_envs", 1)
        self.frame_skip = whole(frame_skip, "frame_skip", 1)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.render_mode, self.render_size = render_mode, pair(render_size, "render_size")
        self.record_statistics = record_statistics
        settings = settings_of(config, self.num_envs, self.frame_skip)
        if settings.autoreset == "never":
            raise ValueError("config.autoreset is 'never': autoreset_mode=\"Disabled\" begins episodes by reset only")
        if settings.agents != 1:
            raise ValueError(
                f"config.agents is {settings.agents}: an env has one agent; ParallelRacingEnv has several, and "
                "trackgen.Race several in each of many envs"
            )
        self._arrays = RaceArrays(device, settings, seed, mode)
        self.copy = mode == "numpy" if copy is None else copy
        self._fresh = True  # no step since the race began the episodes of its seeds
        self._make_spaces()
        self.closed = False

    def _make_spaces(self) -> None:
        arrays = self._arrays
        self.single_observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (arrays.width,), np.float32)
        self.single_action_space = gymnasium.spaces.Box(-1, 1, (arrays.channels,), np.float32)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.metadata = {
            "render_modes": ["rgb_array"], "render_fps": round(1 / arrays.step_time), "autoreset_mode": self.autoreset_mode
        }
        self.observation_parts = arrays.layout()

    @property
    def race(self) -> Race:
        """The race, with all its arrays: state, outcomes, tracks, totals."""
        return self._arrays.race

    @property
    def step_time(self) -> float:
        """The simulated seconds of a step."""
        return self._arrays.step_time

    def reset(
        self, *, seed: Union[int, Sequence[int], None] = None, options: Optional[dict[str, Any]] = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begins new episodes, and returns their first observations.

        :param seed: begins the first episodes of these seeds, as the constructor does; None goes on with new tracks.
        :param options: ``{"reset_mask": bool [num_envs]}`` begins episodes in these envs only.
        """
        arrays = self._arrays
        if self.closed:
            raise ClosedError("the environment has been closed")
        mask = mask_of(options, self.num_envs)
        if seed is not None:
            if mask is not None:
                raise ValueError("seed and reset_mask: all envs begin with other seeds, or some with their own")
            super().reset(seed=int(seed) if hasattr(seed, "__index__") and not getattr(seed, "shape", ()) else None)
            arrays.seed(seed)
        elif mask is not None or not self._fresh:
            arrays.race.reset(mask, stream=arrays.stream)
        self._fresh = seed is not None or self._fresh and mask is None
        return self._observed(), {}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Makes a step of all envs. Returns observations, rewards, terminations, truncations and infos."""
        arrays = self._arrays
        if self.autoreset_mode == AutoresetMode.DISABLED and arrays.host and bool(arrays.first("done").any()):
            raise ValueError("episodes are over: reset(options={\"reset_mask\": terminations | truncations}) comes first")
        arrays.step(self._checked(actions))
        self._fresh = False
        rewards = arrays.first("reward")
        terminations = arrays.first("terminated") != 0
        done = arrays.first("done") != 0
        truncations = done & ~terminations  # also of an env without a track
        if self.copy:
            rewards = rewards.clone() if arrays.torch else rewards.copy()
        infos = self._episodes(done) if self.record_statistics else {}
        if self.autoreset_mode == AutoresetMode.SAME_STEP:
            infos = self._begin_again(done, infos)
        return self._observed(), rewards, terminations, truncations, infos

    def _checked(self, actions: Any) -> Any:
        if not self._arrays.torch:
            actions = np.asarray(actions)
        shape = (self.num_envs, self._arrays.channels)
        if tuple(actions.shape) != shape:
            raise ValueError(f"actions are {list(actions.shape)}, and have to be {list(shape)}")
        return actions[:, None]

    def _observed(self, copy: bool = False) -> Any:
        """Returns the observations [num_envs, W]."""
        values = self._arrays.observed()[:, 0]
        if not (copy or self.copy):
            return values
        return values.clone() if self._arrays.torch else values.copy()

    def _episodes(self, done: Any) -> dict[str, Any]:
        """Returns what is to be said of the episodes that have ended."""
        arrays = self._arrays
        if not arrays.torch and not done.any():
            return {}
        length = arrays.first("length")
        episode = {"r": arrays.first("return"), "l": length, "t": length * arrays.step_time}
        episode.update({name: arrays.first(name) for name in ("laps", "best_lap", "reasons")})
        if not arrays.torch:
            missing = {name: np.nan if name == "best_lap" else 0 for name in episode}
            episode = {name: np.where(done, values, missing[name]).astype(values.dtype) for name, values in episode.items()}
        elif self.copy or self.autoreset_mode == AutoresetMode.SAME_STEP:
            episode = {name: values.clone() for name, values in episode.items()}
        return {"episode": episode, "_episode": done}

    def _begin_again(self, done: Any, infos: dict[str, Any]) -> dict[str, Any]:
        """Begins the next episodes where some have ended, and returns infos with what was before."""
        arrays = self._arrays
        if arrays.host and not bool(done.any()):
            return infos
        final = self._observed(copy=True)
        if not arrays.torch:
            rows = np.full(self.num_envs, None, dtype=object)
            for env in np.flatnonzero(done):
                rows[env] = final[env]
            final = rows
        arrays.race.reset(done, stream=arrays.stream)
        return {"final_obs": final, "_final_obs": done, "final_info": infos, "_final_info": done, **infos}

    def render(self) -> Optional[tuple[Any, ...]]:
        """Returns a picture of each env, uint8 [height, width, 3]. ``frame`` draws one of them."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() of an env that was made without render_mode=\"rgb_array\"")
            return None
        return tuple(self.frame(env) for env in range(self.num_envs))

    def frame(self, env: int) -> np.ndarray[Any, Any]:
        """Returns a picture of an env, uint8 [height, width, 3]."""
        width, height = self.render_size
        return self._arrays.race.render(env, width=width, height=height)

    def close_extras(self, **kwargs: Any) -> None:
        """Closes the race. Views of its arrays keep their memory."""
        self._arrays.race.close()
