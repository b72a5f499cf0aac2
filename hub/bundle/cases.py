"""A case: all bundles of one trajectory, seen as one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from errorhub.hub.bundle.bundle import Bundle, Rights
from errorhub.hub.bundle.canonical import digest
from errorhub.hub.bundle.diagnosis import Diagnosis, Repair
from errorhub.hub.bundle.trajectory import Outcome, Record, Task

R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class Case:
    """The union of the bundles that share a trajectory_id, each kept once, in order of bundle_id.

    Union is commutative, associative and idempotent, so the order in which bundles arrive never matters.
    """

    bundles: tuple[Bundle, ...]

    @classmethod
    def of(cls, *bundles: Bundle) -> Case:
        """Return the case of bundles of one trajectory. Raise ValueError when they are of several, or none."""
        if len({bundle.trajectory_id for bundle in bundles}) != 1:
            raise ValueError("a case holds bundles of exactly one trajectory")
        by_digest = {(bundle.bundle_id, bundle.digest): bundle for bundle in bundles}
        return cls(tuple(by_digest[name] for name in sorted(by_digest)))

    def __or__(self, other: Case) -> Case:
        """Return the union of two cases of the same trajectory."""
        return Case.of(*self.bundles, *other.bundles)

    @property
    def trajectory_id(self) -> str:
        """The trajectory all bundles share."""
        return self.bundles[0].trajectory_id

    @property
    def diagnoses(self) -> tuple[Diagnosis, ...]:
        """Every distinct diagnosis."""
        return _distinct(diagnosis for bundle in self.bundles for diagnosis in bundle.diagnoses)

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """Every distinct repair."""
        return _distinct(repair for bundle in self.bundles for repair in bundle.repairs)

    @property
    def tasks(self) -> tuple[Task, ...]:
        """Every distinct task the run was filed under."""
        return _distinct(bundle.trajectory.task for bundle in self.bundles)

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """Every distinct verdict on the run."""
        return _distinct(bundle.trajectory.outcome for bundle in self.bundles)

    @property
    def rights(self) -> tuple[Rights, ...]:
        """Every distinct grant."""
        return _distinct(bundle.rights for bundle in self.bundles)


def cases(bundles: Iterable[Bundle]) -> list[Case]:
    """Group bundles by trajectory, in order of trajectory_id."""
    groups: dict[str, list[Bundle]] = {}
    for bundle in bundles:
        groups.setdefault(bundle.trajectory_id, []).append(bundle)
    return [Case.of(*groups[name]) for name in sorted(groups)]


def _distinct(records: Iterable[R]) -> tuple[R, ...]:
    by_digest = {digest(record.model_dump(mode="json")): record for record in records}
    return tuple(by_digest[name] for name in sorted(by_digest))
