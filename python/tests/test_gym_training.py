"""examples/python/ppo.py trains: here for some seconds; make train does the whole."""

from __future__ import annotations

import csv
import importlib.util
from pathlib import Path
from typing import Any

import pytest

EXAMPLE = next(
    path for folder in Path(__file__).parents if (path := folder / "examples" / "python" / "ppo.py").exists()
)


@pytest.fixture
def ppo(torch: Any) -> Any:
    pytest.importorskip("gymnasium", reason="needs gymnasium of PyPI")
    spec = importlib.util.spec_from_file_location("ppo", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_training_changes_the_policy_and_writes_its_files(ppo: Any, torch: Any, tmp_path: Path) -> None:
    given = ["--out", str(tmp_path), "--updates", "2", "--envs", "32", "--steps", "16", "--batch", "256"]
    policy = ppo.train(ppo.arguments(given), tmp_path)
    torch.manual_seed(1)
    before = ppo.Policy(policy.mean.numel(), 2)
    for (name, parameter), first in zip(policy.named_parameters(), before.parameters()):
        assert not torch.equal(parameter, first), f"{name} is as it was at the begin"
    with open(tmp_path / "curve.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["update"]) for row in rows] == [1, 2] and tuple(rows[0]) == ppo.CURVE
    assert int(rows[1]["steps"]) == 2 * 32 * 16
    state = torch.load(tmp_path / "policy.pt")
    assert torch.equal(state["mean"], policy.mean) and float(policy.variance.min()) > 0


def test_advantages_stop_at_ends_and_go_on_after_the_end_of_the_time(ppo: Any, torch: Any) -> None:
    rollout = ppo.Rollout(2, 3, 1, 1)
    rollout.rewards[:] = 1
    rollout.terminated[1, 0] = 1  # env 0 ends after its second step, env 1 is cut off there
    rollout.done[2] = 1
    values = torch.tensor([[0.5, 0.5], [0.25, 0.25], [8.0, 8.0], [2.0, 2.0]])
    result = rollout.advantages(values, 1.0)
    last = 1 - 0.25
    cut = 1 + ppo.GAMMA * 8 - 0.25
    assert result[1].tolist() == pytest.approx([last, cut])
    decay = ppo.GAMMA * ppo.LAMBDA
    first = 1 + ppo.GAMMA * 0.25 - 0.5
    assert result[0].tolist() == pytest.approx([first + decay * last, first + decay * cut])


def test_the_reference_driver_laps_the_tracks_of_the_evaluation(ppo: Any) -> None:
    envs = ppo.races(4, ppo.UNSEEN, ("bezier",), frame_skip=1)
    driver = envs.race.driver()
    laps, times, crashes, ways = ppo.drive(envs, ppo.UNSEEN, lambda _: driver.update().torch()[:, 0])
    assert laps.tolist() == [1] * 4 and not crashes.any()
    assert (times > 5).all() and (times < 30).all()
    assert ways.shape[1:] == (4, 3) and ways[0].isfinite().all() and len(ways) * envs.step_time >= float(times.max())
    envs.close()
