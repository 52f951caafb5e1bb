"""Configurations: names, values, defaults."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import trackgen
from trackgen import errors

CONFIGS = [trackgen.TrackConfig, trackgen.GateConfig, trackgen.CourseConfig, trackgen.RaceConfig]


def test_settings_are_attributes():
    config = trackgen.TrackConfig(num_envs=4, road={"half_width": 0.2})
    config.generator = "hull"
    config.relax.sweeps = np.int64(20)
    config.set("elevation.profile", "noise")
    assert config.road.half_width == 0.2
    assert config.to_dict() == {
        "num_envs": 4, "generator": "hull", "road": {"half_width": 0.2}, "relax": {"sweeps": 20},
        "elevation": {"profile": "noise"},
    }
    assert trackgen.TrackConfig.from_dict(config.to_dict()) == config
    copied = config.copy()
    copied.road.half_width = 0.3
    assert config.road.half_width == 0.2 and copied != config
    assert repr(trackgen.TrackConfig(num_envs=2)) == "TrackConfig(num_envs=2)"


@pytest.mark.parametrize("kind", CONFIGS)
def test_defaults_are_those_of_the_library(kind):
    config = kind()
    resolved = kind(checkpoints={"spacing": 1}).resolve() if kind is trackgen.CourseConfig else config.resolve()
    compared = 0
    for path, setting in config._walk():
        if setting.default is None or path == "checkpoints.spacing":
            continue
        value = resolved
        for part in path.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        if value is not None:
            assert value == setting.default or list(value) == list(setting.default), path
            compared += 1
    assert compared > 20


@pytest.mark.parametrize(
    "setting, value",
    [
        ("road.half_width", 0), ("road.half_width", -1), ("road.half_width", float("nan")), ("road.half_width", "wide"),
        ("road.half_width", True), ("num_envs", 0), ("num_envs", 1.5), ("num_envs", None), ("generator", "hul"),
        ("bezier.style_sampling", 1), ("variation.half_width_range", (0.3, 0.1)), ("variation.half_width_range", (1, 2, 3)),
        ("repulsive.stages", "64"), ("scale", 0),
    ],
)
def test_wrong_values_are_refused_at_once(setting, value):
    config = trackgen.TrackConfig()
    with pytest.raises(trackgen.ConfigError) as raised:
        config.set(setting, value)
    assert raised.value.argument == setting and raised.value.field == setting
    assert raised.value.allowed and raised.value.value == repr(value)
    assert isinstance(raised.value, ValueError)
    assert config.to_dict() == {}


@pytest.mark.parametrize(
    "name, hint",
    [
        ("half_width", "it is road.half_width"), ("num_points_per_segment", "it is spline.samples_per_segment"),
        ("generater", "generator"), ("road_half_width", "it is road.half_width"),
    ],
)
def test_wrong_names_are_refused_with_the_nearest(name, hint):
    with pytest.raises(errors.UnknownSettingError, match=hint) as raised:
        trackgen.TrackConfig(**{name: 1})
    assert isinstance(raised.value, AttributeError)
    with pytest.raises(AttributeError, match=hint):
        getattr(trackgen.TrackConfig(), name)
    with pytest.raises(trackgen.ConfigError):
        trackgen.TrackConfig.from_dict({name: 1})
    with pytest.raises(trackgen.ConfigError, match="half_width"):
        trackgen.TrackConfig().road.half_with = 1


def test_help_lists_the_settings_of_a_group():
    assert "- half_width: a number in (0, 1e+06]; by default" in (trackgen.TrackConfig.Road.__doc__ or "")


def test_names_of_the_reference():
    config = trackgen.TrackConfig.from_reference(num_envs=8, half_width=0.2, min_num_points=7)
    assert config == trackgen.TrackConfig(num_envs=8, road={"half_width": 0.2}, corners={"min_count": 7})


def test_tracks_or_gates():
    config = trackgen.CourseConfig(checkpoints={"spacing": 1})
    config.tracks.num_envs = 4
    assert config.gates is None
    assert config.to_dict()["tracks"] == {"num_envs": 4}
    config = trackgen.CourseConfig(gates={"num_envs": 3, "gate": {"width": 0.1}})
    assert config.tracks is None and config.gates.num_envs == 3
    assert "tracks" not in config.to_dict()
    with pytest.raises(trackgen.ConfigError):
        config.gates = 4


def test_settings_that_do_not_fit_together():
    config = trackgen.TrackConfig(corners={"min_count": 12, "max_count": 9})
    with pytest.raises(trackgen.ConfigError) as raised:
        config.resolve()
    assert "corners.max_count" in str(raised.value)
    with pytest.raises(trackgen.ConfigError):
        trackgen.TrackGenerator("cpu", config)


def test_mixed_batches(device):
    mix = [{"generator": "bezier", "weight": 2}, {"generator": "polar", "polar": {"knots": 9}}]
    config = trackgen.TrackConfig(generator="mixed", num_envs=16, mix=mix)
    with trackgen.TrackGenerator(device, config, seed=1) as generator:
        assert set(generator.generate().component.numpy().tolist()) == {0, 1}


def test_drones_have_their_defaults():
    config = trackgen.RaceConfig(vehicle={"model": "drone"}, gates={"gate": {"width": 1}})
    car = trackgen.RaceConfig().resolve()
    resolved = config.resolve()
    assert resolved["vehicle"]["model"] == "drone" != car["vehicle"]["model"]


def test_config_of_another_kind(device):
    with pytest.raises(TypeError):
        trackgen.TrackGenerator(device, trackgen.GateConfig())


def test_config_py_is_generated(tmp_path):
    script = Path(__file__).parent.parent / "generate_config.py"
    if not script.exists():
        pytest.skip("generate_config.py is not beside the tests; scripts/test-python.sh runs it")
    ran = subprocess.run([sys.executable, script, "--check", Path(trackgen.__file__).parent], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
