"""Guards of the hot path, for tests: they find waits, allocations, other streams and nested captures (rules R119 to R137).

::

    device = trackgen.open("cpu", instrumented=True)
    ...
    with trackgen.testing.hot_path_guard(device):
        race.step(actions)

A guard sees the calls of this library on an instrumented device, not what other libraries do there.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Iterable, Optional

from . import _context, _library, errors
from ._library import lib
from .device import Device
from .errors import Violation

__all__ = [
    "CATEGORIES", "Finding", "Guard", "Violation", "hot_path_guard", "no_allocation", "no_host_sync", "stream_explicit",
]

CATEGORIES = ("host_sync", "allocation", "stream", "capture")
"""What guards look for, in the order of reports."""


@dataclasses.dataclass(frozen=True)
class Finding:
    """What a guard has seen: a violation, or an operation that is part of the contract."""

    category: str
    api: str
    site: str
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.api} from {self.site}" + (f": {self.detail}" if self.detail else "")


class Guard:
    """Watches the calls in a ``with`` block. It can be used again, and forgets then what it has seen before.

    :param device: a device of ``trackgen.open(..., instrumented=True)``.
    :param categories: what it looks for, of ``CATEGORIES``.
    :param strict: refuses a forbidden call before it runs, and raises at the end of the block even if the code has
        swallowed the error. Otherwise it only takes notes.
    """

    def __init__(self, device: Device, categories: Iterable[str] = CATEGORIES, *, strict: bool = True) -> None:
        chosen = tuple(categories)
        for category in chosen:
            _known(category)
        self._device, self._strict = device, strict
        self._watched = sum(1 << CATEGORIES.index(category) for category in set(chosen))
        self._handle = 0
        self._token: Any = None
        self._report: dict[str, Any] = {}

    @property
    def strict(self) -> bool:
        """Whether it refuses what it looks for."""
        return self._strict

    @property
    def violations(self) -> list[Finding]:
        """What was forbidden."""
        return self._findings("violations")

    @property
    def sanctioned(self) -> list[Finding]:
        """Waits that are part of the contract: flags of loops, and the work of HOST stages."""
        return self._findings("sanctioned")

    @property
    def checks(self) -> dict[str, int]:
        """The number of calls it has looked at, by category."""
        self._update()
        return dict(self._report.get("checks") or {})

    @property
    def ok(self) -> bool:
        """Whether nothing was forbidden."""
        return not self.violations

    def of(self, category: str) -> list[Finding]:
        """Returns the violations of one category."""
        _known(category)
        return [finding for finding in self.violations if finding.category == category]

    def report(self) -> str:
        """Says what was seen."""
        self._update()
        return str(self._report.get("text", ""))

    def raise_for_violations(self) -> None:
        """Raises the first violation, if there is one."""
        found = self.violations
        if found:
            error = Violation(f"{found[0].category}: {found[0]}\n{self.report()}", operation=found[0].api)
            error.category = found[0].category
            raise error

    def __enter__(self) -> Guard:
        if self._token is not None:
            raise RuntimeError("the guard is running already")
        self._drop()
        self._handle = _library.handle(lib.tg_guard_new, self._device._handle, self._watched, int(self._strict))
        self._report = {}
        scope = _context.current.get() or _context.NOTHING
        self._token = _context.current.set(
            dataclasses.replace(scope, guard=self._handle, guarded=self._device._handle)
        )
        return self

    def __exit__(self, kind: Optional[type[BaseException]], *exception: Any) -> None:
        token, self._token = self._token, None
        _context.current.reset(token)
        self._device._forget(guard=self._handle)
        self._report = _library.data(lib.tg_guard_report, self._handle)
        self._drop()
        if self._strict and kind is None:
            self.raise_for_violations()

    def _drop(self) -> None:
        handle, self._handle = self._handle, 0
        if handle:
            _library.check(lib.tg_close(handle))

    def _update(self) -> None:
        if self._handle:
            self._report = _library.data(lib.tg_guard_report, self._handle)

    def _findings(self, name: str) -> list[Finding]:
        self._update()
        fields = {field.name for field in dataclasses.fields(Finding)}
        return [
            Finding(**{key: str(value) for key, value in entry.items() if key in fields})
            for entry in self._report.get(name) or []
        ]

    def __repr__(self) -> str:
        watched = ", ".join(name for bit, name in enumerate(CATEGORIES) if self._watched >> bit & 1)
        return f"<Guard of {watched} on {self._device.name}>"


def _known(category: str) -> None:
    if category not in CATEGORIES:
        raise errors.ArgumentError(
            f"{category!r} is no category of violations", operation="guard", argument="category", value=repr(category),
            allowed=", ".join(CATEGORIES),
        )


def hot_path_guard(device: Device, *, strict: bool = True) -> Guard:
    """Returns a guard of all categories (R132)."""
    return Guard(device, strict=strict)


def no_host_sync(device: Device, *, strict: bool = True) -> Guard:
    """Returns a guard of waits of the host, and of copies between host and device."""
    return Guard(device, ("host_sync",), strict=strict)


def no_allocation(device: Device, *, strict: bool = True) -> Guard:
    """Returns a guard of allocations: memory, streams, events, the loading of kernels."""
    return Guard(device, ("allocation",), strict=strict)


def stream_explicit(device: Device, *, strict: bool = True) -> Guard:
    """Returns a guard of work on another stream than that of the call."""
    return Guard(device, ("stream",), strict=strict)
