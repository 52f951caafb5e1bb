"""What a hostile or unlucky caller does: it gets an error that says what is wrong, and nothing breaks or leaks."""

from __future__ import annotations

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
