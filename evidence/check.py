"""Check: grade every diagnosis against its trajectory. Rejected ones are kept, with the rule that failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from errorhub.hub.bundle import Bundle, grounded


@dataclass
class Checked:
    """The grades of a set of bundles."""

    bundles: int = 0
    grades: Counter[str] = field(default_factory=Counter)
    rejected: list[dict[str, str]] = field(default_factory=list)


def check(bundles: Iterable[Bundle], tally: Checked) -> Iterator[Bundle]:
    """Yield the bundles whose groundings changed, freshly graded, and count every grade in `tally`."""
    for bundle in bundles:
        fresh = grounded(bundle)
        tally.bundles += 1
        for grounding in (one for one in fresh.groundings if one.by == "structure"):
            tally.grades[grounding.grade] += 1
            if grounding.grade == "rejected":
                place = {"bundle_id": fresh.bundle_id, "diagnosis_id": grounding.diagnosis_id}
                tally.rejected.append(place | {"rule": grounding.rule, "detail": grounding.detail})
        if fresh.groundings != bundle.groundings:
            yield fresh
