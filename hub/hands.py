"""Several processes for one list of work: the same results in the same order, and nothing when one of them dies."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

from errorhub.hub.errors import HubError

In = TypeVar("In")
Out = TypeVar("Out")


class Died(HubError):
    """A process was killed; what it worked on is not done."""

    exit_code = 1
    code = "process_died"


class Map(Protocol):
    """Apply a function to each item, in order."""

    def __call__(self, work: Callable[[In], Out], items: Iterable[In], /) -> Iterator[Out]: ...


@contextmanager
def hands(number: int) -> Iterator[Map]:
    """Give a map over so many processes; 1 works in this one. Raise Died when one of them was killed."""
    if number < 2:
        yield map
        return
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(number, mp_context=get_context("spawn"))
    try:
        yield pool.map
    except BrokenProcessPool:
        raise Died("a process died, so nothing it worked on was written. Run the command again.") from None
    finally:
        pool.shutdown(cancel_futures=True)


def available() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
