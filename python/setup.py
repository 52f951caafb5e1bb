"""What pyproject.toml cannot say: the version is that of the C library, and the wheel is of a platform.

The library is loaded by ctypes, so one wheel fits every version of Python 3.
"""

import re
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel

HEADER = Path(__file__).parent.parent / "interop" / "cabi" / "trackgen.h"


class PlatformWheel(bdist_wheel):
    """A wheel for any Python 3 on the platform of the library."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class PlatformDistribution(Distribution):
    """A distribution with a library of the platform."""

    def has_ext_modules(self):
        return True


version = re.search(r'#define TRACKGEN_VERSION "(.+)"', HEADER.read_text())
setup(version=version.group(1), cmdclass={"bdist_wheel": PlatformWheel}, distclass=PlatformDistribution)
