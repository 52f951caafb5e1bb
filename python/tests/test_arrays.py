"""Arrays: no copies, lifetimes, DLPack."""

from __future__ import annotations

import ctypes
import gc
import weakref

import numpy as np
import pytest

import trackgen
from conftest import soon
from trackgen import _dlpack


def test_numpy_views_the_memory(generator):
    center = generator.tracks.center
    view = center.numpy()
    assert view.ctypes.data == center.address
    assert view.shape == center.shape == (4, 384, 3)
    assert view.dtype == center.dtype == np.float32
    assert view.strides == center.strides
    assert np.asarray(center).ctypes.data == center.address
    before = view.copy()
    generator.generate(seeds=99)
    assert not np.array_equal(before, view, equal_nan=True), "the view is the memory that generate writes"


def test_results_cannot_be_written(generator):
    assert generator.tracks.center.read_only
    with pytest.raises(ValueError):
        generator.tracks.center.numpy()[0, 0, 0] = 1
    with pytest.raises(ValueError):
        np.asarray(generator.tracks.center)[0, 0, 0] = 1
    with pytest.raises(trackgen.ArgumentError):
        generator.tracks.center.write(0)


def test_own_arrays_can_be_written(device):
    mask = trackgen.zeros(4, "int32", device)
    assert not mask.read_only
    mask.write([1, 0, 0, 1])
    assert mask.numpy().tolist() == [1, 0, 0, 1]
    mask.numpy()[1] = 7
    assert mask.read().tolist() == [1, 7, 0, 1]
    mask.write(3)
    assert mask.read().tolist() == [3, 3, 3, 3]


def test_views_outlive_everything(config):
    device = trackgen.open("cpu")
    generator = trackgen.TrackGenerator(device, config, seed=1234)
    tracks = generator.generate()
    array, view, other = tracks.center, tracks.center.numpy(), np.asarray(tracks.arclen)
    wanted, wanted_other = view.copy(), other.copy()
    array.close()
    tracks.close()
    generator.close()
    device.close()
    del array, tracks, generator, device
    gc.collect()
    junk = [np.full(wanted.shape, 7, np.float32) for _ in range(50)]  # would take the memory, were it free
    np.testing.assert_array_equal(view, wanted)
    np.testing.assert_array_equal(other, wanted_other)
    del junk


def test_closed_array_is_refused(generator):
    array = generator.tracks.center
    array.close()
    assert array.closed
    for use in (array.numpy, array.read, array.__dlpack__, lambda: array.__array_interface__):
        with pytest.raises(trackgen.ClosedError):
            use()


def _tensor(capsule, versioned):
    name, kind = (b"dltensor_versioned", _dlpack._ManagedVersioned) if versioned else (b"dltensor", _dlpack._Managed)
    assert _dlpack._capsule_valid(capsule, name)
    return kind.from_address(_dlpack._capsule_pointer(capsule, name))


def test_capsules(generator):
    array = generator.tracks.center
    assert array.__dlpack_device__() == (1, 0)
    capsule = array.__dlpack__()
    plain = _tensor(capsule, False)
    assert plain.tensor.data == array.address
    capsule = array.__dlpack__(max_version=(1, 2))
    versioned = _tensor(capsule, True)
    assert (versioned.major, versioned.flags & _dlpack.READ_ONLY) == (1, 1)
    assert tuple(versioned.tensor.shape[:3]) == (4, 384, 3)
    assert tuple(versioned.tensor.strides[:3]) == (384 * 3, 3, 1)
    assert (versioned.tensor.dtype.code, versioned.tensor.dtype.bits) == (_dlpack.FLOAT, 32)
    own = trackgen.zeros((2, 3), "int32", generator.device)
    capsule = own.__dlpack__(max_version=(1, 0))
    assert _tensor(capsule, True).flags == 0


def test_unused_capsules_are_given_back(generator):
    gc.collect()
    before = len(_dlpack._exports)
    capsules = [generator.tracks.center.__dlpack__(max_version=version) for version in (None, (1, 0)) for _ in range(8)]
    assert len(_dlpack._exports) == before + 16
    del capsules
    assert len(_dlpack._exports) == before


