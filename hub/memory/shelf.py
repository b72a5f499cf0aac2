"""What the memory is made from: a shelf tells cheaply what it holds, and hands out bundles by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from typing import Protocol

from errorhub.hub.bundle import Bundle
from errorhub.hub.memory.answer import Place


class Shelf(Protocol):
    """A place of bundles. Both methods are asked only when the memory has to be brought up to date."""

    def places(self) -> Iterable[tuple[str, Place]]:
        """Yield the id and the place of every bundle; one held in several places counts where it is trusted most."""
        ...

    def read(self, bundle_ids: Set[str]) -> Iterator[Bundle]:
        """Yield each of these bundles once, in a stable order."""
        ...


class Pile:
    """A shelf of bundles in memory."""

    def __init__(self, held: Iterable[tuple[Bundle, Place]]) -> None:
        self.held = list(held)

    def places(self) -> Iterator[tuple[str, Place]]:
        """Yield the id and the place of every bundle."""
        for bundle, place in self.held:
            yield bundle.bundle_id, place

    def read(self, bundle_ids: Set[str]) -> Iterator[Bundle]:
        """Yield each of these bundles once."""
        left = set(bundle_ids)
        for bundle, _ in self.held:
            if bundle.bundle_id in left:
                left.discard(bundle.bundle_id)
                yield bundle
