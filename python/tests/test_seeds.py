"""Effective seeds on the host: the vectors of package seeds."""

from __future__ import annotations

import numpy as np
import pytest

from trackgen import effective_seed

LARGEST, SMALLEST = 2**31 - 1, -(2**31)
VECTORS = [
    (0, 0, 0), (-5, 0, -5), (0, 1, 1542991246), (1, 1, 169491249), (0, 2, 1087172624), (1234, 1, 257105221),
    (1234, 2, 1397956273), (-1, 1, 463465045), (-1, -1, 440648983), (LARGEST, LARGEST, 42275102),
    (SMALLEST, SMALLEST, 25964545), (SMALLEST, 1, 1026082649), (42, 1000000, 1561895978),
]


@pytest.mark.parametrize("seed, epoch, wanted", VECTORS)
def test_vectors(seed, epoch, wanted):
    """R105"""
    got = effective_seed(seed, epoch)
    assert got == wanted and type(got) is int


def test_arrays():
    seeds, epochs, wanted = np.array(VECTORS, np.int32).T
    got = effective_seed(seeds, epochs)
    assert got.dtype == np.int32
    np.testing.assert_array_equal(got, wanted)
    np.testing.assert_array_equal(effective_seed(seeds.astype(np.int64), 0), seeds)
    assert effective_seed(np.zeros((2, 3), np.int32), 1).shape == (2, 3)


def test_wrong_types():
    for wrong in (1.5, "1", None):
        with pytest.raises(TypeError):
            effective_seed(wrong, 0)
