"""What a course says of its results and its inputs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import trackgen

ENVS, AGENTS = 4, 2


@pytest.fixture
def course(device):
    config = trackgen.CourseConfig(
        tracks={"num_envs": ENVS}, agents=AGENTS, checkpoints={"spacing": 0.6}, collision={"agents": True}
    )
    with trackgen.Course(device, config, seed=1) as made:
        yield made


@pytest.mark.parametrize(
    "position",
    [
        np.zeros((AGENTS, ENVS, 3), np.float32), np.zeros((ENVS, AGENTS), np.float32), np.zeros((ENVS, AGENTS, 3)),
        np.zeros((ENVS, AGENTS, 3), np.int32),
    ],
)
def test_inputs_of_another_shape_or_type_are_refused(course, position):
    given = f"position is {position.dtype} {list(position.shape)}, and has to be float32 [4, 2, 3]"
    with pytest.raises(trackgen.ArgumentError) as raised:
        course.bind(position, np.zeros((ENVS, AGENTS, 4), np.float32), np.zeros((ENVS, AGENTS, 2), np.float32))
    assert str(raised.value) == given and raised.value.argument == "position"


def test_memory_of_another_type_is_named(device, course):
    with pytest.raises(trackgen.ArgumentError, match="the type float64 is none of"):
        trackgen.from_dlpack(np.zeros(3), device)
    with pytest.raises(trackgen.ArgumentError, match="mask has 5 elements: must be 4"):
        course.regenerate(np.zeros(5, bool))


def test_inputs_of_all_agents_in_a_row(course):
    assert course.num_agents == AGENTS
    position, orientation, half = (np.zeros((ENVS * AGENTS, n), np.float32) for n in (3, 4, 2))
    orientation[:, 3], half[:] = 1, 0.01
    course.bind(position, orientation, half)
    course.step()
    assert course.others.hit.numpy().all(), "they are at the same place"


def test_inputs_that_contacts_need(course):
    position = np.zeros((ENVS, AGENTS, 3), np.float32)
    with pytest.raises(trackgen.ArgumentError, match="orientation is missing"):
        course.bind(position)
    with pytest.raises(trackgen.ArgumentError, match="half_extents is missing"):
        course.bind(position, np.zeros((ENVS, AGENTS, 4), np.float32))


def test_results_that_the_settings_leave_out(course):
    with pytest.raises(AttributeError, match='needs collision={"method": "segments"}'):
        course.contacts
    with pytest.raises(AttributeError, match="needs localize"):
        course.places


def test_tracks_and_gates_exclude_each_other():
    with pytest.raises(trackgen.ConfigError, match="both"):
        trackgen.CourseConfig(tracks={"num_envs": 4}, gates={"num_envs": 4})
    with pytest.raises(trackgen.ConfigError, match="it has method, "):
        trackgen.CourseConfig(collision={"walls": True})


def test_actions_of_another_shape_are_refused(device):
    config = trackgen.RaceConfig(tracks={"num_envs": ENVS, "scale": 10, "road": {"half_width": 1}}, agents=AGENTS)
    with trackgen.Race(device, config) as race:
        assert race.num_agents == AGENTS and race.num_actions == 2
        with pytest.raises(trackgen.ArgumentError, match=r"actions is float32 \[2, 4, 2\], and has to be float32 \[4, 2, 2\]"):
            race.bind(np.zeros((AGENTS, ENVS, 2), np.float32))
        with pytest.raises(trackgen.ArgumentError, match=r"actions are \[2, 4, 2\], and have to be \[4, 2, 2\]"):
            race.step(np.zeros((AGENTS, ENVS, 2), np.float32))
        race.step([[[0, 1]] * AGENTS] * ENVS).step(np.zeros((ENVS * AGENTS, 2)))
        with pytest.raises(AttributeError, match="needs settings of observe"):
            race.observations
        with pytest.raises(trackgen.ConfigError, match="has to be a list of velocity_x"):
            trackgen.RaceConfig(observe={"motion": ["sped"]})


@pytest.mark.parametrize("width", [0, 0.1])
def test_pictures_and_files_of_gates(device, width, tmp_path: Path):
    with trackgen.GateGenerator(device, {"num_envs": 2, "gate": {"width": width}}, seed=1) as generator:
        gates = generator.generate()
        picture = generator.render(1, width=600, height=400)
        assert picture.shape == (400, 600, 3)
        white, orange = ((picture == color).all(-1).sum() for color in ([242, 242, 238], [242, 140, 40]))
        assert white > 5 * orange > 0, "gates, and the first one of them"
        generator.save(tmp_path / "gates.npz", envs=[1])
    with np.load(tmp_path / "gates.npz") as file:
        np.testing.assert_array_equal(file["position"], gates.position.numpy()[1:])
