"""Environments for Gymnasium and PettingZoo."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium", reason="needs gymnasium of PyPI")

import trackgen  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.wrappers.vector import RecordEpisodeStatistics  # noqa: E402
from trackgen.gym import RacingEnv, RacingVectorEnv, racing_config  # noqa: E402

DRIVE = np.float32([0, 0.5])
"""Straight on, which leaves the road of every track within two seconds."""


def actions(envs: int, seed: int = 0) -> np.ndarray[Any, Any]:
    """Some actions that move the cars."""
    noise = np.random.default_rng(seed).uniform(-0.3, 0.3, (envs, 2))
    return (DRIVE + noise).astype(np.float32)


def first_end(envs: RacingVectorEnv, limit: int = 400) -> tuple[Any, ...]:
    """Drives until an episode has ended, and returns what that step returned."""
    for _ in range(limit):
        result = envs.step(np.tile(DRIVE, (envs.num_envs, 1)))
        if (result[2] | result[3]).any():
            return result
    raise AssertionError("no episode has ended")


@pytest.mark.filterwarnings("ignore:.*Box observation space m")
def test_gymnasiums_own_checker_accepts_the_environment() -> None:
    env = gymnasium.make("TrackGen/Racing-v0", render_mode="rgb_array")
    assert isinstance(env.unwrapped, RacingEnv)
    check_env(env.unwrapped)


def test_the_environment_is_registered_and_found_by_its_module() -> None:
    with gymnasium.make("trackgen.gym:TrackGen/Racing-v0") as env:
        observation, info = env.reset(seed=5)
        assert env.observation_space.contains(observation) and info == {}
    envs = gymnasium.make_vec("TrackGen/Racing-v0", num_envs=3, seed=5)
    assert isinstance(envs, RacingVectorEnv) and envs.spec.id == "TrackGen/Racing-v0"
    observations, _ = envs.reset()
    assert np.array_equal(observations[0], observation), "the single env is the vector env with one env"
    envs.close()


def test_spaces_contain_what_is_observed_and_observations_have_a_layout() -> None:
    envs = RacingVectorEnv(4, config={"observe": {"beams": 8}}, seed=2)
    observations, _ = envs.reset()
    assert envs.observation_space.contains(observations) and envs.action_space.contains(actions(4))
    assert envs.observation_parts == {"motion": slice(0, 4), "preview": slice(4, 72), "scans": slice(72, 80)}
    for _ in range(30):
        observations, rewards, terminations, truncations, _ = envs.step(actions(4))
        assert envs.observation_space.contains(observations) and np.isfinite(observations).all()
        assert rewards.shape == terminations.shape == truncations.shape == (4,)
        assert terminations.dtype == truncations.dtype == bool
    speed = envs.race.state.speed.numpy()[:, 0]
    assert (speed > 1).all() and np.allclose(observations[:, 0], 0.1 * speed)
    assert np.array_equal(observations[:, 72:], envs.race.observations.scans.numpy()[:, 0])
    envs.close()


def test_the_same_seed_gives_the_same_bits_however_many_envs_there_are() -> None:
    def driven(envs: int, seed: int, again: bool = False) -> list[bytes]:
        made = RacingVectorEnv(envs, seed=99 if again else seed)
        observations, _ = made.reset(seed=seed if again else None)
        seen = [observations[:2].tobytes()]
        for step in range(60):  # with ends of episodes
            observations, rewards, terminations, *_ = made.step(np.repeat(actions(1, step), envs, 0))
            seen.append(observations[:2].tobytes() + rewards[:2].tobytes() + terminations[:2].tobytes())
        assert made.race.episodes.numpy().max() > 0
        made.close()
        return seen

    few = driven(2, 7)
    assert few == driven(2, 7) == driven(5, 7) == driven(3, 7, again=True)
    assert few != driven(2, 8)


def test_a_reset_without_a_seed_goes_on_with_other_tracks() -> None:
    envs = RacingVectorEnv(2, seed=1)
    first, _ = envs.reset()
    same, _ = envs.reset()
    assert np.array_equal(first, same), "before the first step, the episodes of the seeds have just begun"
    envs.step(actions(2))
    other, _ = envs.reset()
    assert not np.array_equal(first, other)
    third, _ = envs.reset()
    assert not np.array_equal(other, third)
    again, _ = envs.reset(seed=1)
    assert np.array_equal(first, again)
    listed, _ = envs.reset(seed=[2, 1])
    assert np.array_equal(listed[1], first[0])
    envs.close()


def test_the_step_after_the_end_begins_an_episode() -> None:
    ways = [RacingVectorEnv(6, seed=3) for _ in range(2)]
    assert ways[0].metadata["autoreset_mode"] == gymnasium.vector.AutoresetMode.NEXT_STEP
    ended = [first_end(envs) for envs in ways]
    done = ended[0][2]
    assert done.any() and not done.all() and not ended[0][3].any()
    assert (ended[0][1][done] < -4).all(), "leaving the road costs 5"
    # In the step that begins an episode, actions do not count where one begins.
    moved = [envs.step(np.full((6, 2), turn, np.float32)) for envs, turn in zip(ways, (1, -1))]
    assert np.array_equal(moved[0][0][done], moved[1][0][done])
    assert not np.array_equal(moved[0][0][~done], moved[1][0][~done])
    assert (moved[0][1][done] == 0).all() and not (moved[0][2] | moved[0][3])[done].any()
    assert np.array_equal(ways[0].race.episodes.numpy(), done.astype(np.int32))
    for envs in ways:
        envs.close()


def test_episodes_begin_in_the_step_of_the_end_if_that_is_wanted() -> None:
    later, same = RacingVectorEnv(6, seed=3), RacingVectorEnv(6, seed=3, autoreset_mode="SameStep")
    for _ in range(3):  # ends
        expected, result = first_end(later), first_end(same)
        done = expected[2] | expected[3]
        assert all(np.array_equal(a, b) for a, b in zip(expected[1:4], result[1:4]))
        infos = result[4]
        assert np.array_equal(infos["_final_obs"], done) and np.array_equal(infos["final_info"]["_episode"], done)
        for env in range(6):
            if done[env]:
                assert np.array_equal(infos["final_obs"][env], expected[0][env])
            else:
                assert infos["final_obs"][env] is None
                assert np.array_equal(result[0][env], expected[0][env])
        begun = later.step(np.tile(DRIVE, (6, 1)))[0][done]
        assert np.array_equal(result[0][done], begun)
        same.reset(seed=3)
        later.reset(seed=3)
    later.close()
    same.close()


def test_without_autoreset_a_mask_says_which_episodes_begin() -> None:
    envs = RacingVectorEnv(6, seed=3, autoreset_mode="Disabled")
    observations, _, terminations, truncations, _ = first_end(envs)
    done = terminations | truncations
    with pytest.raises(ValueError, match="reset_mask"):
        envs.step(actions(6))
    begun, infos = envs.reset(options={"reset_mask": done})
    assert infos == {} and np.array_equal(begun[~done], observations[~done])
    assert not np.isclose(begun[done], observations[done]).all()
    assert np.array_equal(envs.race.episodes.numpy(), done.astype(np.int32))
    envs.step(actions(6))
    wrong = ((np.zeros(6, bool), "False for every env"), (np.ones(6, np.int32), "bool"), (np.ones(5, bool), "6"))
    for mask, message in wrong:
        with pytest.raises(ValueError, match=message):
            envs.reset(options={"reset_mask": mask})
    with pytest.raises(ValueError, match="'mask' is unknown"):
        envs.reset(options={"mask": done})
    with pytest.raises(ValueError, match="seed and reset_mask"):
        envs.reset(seed=1, options={"reset_mask": done})
    envs.close()


def test_the_end_of_the_task_terminates_and_the_end_of_the_time_truncates() -> None:
    envs = RacingVectorEnv(3, seed=3, config={"ends": {"max_steps": 5}})
    for step in range(5):
        _, _, terminations, truncations, infos = envs.step(np.zeros((3, 2), np.float32))
        assert not terminations.any() and truncations.all() == (step == 4)
    assert infos["_episode"].all() and infos["episode"]["l"].tolist() == [5, 5, 5]
    assert infos["episode"]["reasons"].tolist() == [32] * 3 and np.allclose(infos["episode"]["t"], 0.1)
    envs.close()
    envs = RacingVectorEnv(3, seed=3)
    _, _, terminations, truncations, infos = first_end(envs)
    assert terminations.any() and not truncations.any()
    assert (infos["episode"]["reasons"][terminations] == 1).all(), "off the road"
    assert np.isnan(infos["episode"]["best_lap"]).all() and infos["episode"]["l"][~terminations].sum() == 0
    envs.close()


def test_statistics_are_those_of_gymnasiums_wrapper() -> None:
    ours, plain = RacingVectorEnv(4, seed=6), RacingVectorEnv(4, seed=6, record_statistics=False)
    wrapped, ends = RecordEpisodeStatistics(plain), 0
    ours.reset()
    wrapped.reset()
    for step in range(150):
        given = actions(4, step)
        infos, expected = ours.step(given)[4], wrapped.step(given)[4]
        assert ("episode" in infos) == ("episode" in expected)
        if "episode" in infos:
            done = infos["_episode"]
            ends += int(done.sum())
            assert np.array_equal(done, expected["_episode"])
            assert np.array_equal(infos["episode"]["l"], expected["episode"]["l"])
            assert np.allclose(infos["episode"]["r"], expected["episode"]["r"], atol=1e-4)
    assert ends > 4
    ours.close()
    wrapped.close()


def test_observations_are_copies_or_views() -> None:
    copies, views = RacingVectorEnv(2, seed=1), RacingVectorEnv(2, seed=1, copy=False)
    kept, seen = copies.reset()[0], views.reset()[0]
    before = kept.copy()
    assert np.array_equal(kept, seen)
    assert seen.ctypes.data == views.race.observations.vector.address, "no copy"
    for envs in (copies, views):
        for _ in range(10):
            envs.step(actions(2))
    assert np.array_equal(kept, before) and not np.array_equal(seen, before)
    for envs in (copies, views):
        envs.close()
    assert np.isfinite(seen).all(), "a view keeps the memory"


def test_tensors_of_torch_are_views_of_the_device(torch: Any) -> None:
    envs, arrays = RacingVectorEnv(3, seed=3, mode="torch"), RacingVectorEnv(3, seed=3)
    observations, _ = envs.reset()
    assert observations.data_ptr() == envs.race.observations.vector.address
    given = torch.from_numpy(actions(3))
    ended = 0
    for _ in range(120):
        observations, rewards, terminations, truncations, infos = envs.step(given)
        expected = arrays.step(given.numpy())
        assert rewards.data_ptr() == envs.race.outcomes.reward.address
        for tensor, array in zip((observations, rewards, terminations, truncations), expected):
            assert np.array_equal(tensor.numpy(), array)
        assert torch.equal(infos["_episode"], terminations | truncations)
        ended += int(infos["_episode"].sum())
    assert ended > 0
    envs.close()
    arrays.close()


def test_an_action_may_hold_for_several_steps() -> None:
    slow, fast = RacingVectorEnv(2, seed=1), RacingVectorEnv(2, seed=1, frame_skip=3)
    assert fast.step_time == pytest.approx(0.06) and fast.metadata["render_fps"] == 17
    for step in range(8):
        given = actions(2, step)
        for _ in range(3):
            slow.step(given)
        fast.step(given)
    at = [envs.race.state.position.numpy() for envs in (slow, fast)]
    assert np.allclose(*at, atol=1e-5) and np.abs(at[0] - RacingVectorEnv(2, seed=1).race.state.position.numpy()).max() > 0.1
    slow.close()
    fast.close()


def test_an_episode_may_begin_on_the_same_track() -> None:
    envs = RacingVectorEnv(2, seed=3, config={"autoreset": "restart"})
    center = envs.race.tracks.center.numpy().copy()
    first_end(envs)
    envs.step(actions(2))
    assert envs.race.episodes.numpy().max() == 1
    assert np.array_equal(center, envs.race.tracks.center.numpy(), equal_nan=True)
    envs.close()


def test_pictures_have_the_wanted_size() -> None:
    envs = RacingVectorEnv(2, seed=1, render_mode="rgb_array", render_size=(96, 64))
    frames = envs.render()
    assert len(frames) == 2 and frames[0].shape == (64, 96, 3) and frames[0].dtype == np.uint8
    assert len(np.unique(frames[0].reshape(-1, 3), axis=0)) > 3 and not np.array_equal(*frames)
    assert np.array_equal(envs.frame(1), frames[1])
    envs.close()
    blind = RacingVectorEnv(1)
    with pytest.warns(UserWarning, match="render_mode"):
        assert blind.render() is None
    blind.close()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"num_envs": 0}, "num_envs is 0, and has to be a whole number of at least 1"),
        ({"frame_skip": 1.5}, "frame_skip is 1.5"),
        ({"mode": "jax"}, 'mode is \'jax\', and has to be "numpy" or "torch"'),
        ({"render_mode": "human"}, "render_mode is 'human'"),
        ({"render_size": 400}, "render_size is 400"),
        ({"config": {"agents": 2}}, "ParallelRacingEnv"),
        ({"config": {"autoreset": "never"}}, "Disabled"),
        ({"config": {"ends": {"lap": 1}}}, "lap"),
        ({"autoreset_mode": "later"}, "later"),
    ],
)
def test_wrong_arguments_are_named(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(Exception, match=message) as raised:
        RacingVectorEnv(**{"num_envs": 2, **wrong})
    assert isinstance(raised.value, (ValueError, trackgen.Error))


def test_wrong_actions_and_seeds_are_named() -> None:
    envs = RacingVectorEnv(2)
    with pytest.raises(ValueError, match=r"actions are \[3, 2\], and have to be \[2, 2\]"):
        envs.step(actions(3))
    with pytest.raises(TypeError, match="seed is 1.5"):
        envs.reset(seed=1.5)  # type: ignore[arg-type]
    envs.close()
    with pytest.raises(TypeError, match="config is a RaceConfig or a dict, not a list"):
        RacingVectorEnv(2, config=[])  # type: ignore[arg-type]


def test_settings_are_changed_one_by_one_or_taken_as_they_are() -> None:
    changed = racing_config(ends={"laps": 3}, tracks={"generator": "polar"})
    assert changed.ends.laps == 3 and changed.ends.max_time == 60
    assert changed.tracks.generator == "polar" and changed.tracks.scale == 10
    whole = trackgen.RaceConfig(tracks={"scale": 10, "road": {"half_width": 1}}, observe={"beams": 5})
    envs = RacingVectorEnv(2, config=whole)
    assert envs.single_observation_space.shape == (5,) and envs.race.num_envs == 2
    envs.close()
    drone = trackgen.RaceConfig(
        gates={"scale": 20, "gate": {"radius": 1, "width": 1.5}}, vehicle={"model": "drone"},
        observe={"gates": 2, "motion": ["up_z", "thrust"]},
        ends={"off_road": False}, collision={"method": "none"}, checkpoints={"spacing": 0}, localize={"enabled": False},
    )
    flying = RacingVectorEnv(2, config=drone)
    assert flying.single_action_space.shape == (4,) and flying.observation_parts["motion"] == slice(0, 2)
    flying.step(np.zeros((2, 4), np.float32))
    flying.close()


@pytest.mark.filterwarnings("ignore")
def test_pettingzoos_own_test_accepts_races_of_several_cars() -> None:
    pettingzoo = pytest.importorskip("pettingzoo.test", reason="needs pettingzoo of PyPI")
    from trackgen.gym import ParallelRacingEnv

    env = ParallelRacingEnv(3, seed=4, render_mode="rgb_array")
    pettingzoo.parallel_api_test(env, num_cycles=200)
    env.reset(seed=4)
    assert env.render().shape == (400, 400, 3)
    left = {}
    for _ in range(400):
        _, _, terminations, truncations, infos = env.step({agent: DRIVE for agent in env.agents})
        left.update({agent: infos[agent] for agent in terminations if terminations[agent] or truncations[agent]})
        if not env.agents:
            break
    assert sorted(left) == env.possible_agents, "every car has left the race"
    assert all(info["reasons"] for info in left.values())
    env.close()