def test_capsule_arguments(generator):
    array = generator.tracks.center
    with pytest.raises(ValueError):
        array.__dlpack__(stream=1)
    with pytest.raises(BufferError):
        array.__dlpack__(dl_device=(2, 0))
    copied = np.from_dlpack(_Copied(array))
    assert copied.ctypes.data != array.address
    np.testing.assert_array_equal(copied, array.numpy())


class _Copied:
    """Asks for a copy."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **arguments):
        arguments["copy"] = True
        return self.array.__dlpack__(**arguments)


def test_numpy_from_dlpack(generator):
    view = np.from_dlpack(generator.tracks.center)
    assert view.ctypes.data == generator.tracks.center.address
    assert not view.flags.writeable
    del view
    gc.collect()
    assert not any(owner[3] is generator.tracks.center._keeper for owner in _dlpack._exports.values())


def test_foreign_memory_is_wrapped(device):
    class Owner(np.ndarray):
        pass

    values = np.arange(6, dtype=np.float32).reshape(2, 3).view(Owner)
    gone = weakref.ref(values)
    array = trackgen.from_dlpack(values, device)
    assert array.address == values.ctypes.data
    assert array.shape == (2, 3)
    values[1, 2] = 42
    assert array.read()[1, 2] == 42
    del values
    gc.collect()
    assert array.read()[1, 2] == 42, "the owner is kept"
    assert gone() is not None
    array.close()
    del array
    assert soon(lambda: gone() is None), "and let go"


def test_wrong_foreign_memory_is_refused(device):
    values = np.zeros((4, 4), np.float32)
    with pytest.raises(trackgen.ArgumentError, match="contiguous"):
        trackgen.from_dlpack(values[:, ::2], device)
    with pytest.raises(trackgen.ArgumentError, match="int32, float32"):
        trackgen.from_dlpack(values.astype(np.float64), device)
    with pytest.raises(trackgen.ArgumentError):
        trackgen.from_dlpack(np.zeros((1, 1, 1, 1, 1), np.int32), device)
    with pytest.raises(TypeError):
        trackgen.from_dlpack([1, 2], device)
    with pytest.raises(trackgen.errors.DeviceMismatchError):
        trackgen.from_dlpack(_Elsewhere(), device)
    odd = np.frombuffer(bytearray(17), np.uint8)[1:].view(np.int32)
    with pytest.raises(trackgen.ArgumentError, match="multiple of 4"):
        trackgen.from_dlpack(odd, device)


class _Elsewhere:
    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, **arguments):
        raise AssertionError("the device is wrong already")


def test_asarray(device):
    values = np.arange(4, dtype=np.int32)
    assert trackgen.asarray(values, device).address == values.ctypes.data
    assert trackgen.asarray(values, device, "float32").address != values.ctypes.data
    assert trackgen.asarray([1.5, 2.5], device).read().tolist() == [1.5, 2.5]
    assert trackgen.asarray([True, False], device).read().tolist() == [1, 0]
    array = trackgen.zeros(3, "uint32", device)
    assert trackgen.asarray(array, device) is array


def test_wrong_arrays_are_refused(device):
    with pytest.raises(trackgen.ArgumentError) as raised:
        trackgen.zeros(4, "float64", device)
    assert raised.value.argument == "dtype" and "float32" in raised.value.allowed
    for shape in ((), (1, 1, 1, 1, 1), -1, (2, 0, -3)):
        with pytest.raises(trackgen.ArgumentError):
            trackgen.zeros(shape, "int32", device)
    with pytest.raises(ValueError):
        trackgen.zeros(4, "int32", device).write([1, 2, 3])


def test_no_pickle(generator):
    import pickle

    for thing in (generator, generator.tracks.center, generator.device):
        with pytest.raises(TypeError):
            pickle.dumps(thing)


def test_array_protocol(generator):
    array = generator.tracks.length
    assert len(array) == 4 and array.ndim == 1 and array.size == 4 and array.nbytes == 16
    assert array.unit == "length" and array.name == "length" and "centreline" in array.doc
    assert np.asarray(array, dtype=np.float64).dtype == np.float64
    assert "float32 [4]" in repr(array)
    assert ctypes.c_float.from_address(array.address).value == array.numpy()[0]
