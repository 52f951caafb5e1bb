"""What a hostile or unlucky caller does: it gets an error that says what is wrong, and nothing breaks or leaks."""

from __future__ import annotations

import signal
import threading

import numpy as np
import pytest

import trackgen
from trackgen import errors
from trackgen._library import lib


@pytest.mark.parametrize("call", ["generate", "regenerate", "render", "config"])
def test_closed_producers_say_so(generator, call):
    generator.close()
    with pytest.raises(errors.ClosedError, match="TrackGenerator has been closed"):
        method = getattr(generator, call)
        method()


def test_closed_devices_say_so(config):
    device = trackgen.open("cpu")
    device.close()
    for call in (device.synchronize, lambda: trackgen.zeros(3, "int32", device), lambda: trackgen.TrackGenerator(device)):
        with pytest.raises(errors.ClosedError, match="Device has been closed"):
            call()


def test_close_during_a_call_of_another_thread(generator, monkeypatch):
    """The object stays open, and can be closed later; it does not leak."""
    statuses = [int(errors.Status.CONCURRENT)]
    close = lib.tg_close
    monkeypatch.setattr(lib, "tg_close", lambda handle: statuses.pop() if statuses else close(handle))
    with pytest.raises(errors.ConcurrentUseError):
        generator.close()
    assert not generator.closed
    generator.generate()
    generator.close()
    assert generator.closed


def test_warnings_as_errors_close_too(device, config, monkeypatch):
    """A ResourceWarning that is an error does not keep the object open."""
    import warnings

    closed = []
    generator = trackgen.TrackGenerator(device, config)
    handle = generator._handle
    monkeypatch.setattr(trackgen.TrackGenerator, "_close", staticmethod(lambda it: closed.append(it) or lib.tg_close(it)))
    monkeypatch.setattr("sys.unraisablehook", lambda _: None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        del generator
    assert closed == [handle]


def odd(values):
    """Returns int32 values at an address that is not a multiple of 4."""
    memory = np.zeros(4 * len(values) + 1, np.uint8)
    memory[1:].view("<i4")[:] = values
    return memory[1:].view("<i4")


MASK = [1, 0, -7, 0]


@pytest.mark.parametrize(
    "mask",
    [
        np.repeat(np.array(MASK, np.int32), 2)[::2], np.array(MASK, ">i4"), odd(MASK), np.array([2**32, 0, 2**40, 0]),
        np.array([np.nan, 0, 0.5, -0.0]), [True, False, True, False],
    ],
    ids=["gaps", "big-endian", "misaligned", "int64", "float64", "list"],
)
def test_masks_of_any_layout(generator, mask):
    generator.generate()
    generator.regenerate(mask)
    assert generator.seeds.epoch.read().tolist() == [1, 0, 1, 0]


@pytest.mark.parametrize("mask", ["1111", np.ones(4, complex), np.array([None] * 4), np.ones(5, bool), np.ones(0, np.int32)])
def test_wrong_masks_are_refused(generator, mask):
    generator.generate()
    with pytest.raises(errors.ArgumentError):
        generator.regenerate(mask)
    assert generator.seeds.epoch.read().tolist() == [0, 0, 0, 0]


def test_a_step_without_actions_says_what_it_needs(device):
    with trackgen.Race(device, {"tracks": {"num_envs": 2}}) as race:
        with pytest.raises(trackgen.errors.ArgumentError, match="no actions") as caught:
            race.step()
        assert caught.value.argument == "actions"
        race.bind(np.zeros((2, 1, 2), np.float32))
        race.step()


def test_actions_of_a_wrong_size_change_nothing(device):
    """The first converted actions say nothing of the size of the next ones."""
    race = trackgen.Race(device, {"tracks": {"num_envs": 4}})
    for wrong in (np.zeros(9), 0.5, [[1.0]], "x"):
        with pytest.raises(errors.ArgumentError):
            race.step(wrong)
    race.step(np.zeros((4, 1, 2)))
    race.step([[[0, 1]]] * 4)
    with pytest.raises(errors.ArgumentError):
        race.step(np.zeros(1))
    race.close()


@pytest.mark.parametrize("shape", [2**64 + 5, -(2**64) + 5, (2**32 + 1,), -1])
def test_shapes_do_not_wrap_around(device, shape):
    with pytest.raises(errors.ArgumentError, match="shape"):
        trackgen.zeros(shape, "int32", device)


@pytest.mark.parametrize("values", [1.5, np.nan, np.inf, 2**31, -(2**31) - 1, 1j, "1", None, [1, 2, 3, 4]])
def test_values_that_do_not_fit(device, values):
    array = trackgen.zeros((2, 3), "int32", device)
    with pytest.raises(errors.ArgumentError):
        array.write(values)
    assert not array.read().any()


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.1.0", reason="an older NumPy lends no read-only memory")
def test_read_only_memory_is_not_written(device):
    text = b"12345678"
    array = trackgen.from_dlpack(np.frombuffer(text, np.int32), device)
    assert array.read_only
    with pytest.raises(errors.ArgumentError, match="read-only"):
        array.write(0)
    assert text == b"12345678"


def test_arrays_of_another_device_and_type(device):
    array = trackgen.asarray([1, 2], device)
    with trackgen.open("cpu") as other:
        assert trackgen.asarray(array, other).device is other
        assert trackgen.from_dlpack(array, other).device is other
    assert trackgen.asarray(array, device) is array
    converted = trackgen.asarray(array, device, "float32")
    assert converted.dtype == np.float32 and converted.read().tolist() == [1, 2]
    for call in (trackgen.zeros, trackgen.asarray, trackgen.from_dlpack):
        with pytest.raises(TypeError, match="device is a Device"):
            call(3, "int32", "cpu") if call is trackgen.zeros else call(np.zeros(3, np.int32), "cpu")


def test_numbers_do_not_wrap_around(generator):
    """Numbers that C has no place for are refused before the call, and before memory is taken."""
    generator.generate()
    for wrong in ({"env": 2**32}, {"width": 2**32 + 400}, {"width": 10**9, "height": 10**9}, {"width": -1}, {"height": 0}):
        with pytest.raises(errors.ArgumentError, match=next(iter(wrong))):
            generator.render(**wrong)
    with pytest.raises(TypeError, match="env is an int"):
        generator.render(1.5)
    for stream in (-1, 2**70):
        with pytest.raises(ValueError, match="stream is"):
            generator.regenerate(stream=stream)


def test_options_of_devices():
    for option in ("workers", "memory_limit"):
        for wrong in (1.5, "3", True, float("nan")):
            with pytest.raises(TypeError, match=f"{option} is an int"):
                trackgen.open("cpu", **{option: wrong})
        with pytest.raises(errors.ArgumentError, match=f"{option} is"):
            trackgen.open("cpu", **{option: 2**70})
    with pytest.raises(TypeError, match="debug is True or False"):
        trackgen.open("cpu", debug=1)
    with trackgen.open("cpu", workers=np.int64(2)) as device:
        assert device.info["workers"] == 2


def test_texts_with_a_null_character(generator, tmp_path):
    """C would see the part before."""
    with pytest.raises(ValueError, match="null"):
        trackgen.open("cpu\0cuda")
    generator.generate()
    with pytest.raises(ValueError, match="null"):
        generator.save(f"{tmp_path}/a.npz\0b")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["\u00fc\u4e2d.npz", "\udcff.npz"])
