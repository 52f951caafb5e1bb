"""The settings of the races that environments run."""

from __future__ import annotations

from typing import Any, Mapping, Union

from .._producer import pixels
from ..config import RaceConfig

_SETTINGS: dict[str, Any] = {
    "tracks": {"scale": 10.0, "road": {"half_width": 1.0}},
    "vehicle.tyres": "friction_circle",  # without it, an agent learns to use tyres whose grip has no end
    "observe.motion": ["speed", "steering", "yaw_rate", "slip"],
    "observe.distances": [0, 0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 20],
    "observe.channels": ["left_x", "left_y", "right_x", "right_y"],
    "observe.length_scale": 0.2,
    "observe.speed_scale": 0.1,
    "ends.laps": 1,
    "ends.max_time": 60.0,
    "weights.failure": -5.0,
}


def racing_config(**settings: Any) -> RaceConfig:
    """Returns the settings of the environments by default, with others in place of some.

    A car of the size of an F1TENTH one, 0.58 m long, drives on a road that is 2 m wide, on tracks of about 50 m. The grip
    of its tyres ends at the friction circle: linear tyres, the default of a race, have none that ends. It observes its speed, steering angle, yaw rate and slip angle, and the left and the right border at 17 places up to 20 m
    ahead, in its own frame. The reward is the progress along the line in metres; leaving the road costs 5 and ends the
    episode, as does a lap; after 60 s it is cut off.

    :param settings: groups and settings of a :class:`trackgen.RaceConfig`: ``racing_config(ends={"laps": 2})`` sets
        ``ends.laps`` and leaves the other settings of the group.
    """
    config = RaceConfig.from_dict(_SETTINGS)
    for name, value in settings.items():
        _merge(config, name, value)
    return config


def _merge(config: Any, name: str, value: Any) -> None:
    if isinstance(value, Mapping) and name in config._groups and getattr(config, name) is not None:
        for inner, part in value.items():
            _merge(getattr(config, name), inner, part)
    else:
        config.set(name, value)


def settings_of(
    config: Union[RaceConfig, Mapping[str, Any], None], num_envs: int, frame_skip: int, autoreset: str = ""
) -> RaceConfig:
    """Returns the settings of the race of an environment.

    :param config: all settings, or a dict of those that differ from racing_config.
    :param frame_skip: steps of the simulation in one of the environment.
    :param autoreset: in place of that of config, unless it is empty.
    """
    if config is not None and not isinstance(config, (RaceConfig, Mapping)):
        raise TypeError(f"config is a RaceConfig or a dict, not a {type(config).__name__}")
    settings = config.copy() if isinstance(config, RaceConfig) else racing_config(**(config or {}))
    (settings.tracks or settings.gates).num_envs = num_envs
    settings.observe.vector = True
    if autoreset:
        settings.autoreset = autoreset  # type: ignore[assignment]
    if frame_skip != 1:  # the vehicles move in as many parts, each as long as before
        settings.vehicle.time_step = settings.vehicle.time_step * frame_skip
        settings.vehicle.substeps = settings.vehicle.substeps * frame_skip
    return settings


def whole(value: Any, name: str, low: int) -> int:
    """Returns a whole number that is at least low, or raises ValueError."""
    if isinstance(value, bool) or not hasattr(value, "__index__") or value < low:
        raise ValueError(f"{name} is {value!r}, and has to be a whole number of at least {low}")
    return int(value)


def pair(value: Any, name: str) -> tuple[int, int]:
    """Returns the width and the height of a picture, or raises ValueError."""
    try:
        width, height = value
    except (TypeError, ValueError):
        raise ValueError(f"{name} is {value!r}, and has to be a pair (width, height)") from None
    return pixels(whole(width, name, 1), name), pixels(whole(height, name, 1), name)
