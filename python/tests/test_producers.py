"""Generators, courses and races: the same bits as the command, and calls in all forms."""

from __future__ import annotations

import os
import subprocess

import numpy as np
import pytest

import trackgen
from trackgen import errors


def _command(tmp_path, *arguments):
    """Runs the command and returns the arrays of the file that it writes."""
    command = os.environ.get("TRACKGEN_COMMAND")
    if not command:
        if os.environ.get("TRACKGEN_REQUIRE_COMMAND") == "1":
            pytest.fail("TRACKGEN_COMMAND does not name the command trackgen")
        pytest.skip("needs the command trackgen, which TRACKGEN_COMMAND names")
    file = tmp_path / "batch.npz"
    subprocess.run([command, "generate", "--quiet", "--out", str(file), *arguments], check=True)
    return np.load(file)


def _same(results, file):
    compared = 0
    for name, array in results.items():
        if name in file:
            np.testing.assert_array_equal(
                array.numpy().view(np.uint32), file[name].view(np.uint32).reshape(array.shape), err_msg=name
            )
            compared += 1
    return compared


def test_bits_of_the_command(device, tmp_path):
    file = _command(tmp_path, "--device", "cpu", "--envs", "6", "--seed", "77", "--generator", "hull",
                    "--set", "road.half_width=0.08")
    config = trackgen.TrackConfig(num_envs=6, generator="hull", road={"half_width": 0.08})
    with trackgen.TrackGenerator(device, config, seed=77) as generator:
        assert _same(generator.generate(), file) >= 15


def test_bits_of_gates_of_the_command(device, tmp_path):
    file = _command(tmp_path, "--device", "cpu", "--envs", "5", "--seed", "3", "--course", "gates")
    with trackgen.GateGenerator(device, trackgen.GateConfig(num_envs=5), seed=3) as generator:
        assert _same(generator.generate(), file) >= 8


def test_generate_is_deterministic(generator):
    first = generator.tracks.numpy()
    again = generator.generate().numpy()
    for name, values in first.items():
        np.testing.assert_array_equal(values, again[name])
    with trackgen.TrackGenerator("cpu", {"num_envs": 4}, seeds=[1234, 1235, 1236, 1237]) as other:
        np.testing.assert_array_equal(other.generate().center.numpy(), first["center"])


def test_effective_seeds(generator):
    generator.seeds.set_epoch(3)
    wanted = generator.generate().center.read()
    effective = generator.seeds.effective()
    assert effective.tolist() == [trackgen.effective_seed(1234 + e, 3) for e in range(4)]
    with trackgen.TrackGenerator(generator.device, {"num_envs": 4}, seeds=effective) as other:
        np.testing.assert_array_equal(other.generate().center.numpy(), wanted)
    generator.seeds.reset_epoch()
    np.testing.assert_array_equal(generator.generate(seeds=1234).seed.numpy(), [1234, 1235, 1236, 1237])


@pytest.mark.parametrize("kind", ["int32", "bool", "uint8", "int64", "list", "Array"])
def test_regenerate_by_mask(generator, kind):
    before = generator.tracks.center.read()
    if kind == "list":
        mask = [0, 1, 0, 1]
    elif kind == "Array":
        mask = trackgen.zeros(4, "int32", generator.device)
        mask.write([0, 1, 0, 1])
    else:
        mask = np.array([0, 1, 0, 1]).astype(kind)
    after = generator.regenerate(mask).center.numpy()
    changed = [not np.array_equal(before[e], after[e], equal_nan=True) for e in range(4)]
    assert changed == [False, True, False, True]
    assert generator.tracks.epoch.numpy().tolist() == [0, 1, 0, 1]
    generator.regenerate(mask, advance=False)
    assert generator.tracks.epoch.numpy().tolist() == [0, 1, 0, 1]
    generator.regenerate()
    assert generator.tracks.epoch.numpy().tolist() == [1, 2, 1, 2]


def test_mask_is_not_copied(generator):
    mask = np.array([0, 0, 1, 0], np.int32)
    generator.regenerate(mask)
    kept = generator._inputs._known["mask"].keeper
    assert generator._inputs._known["mask"].address == mask.ctypes.data
    mask[:] = [1, 0, 0, 0]
    generator.regenerate(mask)
    assert generator._inputs._known["mask"].keeper is kept
    assert generator.tracks.epoch.numpy().tolist() == [1, 0, 1, 0]


def test_wrong_masks(generator):
    for mask in (np.zeros(3, np.int32), np.zeros(3, bool), trackgen.zeros(5, "int32", generator.device)):
        with pytest.raises(trackgen.ArgumentError):
            generator.regenerate(mask)
    with pytest.raises(trackgen.ArgumentError):
        generator.regenerate(trackgen.zeros(4, "float32", generator.device))


def test_wrong_seeds(device, config, generator):
    for seed, kind in ((2**31, trackgen.ArgumentError), (1.5, TypeError), ("1", TypeError), (True, TypeError)):
        with pytest.raises(kind):
            trackgen.TrackGenerator(device, config, seed=seed)
    for seeds in ([1, 2, 3], [1.0] * 4, [2**40] * 4, [[1, 2, 3, 4]]):
        with pytest.raises(trackgen.ArgumentError):
            trackgen.TrackGenerator(device, config, seeds=seeds)
        with pytest.raises(trackgen.ArgumentError):
            generator.seeds.set(seeds)
    assert generator.generate().seed.numpy()[0] == 1234, "nothing has changed"


