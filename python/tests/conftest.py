"""What the tests have in common. They run on an installed trackgen, from outside of the checkout."""

from __future__ import annotations

import gc
import importlib
import os
import subprocess
import sys
import textwrap
import time
from typing import Any, Callable, Iterator

import pytest

import trackgen

NAMES = {"torch": "python3-torch of Debian", "jax": "jax of PyPI"}


def needed(name: str) -> Any:
    """Imports a library, or skips the test by its name; with TRACKGEN_REQUIRE_<NAME>=1 it fails."""
    if os.environ.get(f"TRACKGEN_REQUIRE_{name.upper()}") == "1":
        return importlib.import_module(name)
    return pytest.importorskip(name, reason=f"needs {NAMES[name]}", exc_type=ImportError)


def soon(condition: Callable[[], bool]) -> bool:
    """Waits for what the library does in its own time, such as to let go of memory."""
    deadline = time.monotonic() + 30
    while not condition() and time.monotonic() < deadline:
        gc.collect()
        time.sleep(0.01)
    return condition()


@pytest.fixture(scope="session")
def torch() -> Any:
    return needed("torch")


@pytest.fixture(scope="session")
def jax() -> Any:
    return needed("jax")


@pytest.fixture
def device() -> Iterator[trackgen.Device]:
    with trackgen.open("cpu") as opened:
        yield opened
        gc.collect()


@pytest.fixture
def config() -> trackgen.TrackConfig:
    return trackgen.TrackConfig(num_envs=4)


@pytest.fixture
def generator(device: trackgen.Device, config: trackgen.TrackConfig) -> Iterator[trackgen.TrackGenerator]:
    with trackgen.TrackGenerator(device, config, seed=1234) as made:
        made.generate()
        yield made


@pytest.fixture
def run() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs a program in another process of this interpreter."""

    def program(source: str, *, timeout: float = 120, options: tuple[str, ...] = ()) -> Any:
        text = textwrap.dedent(source)
        return subprocess.run(
            [sys.executable, *options, "-c", text], capture_output=True, text=True, timeout=timeout, check=False
        )

    return program
