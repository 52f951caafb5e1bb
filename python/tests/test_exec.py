"""Scopes of calls."""

from __future__ import annotations

import asyncio
import threading

import numpy as np
import pytest

import trackgen
from trackgen import _context, exec


def _scope():
    return _context.current.get() or _context.NOTHING


def test_scopes_nest_and_end():
    assert _scope() == _context.NOTHING
    with exec.unconditional():
        assert _scope().unconditional
        with exec.unconditional(False), exec.conditional(), exec.allow_host_poll():
            assert (_scope().unconditional, _scope().conditional, _scope().host_poll) == (False, True, True)
        assert _scope().unconditional and not _scope().conditional
        with pytest.raises(KeyError):
            with exec.allow_host_poll(False):
                raise KeyError
        assert _scope().host_poll is None
    assert _scope() == _context.NOTHING


def test_scopes_are_of_a_thread_and_a_task():
    seen = []
    with exec.unconditional():
        thread = threading.Thread(target=lambda: seen.append(_scope().unconditional))
        thread.start()
        thread.join()
    assert seen == [False]

    async def inside():
        with exec.unconditional():
            await asyncio.sleep(0.01)
            return _scope().unconditional

    async def outside():
        await asyncio.sleep(0.005)
        return _scope().unconditional

    async def both():
        return await asyncio.gather(inside(), outside())

    assert asyncio.run(both()) == [True, False]


def test_results_do_not_depend_on_scopes(generator):
    wanted = generator.tracks.center.read()
    for scope in (exec.unconditional, exec.conditional, exec.allow_host_poll):
        generator.generate(seeds=5)
        with scope():
            generator.generate(seeds=1234)
            generator.regenerate(np.zeros(4, np.int32))
        np.testing.assert_array_equal(generator.tracks.center.numpy(), wanted)


def test_launch_contexts(device, generator):
    with exec.LaunchContext(device) as context:
        assert context.device is device and context.stream is None and not context.capturing
        generator.generate()
        context.synchronize()
    with exec.LaunchContext.for_call(device).scope():
        assert exec.LaunchContext.for_call(device).device is device
        generator.generate()
    assert not exec.is_capturing(device)
    device.synchronize()


def test_a_context_of_another_device_is_ignored(generator):
    with trackgen.open("cpu") as other, exec.LaunchContext(other):
        generator.generate()


def test_streams_are_for_cuda(device, generator):
    with pytest.raises(trackgen.errors.UnsupportedError):
        generator.generate(stream=1)
    with pytest.raises(trackgen.errors.UnsupportedError):
        trackgen.TrackGenerator(device, {"num_envs": 1}, stream=16)
    for wrong in (True, 1.5, "tensorflow", object()):
        with pytest.raises(TypeError):
            generator.regenerate(None, stream=wrong)


class _TorchStream:
    cuda_stream = 77


class _CupyStream:
    ptr = 78


class _CudaPython:
    def __cuda_stream__(self):
        return 0, 79


@pytest.mark.parametrize("stream, handle", [(5, 5), (_TorchStream(), 77), (_CupyStream(), 78), (_CudaPython(), 79)])
def test_handles_of_streams(stream, handle):
    assert _context.raw_stream(stream, 0) == (handle, False)


def test_contexts_are_made_once(device, generator):
    with exec.unconditional():
        generator.generate()
        generator.regenerate(np.zeros(4, np.int32))
        made = dict(device._contexts)
        for _ in range(10):
            generator.regenerate(np.zeros(4, np.int32))
        assert device._contexts == made and len(made) == 1
