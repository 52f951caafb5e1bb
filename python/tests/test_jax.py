"""JAX: arrays of the same memory, and masks."""

from __future__ import annotations

import numpy as np

import trackgen


def test_arrays_are_views(generator, jax):
    length = generator.tracks.length
    array = jax.dlpack.from_dlpack(length)
    np.testing.assert_array_equal(np.asarray(array), length.numpy())
    assert array.unsafe_buffer_pointer() == length.address or length.address % 64, "JAX copies what is not aligned to 64"


def test_masks(generator, jax):
    mask = jax.numpy.array([0, 1, 0, 0], dtype="int32")
    generator.regenerate(mask)
    generator.regenerate(mask > 0)
    assert generator.tracks.epoch.numpy().tolist() == [0, 2, 0, 0]


def test_wrapped(device, jax):
    values = jax.numpy.arange(6, dtype="float32").reshape(2, 3)
    array = trackgen.from_dlpack(values, device)
    assert array.address == values.unsafe_buffer_pointer()
    assert array.read().tolist() == [[0, 1, 2], [3, 4, 5]]
