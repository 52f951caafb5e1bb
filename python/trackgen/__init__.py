"""Race tracks for reinforcement learning, thousands at a time, with the same bits for the same seeds on every device.

::

    import trackgen

    device = trackgen.open("auto")
    generator = trackgen.TrackGenerator(device, trackgen.TrackConfig(num_envs=4096), seed=1)
    tracks = generator.generate()
    center = tracks.center.numpy()  # float32 [E, N_max, 3]; a view on the CPU
    generator.regenerate(done)  # new tracks where a mask of torch or NumPy is not 0

- :class:`TrackGenerator` and :class:`GateGenerator` make batches of tracks and gate courses.
- :class:`Course` follows agents on them; :class:`Race` has vehicles, rewards, episodes and observations, too.
- :class:`Array` is device memory, which NumPy, torch and JAX see without a copy.
- :mod:`trackgen.exec` says how calls run, :mod:`trackgen.interop.torch` records them into captures of torch, and
  :mod:`trackgen.testing` guards the hot path.
- :mod:`trackgen.gym` has environments for Gymnasium.

docs/python.md in the repository is a guide.
"""

from __future__ import annotations

from typing import Any

from . import _interpreter  # first: it refuses sub-interpreters
from . import errors, exec, interop, testing
from ._library import version as _version
from .array import Array, asarray, from_dlpack, zeros
from .config import CourseConfig, GateConfig, RaceConfig, TrackConfig
from .course import Course
from .device import Device, devices, open
from .errors import (
    ArgumentError,
    CaptureError,
    ClosedError,
    ConcurrentUseError,
    ConfigError,
    Error,
    ForkedError,
    RebindAfterCaptureWarning,
)
from .gates import GateGenerator
from .race import Driver, Race
from .seeds import SeedState, effective_seed
from .tracks import TrackGenerator

__version__ = _version()

__all__ = [
    "ArgumentError", "Array", "CaptureError", "ClosedError", "ConcurrentUseError", "ConfigError", "Course", "CourseConfig",
    "Device", "Driver", "Error", "ForkedError", "GateConfig", "GateGenerator", "Race", "RaceConfig",
    "RebindAfterCaptureWarning", "SeedState", "TrackConfig", "TrackGenerator", "asarray", "devices", "effective_seed",
    "errors", "exec", "from_dlpack", "interop", "open", "testing", "zeros",
]


def __getattr__(name: str) -> Any:
    if name == "gym":  # it needs Gymnasium
        import importlib

        return importlib.import_module("trackgen.gym")
    raise AttributeError(f"module 'trackgen' has no attribute {name!r}")
