"""torch: the same memory, in both directions."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import trackgen
from conftest import soon


def test_tensors_are_views(generator, torch):
    center = generator.tracks.center
    tensor = center.torch()
    assert tensor.data_ptr() == center.address
    assert tuple(tensor.shape) == center.shape and tensor.dtype == torch.float32
    assert torch.from_dlpack(generator.tracks.valid).data_ptr() == generator.tracks.valid.address
    before = tensor.clone()
    generator.generate(seeds=99)
    assert not torch.equal(torch.nan_to_num(before), torch.nan_to_num(tensor))


def test_tensors_outlive_everything(torch):
    device = trackgen.open("cpu")
    generator = trackgen.TrackGenerator(device, {"num_envs": 4}, seed=1)
    tensor = generator.generate().center.torch()
    wanted = tensor.clone()
    generator.close()
    device.close()
    del generator, device
    gc.collect()
    junk = [torch.full_like(wanted, 7) for _ in range(50)]
    assert torch.equal(torch.nan_to_num(tensor), torch.nan_to_num(wanted))
    del junk, tensor
    gc.collect()


def test_masks_are_not_copied(generator, torch):
    mask = torch.tensor([0, 1, 0, 0], dtype=torch.int32)
    generator.regenerate(mask)
    assert generator._inputs._known["mask"].address == mask.data_ptr()
    assert generator.tracks.epoch.numpy().tolist() == [0, 1, 0, 0]
    mask.zero_()
    mask[3] = 1
    generator.regenerate(mask)
    assert generator.tracks.epoch.numpy().tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize("kind", ["bool", "uint8", "int64"])
def test_other_masks_are_converted(generator, torch, kind):
    mask = torch.tensor([0, 1, 0, 0], dtype=getattr(torch, kind))
    generator.regenerate(mask)
    assert generator.tracks.epoch.numpy().tolist() == [0, 1, 0, 0]


def test_tensors_are_kept_and_let_go(device, torch):
    import weakref

    tensor = torch.arange(6, dtype=torch.float32).reshape(2, 3)
    storage = tensor.data_ptr()
    gone = weakref.ref(tensor)
    array = trackgen.from_dlpack(tensor, device)
    del tensor
    gc.collect()
    assert array.address == storage and array.read().tolist() == [[0, 1, 2], [3, 4, 5]]
    array.close()
    del array
    assert soon(lambda: gone() is None)


def test_actions_are_not_copied(device, torch):
    config = trackgen.RaceConfig(tracks={"num_envs": 3, "scale": 10, "road": {"half_width": 1}})
    with trackgen.Race(device, config, seed=1) as race:
        actions = torch.zeros((3, 1, 2))
        actions[..., 1] = 1
        for _ in range(20):
            race.step(actions)
        assert race._inputs._known["actions"].address == actions.data_ptr()
        reward = race.outcomes.reward.torch()
        assert reward.data_ptr() == race.outcomes.reward.address and (race.state.speed.numpy() > 0.5).all()
        with pytest.raises(trackgen.ArgumentError, match="contiguous"):
            race.bind(torch.zeros((3, 1, 4))[..., ::2])
        race.bind(actions)
        actions[..., 1] = -1
        speed = race.state.speed.read()
        for _ in range(5):
            race.step()
        assert (race.state.speed.numpy() < speed).all()


def test_end_of_the_interpreter(run, torch):
    ran = run(
        """
        import builtins, torch, trackgen
        device = trackgen.open("cpu")
        generator = trackgen.TrackGenerator(device, {"num_envs": 2})
        builtins.kept = [generator.generate().center.torch(), trackgen.from_dlpack(torch.zeros(4), device)]
        print("end")
        """,
        options=("-X", "faulthandler"),
    )
    assert (ran.returncode, ran.stdout) == (0, "end\n"), ran.stderr


def test_bits(generator, torch):
    np.testing.assert_array_equal(generator.tracks.outer.torch().numpy(), generator.tracks.outer.numpy())
