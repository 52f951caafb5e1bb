"""Refuses sub-interpreters. It is imported before everything else, because ctypes must not be imported into them either."""

from importlib import import_module
from typing import Any


def _is_main() -> bool:
    for name in ("_interpreters", "_xxsubinterpreters"):  # from Python 3.13 on, and before
        try:
            interpreters: Any = import_module(name)
        except ImportError:
            continue
        return bool(interpreters.get_current() == interpreters.get_main())
    return True  # without one of them there are no sub-interpreters


if not _is_main():
    raise ImportError("trackgen cannot be imported into a sub-interpreter: its library has one state for the process")