def test_names_of_files(generator, tmp_path, name):
    generator.generate()
    generator.save(tmp_path / name)
    generator.save(bytes(tmp_path) + b"/bytes.npz", envs=np.array([1]))
    assert {path.name for path in tmp_path.iterdir()} == {name, "bytes.npz"}
    with pytest.raises(TypeError):
        generator.save(tmp_path / name, envs=[1.5])


@pytest.mark.parametrize("value", [10**400, np.arange(3), 1j, b"1", float("nan")])
@pytest.mark.parametrize("name", ["num_envs", "road.half_width"])
def test_wrong_settings(name, value):
    with pytest.raises(errors.ConfigError, match=name):
        trackgen.TrackConfig.from_dict({name: value})


@pytest.mark.parametrize("name", [1, "", ".", None])
def test_wrong_names_of_settings(name):
    with pytest.raises(errors.UnknownSettingError) as raised:
        trackgen.TrackConfig.from_dict({name: 1})
    assert "; it is" not in str(raised.value)


def test_dicts_of_settings_are_plain():
    """They have lists, not tuples, as JSON and YAML do, and share nothing with the configuration."""
    config = trackgen.RaceConfig.from_dict({"car.mass": (3, 4), "observe.motion": ["speed"]})
    settings = config.to_dict()
    assert settings["car"]["mass"] == [3, 4] and type(settings["car"]["mass"]) is list
    settings["observe"]["motion"].append("bogus")
    assert config.observe.motion == ["speed"]


def test_ctrl_c_twice():
    """The second one comes while the first one waits: the result of the call is still closed."""
    from trackgen._handles import interruptible

    released, disposed = threading.Event(), []

    def work():
        released.wait()
        return 7

    main = threading.main_thread().ident
    timers = [threading.Timer(wait, signal.pthread_kill, (main, signal.SIGINT)) for wait in (0.1, 0.25)]
    for timer in timers:
        timer.start()
    with pytest.raises(KeyboardInterrupt) as raised:
        interruptible(lambda: None, work, disposed.append)
    for timer in timers:
        timer.join()
    released.set()
    assert raised.value.trackgen_pending.result() == 7
    raised.value.trackgen_pending._thread.join()
    assert disposed == [7]


def test_a_signal_may_arrive_in_another_thread():
    """The system chooses the thread of a signal: the wait of the main one ends nonetheless."""
    from trackgen._handles import interruptible

    released = threading.Event()
    other = threading.Thread(target=released.wait)
    other.start()
    timer = threading.Timer(0.1, signal.pthread_kill, (other.ident, signal.SIGINT))
    late = threading.Timer(20, released.set)
    timer.start(), late.start()
    with pytest.raises(KeyboardInterrupt):
        interruptible(lambda: None, released.wait, lambda _: None)
    was_released = released.is_set()
    late.cancel(), released.set()
    for thread in (timer, late, other):
        thread.join()
    assert not was_released
