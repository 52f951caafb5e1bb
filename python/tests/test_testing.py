"""Guards of the hot path."""

from __future__ import annotations

import numpy as np
import pytest

import trackgen
from trackgen import testing


@pytest.fixture
def watched():
    with trackgen.open("cpu", instrumented=True) as device:
        config = trackgen.RaceConfig(tracks={"num_envs": 2, "scale": 10, "road": {"half_width": 1}})
        with trackgen.Race(device, config, seed=1) as race:
            race.step(np.zeros((2, 1, 2), np.float32))
            yield device, race


def test_hot_path(watched):
    device, race = watched
    actions = trackgen.zeros((2, 1, 2), "float32", device)
    with testing.hot_path_guard(device) as guard:
        for _ in range(3):
            race.step(actions)
    assert guard.ok and guard.violations == [] and sum(guard.checks.values()) > 0
    assert "kept its contract" in guard.report()


def test_strict_guard_refuses(watched):
    device, race = watched
    guard = testing.no_host_sync(device)
    with pytest.raises(testing.Violation) as raised:
        with guard:
            race.outcomes.reward.read()
    assert raised.value.category == "host_sync"
    assert [finding.category for finding in guard.violations] == ["host_sync"]
    with pytest.raises(AssertionError):
        with guard:
            try:
                device.synchronize()
            except trackgen.Error:
                pass  # swallowed, and raised at the end
    with guard:
        race.step(np.zeros((2, 1, 2), np.float32))
    assert guard.ok, "it forgets what it has seen before"


def test_recording_guard_takes_notes(watched):
    device, race = watched
    with testing.hot_path_guard(device, strict=False) as guard:
        race.outcomes.reward.read()
    assert not guard.ok and len(guard.of("host_sync")) >= 1 and guard.of("capture") == []
    assert guard.of("host_sync")[0].api in str(guard.of("host_sync")[0])
    assert "host_sync" in guard.report()
    with pytest.raises(testing.Violation):
        guard.raise_for_violations()


def test_other_guards(watched):
    device, race = watched
    actions = trackgen.zeros((2, 1, 2), "float32", device)
    for make in (testing.no_allocation, testing.stream_explicit):
        with make(device) as guard:
            race.step(actions)
        assert guard.ok


def test_wrong_guards(watched):
    device, _ = watched
    with pytest.raises(trackgen.ArgumentError):
        testing.Guard(device, ["time"])
    with pytest.raises(ValueError):
        testing.Guard(device).of("time")
    guard = testing.Guard(device)
    with guard:
        with pytest.raises(RuntimeError):
            guard.__enter__()
    with trackgen.open("cpu") as plain, pytest.raises(trackgen.Error):
        with testing.hot_path_guard(plain):
            pass
