"""Objects of the library, which Python owns by their handles."""

from __future__ import annotations

import sys
import threading
import warnings
from typing import Any, Callable, TypeVar

from . import _library, errors
from ._library import lib

_Self = TypeVar("_Self", bound="Owned")


class Owned:
    """An object of the library. It is closed by ``close``, by the end of a ``with`` block, or when it is garbage."""

    _open: int = 0
    """The handle of the object; 0 before it is made, and when it has been closed."""
    _close: Callable[[int], int] = lib.tg_close  # kept here, because modules may be gone when the interpreter ends
    _finalizing: Callable[[], bool] = sys.is_finalizing
    _warns = True

    @property
    def _handle(self) -> int:
        if not self._open:
            raise errors.ClosedError(f"the {type(self).__name__} has been closed")
        return self._open

    @property
    def closed(self) -> bool:
        """Whether the object has been closed."""
        return not self._open

    def close(self) -> None:
        """Closes the object. Closing it again does nothing.

        :raises ConcurrentUseError: another thread is using it; it stays open.
        """
        handle, self._open = self._open, 0
        if handle:
            status = lib.tg_close(handle)
            if status == errors.Status.CONCURRENT:
                self._open = handle
            _library.check(status)

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if not self._open or self._finalizing():
            return
        try:
            if self._warns and not _library.forked:
                warnings.warn(f"unclosed {self!r}", ResourceWarning, 2, source=self)
        finally:  # a filter may make an error of the warning
            handle, self._open = self._open, 0
            self._close(handle)

    def __reduce__(self) -> Any:
        raise TypeError(f"a {type(self).__name__} is an object of this process and cannot be pickled")


class Keeper:
    """What keeps a handle open as long as anything refers to it."""

    __slots__ = ("handle", "_close", "_finalizing")

    def __init__(self, handle: int) -> None:
        self.handle = handle
        self._close = lib.tg_close
        self._finalizing = sys.is_finalizing

    def __del__(self) -> None:
        if not self._finalizing():
            self._close(self.handle)


_PAUSE = 0.1
"""Seconds after which a wait lets Python run the handlers of signals."""


class Pending:
    """A call that runs in a thread of its own, so that Ctrl-C interrupts the wait for it."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self._work = work
        self._result: Any = None
        self._error: BaseException | None = None
        self._abandoned: Callable[[Any], None] | None = None
        self._lock = threading.Lock()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, name="trackgen", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._result = self._work()
        except BaseException as error:
            self._error = error
        with self._lock:
            self._done.set()
            abandoned = self._abandoned
        if abandoned is not None and self._error is None:
            abandoned(self._result)

    def wait(self, timeout: float | None = None) -> bool:
        """Waits until the call has returned.

        A signal may arrive in another thread, also in one of the library, and then wakes nobody here. So the wait has
        pauses, in which Python runs its handlers.
        """
        while timeout is None:
            if self._done.wait(_PAUSE):
                return True
        return self._done.wait(timeout)

    def result(self) -> Any:
        """Returns the result of the call, or raises its error."""
        self._done.wait()
        if self._error is not None:
            raise self._error
        return self._result

    def abandon(self, dispose: Callable[[Any], None]) -> None:
        """Gives the result of the call to dispose, when it has returned."""
        with self._lock:
            if not self._done.is_set():
                self._abandoned = dispose
                return
        if self._error is None:
            dispose(self._result)


_PATIENCE = 0.5
"""Seconds that an interrupted call has to return by itself."""


def interruptible(cancel: Callable[[], None], work: Callable[[], Any], dispose: Callable[[Any], None]) -> Pending | Any:
    """Runs work, and lets Ctrl-C interrupt it in the main thread.

    The call itself cannot be interrupted, so work runs in another thread. KeyboardInterrupt calls cancel. If the call does
    not return soon, it is left to end by itself, and its result is given to dispose; ``Interrupted`` then says so.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    pending = Pending(work)
    try:
        pending.wait()
    except BaseException as interrupt:
        cancel()
        interrupt.trackgen_pending = pending  # type: ignore[attr-defined]
        try:
            pending.wait(_PATIENCE)
        except KeyboardInterrupt:
            pass  # once more: it is being interrupted already
        pending.abandon(dispose)
        raise
    return pending.result()
