"""A race of several cars as a parallel environment of PettingZoo."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Union

import gymnasium
import numpy as np

try:
    from pettingzoo import ParallelEnv
except ImportError as error:
    raise ImportError("ParallelRacingEnv needs PettingZoo: pip install pettingzoo") from error

from ..config import RaceConfig
from ..device import Device
from ..race import Race
from ._race import RaceArrays, reasons_of
from ._settings import pair, racing_config, settings_of, whole


class ParallelRacingEnv(ParallelEnv[str, Any, Any]):  # type: ignore[misc, unused-ignore]
    """Cars that race each other on a track, which is another one in each episode.

    The cars begin on a grid, and touch each other. ``agents`` are ``car_0`` and so on; one whose episode has ended is no
    longer among them, and its car rolls on with actions of 0. Observations, actions and ends are those of
    :class:`trackgen.gym.RacingVectorEnv`. The infos of the last step of an agent have ``laps``, ``best_lap`` and
    ``reasons``.

    :param agents: A, the number of cars.
    :param config: a RaceConfig, which is taken as it is but for agents and ``observe.vector``, or a dict of what differs
        from :func:`trackgen.gym.racing_config` with a grid, contacts of cars, and a range finder of 32 beams.

    The other parameters are those of RacingVectorEnv.
    """

    def __init__(
        self,
        agents: int = 2,
        *,
        device: Union[Device, str] = "cpu",
        config: Union[RaceConfig, Mapping[str, Any], None] = None,
        seed: int = 0,
        frame_skip: int = 1,
        render_mode: Optional[str] = None,
        render_size: tuple[int, int] = (400, 400),
    ) -> None:
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f'render_mode is {render_mode!r}, and has to be None or "rgb_array"')
        settings = config
        if not isinstance(config, RaceConfig):
            settings = racing_config(spawn={"mode": "grid"}, collision={"agents": True}, observe={"beams": 32, "range": 10})
            for name, value in (config or {}).items():
                settings.set(name, value)
        settings = settings_of(settings, 1, whole(frame_skip, "frame_skip", 1))
        settings.agents = whole(agents, "agents", 1)
        self._arrays = RaceArrays(device, settings, seed, "numpy")
        self.possible_agents = [f"car_{number}" for number in range(agents)]
        self.agents = list(self.possible_agents)
        self.render_mode, self._size = render_mode, pair(render_size, "render_size")
        self.metadata = {"name": "trackgen_racing_v0", "render_modes": ["rgb_array"], "is_parallelizable": True,
                         "render_fps": round(1 / self._arrays.step_time)}
        box = gymnasium.spaces.Box
        self._observation_spaces = {
            agent: box(-np.inf, np.inf, (self._arrays.width,), np.float32) for agent in self.possible_agents
        }
        self._action_spaces = {agent: box(-1, 1, (self._arrays.channels,), np.float32) for agent in self.possible_agents}
        self.observation_parts = self._arrays.layout()

    @property
    def race(self) -> Race:
        """The race, with all its arrays: state, outcomes, tracks, totals."""
        return self._arrays.race

    def observation_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """The space of the observations of an agent."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """The space of the actions of an agent."""
        return self._action_spaces[agent]

    def reset(
        self, seed: Optional[int] = None, options: Optional[dict[str, Any]] = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begins a new episode of all agents. The seed says which track, None another one."""
        if seed is None:
            self._arrays.race.reset()
        else:
            self._arrays.seed(seed)
        self.agents = list(self.possible_agents)
        return self._observed(self.agents), {agent: {} for agent in self.agents}

    def step(self, actions: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        """Makes a step of the agents. Returns observations, rewards, terminations, truncations and infos of each."""
        arrays = self._arrays
        given = np.zeros((1, arrays.agents, arrays.channels), np.float32)
        for agent in self.agents:
            action = np.asarray(actions[agent])
            if action.shape != (arrays.channels,):
                raise ValueError(f"the action of {agent} is {list(action.shape)}, and has to be [{arrays.channels}]")
            given[0, self.possible_agents.index(agent)] = action
        arrays.step(given)
        reward, terminated = arrays.get("reward")[0], arrays.get("terminated")[0] != 0
        over = (arrays.get("truncated")[0] != 0) | terminated | bool(arrays.get("done")[0])
        racing, numbers = self.agents, [self.possible_agents.index(agent) for agent in self.agents]
        self.agents = [agent for agent, number in zip(racing, numbers) if not over[number]]
        pairs = list(zip(racing, numbers))
        return (
            self._observed(racing),
            {agent: float(reward[number]) for agent, number in pairs},
            {agent: bool(terminated[number]) for agent, number in pairs},
            {agent: bool(over[number] and not terminated[number]) for agent, number in pairs},
            {agent: self._info(number) if over[number] else {} for agent, number in pairs},
        )

    def _observed(self, agents: list[str]) -> dict[str, Any]:
        values = self._arrays.observed()[0].copy()
        return {agent: values[self.possible_agents.index(agent)] for agent in agents}

    def _info(self, number: int) -> dict[str, Any]:
        arrays = self._arrays
        return {"laps": int(arrays.get("laps")[0, number]), "best_lap": float(arrays.get("best_lap")[0, number]),
                "reasons": reasons_of(arrays.get("reasons")[0, number])}

    def render(self) -> Any:
        """Returns a picture of the race, uint8 [height, width, 3]."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() of an env that was made without render_mode=\"rgb_array\"")
            return None
        return self._arrays.race.render(0, width=self._size[0], height=self._size[1])

    def close(self) -> None:
        """Closes the race."""
        self._arrays.race.close()
