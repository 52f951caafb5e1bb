"""Exceptions: each fits the built-in one that Python's libraries raise."""

from __future__ import annotations

import warnings

import pytest

import trackgen
from trackgen import _library, errors

BUILT_IN = {
    errors.Status.INVALID: ValueError, errors.Status.CONFIG: ValueError, errors.Status.CAPTURE: RuntimeError,
    errors.Status.CLOSED: ValueError, errors.Status.UNSUPPORTED: NotImplementedError,
    errors.Status.OUT_OF_MEMORY: MemoryError, errors.Status.DEVICE_LOST: RuntimeError,
    errors.Status.DEVICE_MISMATCH: ValueError, errors.Status.CONCURRENT: RuntimeError,
    errors.Status.CANCELED: RuntimeError, errors.Status.VIOLATION: AssertionError, errors.Status.FORKED: RuntimeError,
    errors.Status.INTERNAL: RuntimeError, errors.Status.FAILED: OSError, errors.Status.UNAVAILABLE: RuntimeError,
}


@pytest.mark.parametrize("status", [status for status in errors.Status if status])
def test_status(status):
    error = errors.of_status(status, "what", {"operation": "do", "argument": "it", "value": "1", "allowed": "2"})
    assert isinstance(error, trackgen.Error) and isinstance(error, BUILT_IN[status])
    assert str(error) == "what"
    assert (error.op, error.argument, error.value, error.allowed) == ("do", "it", "1", "2")


def test_kinds_of_captures_errors():
    for kind in (errors.NotCapturableError, errors.LegacyPluginStreamError, errors.NotPreparedError):
        error = errors.of_status(errors.Status.CAPTURE, "no", {"type": kind.__name__})
        assert type(error) is kind and isinstance(error, errors.CaptureError)


def test_unknown_status():
    assert isinstance(errors.of_status(99, "", {}), errors.FailedError)


def test_details_of_a_call(device):
    with pytest.raises(trackgen.ArgumentError) as raised:
        trackgen.zeros((4, -1), "int32", device)
    assert raised.value.value == "(4, -1)" and raised.value.argument and raised.value.allowed


@pytest.mark.parametrize(
    "kind", [errors.RebindAfterCaptureWarning, errors.KeyedGraphLimitWarning, errors.DenormalsWarning]
)
def test_warnings(kind, monkeypatch):
    kept = [f'{{"type": "{kind.__name__}", "text": "mind"}}', ""]
    monkeypatch.setattr(_library, "text", lambda function: kept.pop(0))
    with pytest.warns(kind, match="mind"):
        _library.emit_warnings()
    assert issubclass(kind, UserWarning)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", kind)
        kept[:] = [f'{{"type": "{kind.__name__}", "text": "mind"}}', ""]
        _library.emit_warnings()


def test_wrong_abi():
    assert _library.lib.tg_check_abi(_library.ABI[0] + 1, 0) != 0
    assert _library.lib.tg_check_abi(_library.ABI[0], _library.ABI[1] + 1000) != 0
