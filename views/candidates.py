"""What bundles could become, before rules that look beyond one bundle; in several processes when there are many."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from typing import Final, NamedTuple

from errorhub.hub.bundle import Bundle
from errorhub.hub.bundle.shards import read_rows
from errorhub.views.diagnosis import diagnosis_rows
from errorhub.views.draft import Refused
from errorhub.views.plan import Plan
from errorhub.views.recovery import recovery_rows
from errorhub.views.row import DIAGNOSIS, Row
from errorhub.views.sources import Piece, Source

MANY: Final = 2000
"""Bundles from which on more processes pay for their start."""


class Made(NamedTuple):
    """Everything a bundle could become."""

    bundle_id: str
    source: str
    """Format the run was read from."""
    overlap: tuple[str, ...]
    """Benchmarks its task is one of."""
    rows: tuple[Row | Refused, ...]
    """In the order of the plan's views."""


def candidates(source: Source, plan: Plan, splits: Mapping[str, str], number: int) -> Iterator[Made]:
    """Yield what each of `number` bundles could become, in one order however many processes read them.

    `splits`: bundle id -> split.
    """
    jobs = plan.jobs or (os.cpu_count() or 1 if number >= MANY else 1)
    pieces = source.pieces() if jobs > 1 else iter(())
    first = next(pieces, None)
    if first is None:
        yield from (made_of(bundle, plan, splits.get(bundle.bundle_id, "")) for bundle in source.bundles())
        return
    running: deque[Future[list[Made]]] = deque()
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        piece: Piece | None = first
        while piece or running:
            while piece and len(running) < 2 * jobs:
                asked = {name: splits.get(name, "") for name in piece.bundle_ids}
                running.append(pool.submit(_read, piece, plan, asked))
                piece = next(pieces, None)
            yield from running.popleft().result()


def made_of(bundle: Bundle, plan: Plan, split: str) -> Made:
    """Return everything a bundle could become."""
    overlap = tuple(one.name for one in plan.benchmarks if one.holds(bundle))
    rows = tuple(row for view in plan.views for row in _rows(bundle, view, plan, split))
    return Made(bundle.bundle_id, bundle.trajectory.source.format, overlap, rows)


def _read(piece: Piece, plan: Plan, splits: Mapping[str, str]) -> list[Made]:
    return [made_of(one, plan, splits[one.bundle_id]) for one in read_rows(piece.shard, set(piece.bundle_ids))]


def _rows(bundle: Bundle, view: str, plan: Plan, split: str) -> Iterator[Row | Refused]:
    if view in DIAGNOSIS:
        return diagnosis_rows(bundle, view, plan.budget, blind=split != "train")
    return recovery_rows(bundle, view, plan.budget)