def test_results_explain_themselves(generator):
    assert "center" in dir(generator.tracks)
    assert "centreline" in repr(generator.tracks)
    assert set(generator.tracks) >= {"center", "outer", "inner", "valid", "count"}
    with pytest.raises(AttributeError, match="did you mean 'center'"):
        generator.tracks.centre
    with pytest.raises(KeyError):
        generator.tracks["nothing"]
    with pytest.raises(AttributeError):
        generator.tracks.center = 1


def test_course(device):
    config = trackgen.CourseConfig(tracks={"num_envs": 4}, checkpoints={"spacing": 0.6}, collision={"method": "segments"})
    with trackgen.Course(device, config, seed=7) as course:
        position = course.tracks.center.numpy()[:, :1].copy()
        orientation = np.tile(np.float32([0, 0, 0, 1]), (4, 1, 1))
        half = np.tile(np.float32([0.04, 0.02]), (4, 1, 1))
        position[2, 0, 0] += 0.5
        with pytest.raises(trackgen.Error):
            course.step()
        course.bind(position=position, orientation=orientation, half_extents=half)
        assert course.step() is course
        assert course.contacts.oob.numpy().ravel().tolist() == [0, 0, 1, 0]
        np.testing.assert_allclose(course.contacts.distance.numpy().ravel(), [0.054, 0.054, -0.080, 0.067], atol=6e-4)
        position[2, 0, 0] -= 0.5
        course.step()
        assert course.contacts.oob.numpy().ravel().tolist() == [0, 0, 0, 0], "the bound array is the caller's"
        course.reset(np.ones(4, bool))
        epochs = course.seeds.epoch.read()
        course.regenerate([1, 0, 0, 0])
        assert (course.seeds.epoch.numpy() - epochs).tolist() == [1, 0, 0, 0]
        with pytest.raises(AttributeError, match="results are"):
            course.outcomes


def _race(device, **settings):
    config = trackgen.RaceConfig(tracks={"num_envs": 3, "scale": 10, "road": {"half_width": 1}}, **settings)
    return trackgen.Race(device, config, seed=1)


def test_race(device):
    with _race(device) as race:
        actions = np.zeros((3, 1, 2), np.float32)
        actions[..., 1] = 1
        for _ in range(20):
            assert race.step(actions) is race
        speed = race.state.speed.numpy()
        assert race.outcomes.reward.shape == (3, 1) and race.episodes.shape == (3,)
        assert (speed > 0.5).all()
        assert race._inputs._known["actions"].address == actions.ctypes.data
        race.reset()
        assert (race.state.speed.numpy() == 0).all()
        race.regenerate([1, 0, 0])
        with pytest.raises(trackgen.ArgumentError):
            race.step(np.zeros((2, 1, 2), np.float32))


def test_bound_actions(device):
    with _race(device) as race, _race(device) as other:
        actions = trackgen.zeros((3, 1, 2), "float32", device)
        actions.write(0.5)
        race.bind(actions)
        for _ in range(5):
            race.step()
            other.step(np.full((3, 1, 2), 0.5, np.float32))
        np.testing.assert_array_equal(race.state.position.numpy(), other.state.position.numpy())


def test_driver(device):
    with _race(device, ends={"laps": 1}) as race, race.driver() as driver:
        race.bind(driver.actions)
        for _ in range(900):
            driver.update()
            race.step()
        assert (race.totals.laps.numpy() >= 1).all()


def test_save_and_render(generator, tmp_path):
    path = tmp_path / "tracks.npz"
    generator.save(path, envs=[1, 3])
    with np.load(path) as file:
        np.testing.assert_array_equal(file["center"].reshape(2, 384, 3), generator.tracks.center.numpy()[[1, 3]])
    picture = generator.render(2, width=120, height=80)
    assert picture.shape == (80, 120, 3) and picture.dtype == np.uint8 and len(np.unique(picture)) > 1
    with pytest.raises(OSError):
        generator.save(tmp_path / "nowhere" / "tracks.npz")
    with pytest.raises(trackgen.ArgumentError):
        generator.render(4)


def test_closed_producers(device, config):
    generator = trackgen.TrackGenerator(device, config)
    generator.generate()
    valid = generator.tracks.valid
    generator.close()
    generator.close()
    assert generator.closed
    with pytest.raises(ValueError):
        generator.generate()
    assert valid.numpy().shape == (4,), "results outlive their producer"
    assert "closed" in repr(generator)


def test_unclosed_producers_warn(device, config):
    generator = trackgen.TrackGenerator(device, config)
    with pytest.warns(ResourceWarning, match="unclosed"):
        del generator


def test_effective_configuration(generator):
    assert generator.config["road"]["half_width"] == 0.1
    assert generator.num_envs == 4


def test_devices():
    assert any(found["name"] == "cpu" for found in trackgen.devices())
    with pytest.raises(trackgen.ArgumentError) as raised:
        trackgen.open("gpu:0")
    assert isinstance(raised.value, ValueError) and "gpu:0" in str(raised.value)
    with pytest.raises(TypeError):
        trackgen.open(0)
    with trackgen.open("cpu", workers=1, memory_limit=1 << 20) as small:
        with pytest.raises(MemoryError):
            trackgen.zeros(1 << 20, "float32", small)
    with pytest.raises(errors.Error):
        trackgen.open("cuda:31")
