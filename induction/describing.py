"""What a maintainer reads about a cluster: name, terms, examples, kin, who and where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np

from errorhub.hub.taxonomy.space import Floats, unit
from errorhub.induction.candidates import label_of
from errorhub.induction.finding import Finding
from errorhub.induction.kinship import Kinship
from errorhub.induction.material import Cluster, Material
from errorhub.induction.naming import Words, name_of, spell
from errorhub.induction.proposal import Example, Nearest, Proposal, Status
from errorhub.induction.settings import Settings

EXAMPLES: Final = 6
"""Members shown: the most typical one and five that differ."""
CHARS: Final = 300
"""Characters shown of one."""
_LOOKED_AT: Final = 500
"""Texts of a cluster that examples are chosen from, the most typical first."""


class Describing:
    """Turns clusters of one induction into proposals."""

    def __init__(self, material: Material, kinship: Kinship, settings: Settings) -> None:
        self.material, self.kinship, self.settings = material, kinship, settings
        self.words = Words(material.said)

    def proposal(self, one: Cluster, stability: float) -> Proposal:
        """Return what there is to say about a cluster."""
        said = [self.material.said[row] for row in one.rows]
        groups = [self.material.groups[row] for row in one.rows]
        terms = spell(self.words.telling(said), (group[0] for group in groups))
        examples = self._examples(one)
        near = self.kinship.nearest(self.material.texts[list(one.rows)])
        label = label_of(one.members) if one.labelled else None
        name = shorten(label, 80) if label else name_of(terms, self.words.concept(said))
        mode, similarity = near or (None, None)
        nearest = Nearest(scheme=mode.scheme, version=mode.version, id=mode.id, name=mode.name) if mode else None
        runs = sorted({member.trajectory_id for member in one.members})
        return Proposal(
            id=one.id, name=name, named_by="label" if label else "terms",
            family=self.words.family(said), description=examples[0].text, terms=tuple(terms),
            status=self._status(stability, similarity), support=one.support,
            tasks=one.tasks, trajectories=tuple(runs),
            members=tuple(member.diagnosis_id for member in one.members), examples=tuple(examples), nearest=nearest,
            similarity=None if similarity is None else round(similarity, 4), stability=round(stability, 4),
            agents=_runs_by(one.members, "agent"), harnesses=_runs_by(one.members, "harness"),
        )  # fmt: skip

    def _status(self, stability: float, similarity: float | None) -> Status:
        if similarity is not None and similarity >= self.settings.duplicate:
            return "duplicate"
        return "unstable" if stability < self.settings.stability else "proposed"

    def _examples(self, one: Cluster) -> list[Example]:
        rows = self.material.texts[list(one.rows)]
        typical = np.argsort(-np.round(rows @ unit(rows.mean(axis=0, keepdims=True))[0], 6), kind="stable")[:_LOOKED_AT]
        picked = _far_apart(rows[typical], EXAMPLES)
        return [_example(self.material.groups[one.rows[int(typical[at])]][0]) for at in picked]


def _far_apart(rows: Floats, number: int) -> list[int]:
    """Return the first row and those that are farthest from all before them."""
    picked, nearest = [0], rows @ rows[0]
    while len(picked) < min(number, len(rows)):
        nearest[picked] = np.inf
        picked.append(int(np.round(nearest, 6).argmin()))
        nearest = np.maximum(nearest, rows @ rows[picked[-1]])
    return picked


def _example(found: Finding) -> Example:
    return Example(
        diagnosis_id=found.diagnosis_id, trajectory_id=found.trajectory_id, agent=found.agent,
        text=shorten(found.text, CHARS),
    )  # fmt: skip


def shorten(text: str, chars: int) -> str:
    """Return a text on one line, cut with a mark."""
    line = " ".join(text.split())
    return line if len(line) <= chars else f"{line[: chars - 1]}…"


def _runs_by(members: Sequence[Finding], what: str) -> dict[str, int]:
    pairs = {(getattr(one, what), one.trajectory_id) for one in members}
    counts = Counter(value for value, _ in pairs if value)
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
