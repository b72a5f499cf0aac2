"""The material of one induction: texts said once each, as vectors, and the clusters they fall into."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from errorhub.hub.bundle.canonical import digest
from errorhub.hub.memory.encoders import open_encoder
from errorhub.hub.taxonomy.cases import distinct_tasks
from errorhub.hub.taxonomy.space import Floats, Ints, Space, beside, joined, unit
from errorhub.hub.taxonomy.vocabulary import Saying
from errorhub.induction.candidates import Candidates, Group, representatives
from errorhub.induction.clustering import cluster
from errorhub.induction.saying import saying
from errorhub.induction.settings import Settings


@dataclass(frozen=True)
class Cluster:
    """Findings that were put together."""

    number: int
    """Its number in `Material.numbers`."""
    rows: tuple[int, ...]
    """Its texts."""
    members: Group
    """Its findings, by diagnosis id."""
    labelled: bool
    """Whether their authors' label put them together."""

    @cached_property
    def id(self) -> str:
        """Digest of the members."""
        return digest([one.diagnosis_id for one in self.members])[:16]

    @cached_property
    def support(self) -> int:
        """Distinct runs."""
        return len({one.trajectory_id for one in self.members})

    @cached_property
    def tasks(self) -> int:
        """Distinct source tasks."""
        return distinct_tasks(self.members)


@dataclass(frozen=True)
class Material:
    """Texts in an order that their content decides: unlabelled ones first."""

    groups: Sequence[Group]
    """Findings that say the same, a row each."""
    said: Sequence[Saying]
    """What each row says."""
    space: Space
    """Weights of words, concepts and agents."""
    texts: Floats
    """Unit vectors of what is said."""
    rows: Floats
    """The same beside who failed."""
    numbers: Ints
    """The cluster of each row."""
    free: int
    """Rows that carry no shared label."""

    @classmethod
    def of(cls, candidates: Candidates, settings: Settings) -> Material:
        """Return the clustered texts of candidates."""
        free = representatives(candidates.texts)
        shared = [representatives(group) for group in candidates.labelled]
        groups = [*free, *(one for group in shared for one in group)]
        said = [saying(group[0], mask_entities=settings.mask_entities) for group in groups]
        agents = [group[0].agent for group in groups]
        space = Space(said, agents, concepts=settings.concepts, agent=settings.agent)
        texts = _with_embedding(space.texts(said), groups, settings)
        rows = beside(texts, space.who(agents))
        rows[np.square(texts).sum(axis=1) < 1e-9] = 0
        numbers = cluster(rows[: len(free)], threshold=settings.threshold, sharpness=settings.sharpness)
        made = int(numbers.max()) + 1 if len(numbers) else 0
        labels = [made + number for number, group in enumerate(shared) for _ in group]
        return cls(
            groups=groups, said=said, space=space, texts=texts, rows=rows, free=len(free),
            numbers=np.concatenate([numbers, np.array(labels, np.int64)]),
        )  # fmt: skip

    def says(self, one: Cluster) -> bool:
        """Whether a cluster has any words: failures that say nothing have nothing in common."""
        return any(self.said[row].words or self.said[row].concepts for row in one.rows)

    def clusters(self) -> list[Cluster]:
        """Return every cluster, also those of one finding, by number."""
        held: dict[int, list[int]] = {}
        for row, number in enumerate(self.numbers.tolist()):
            held.setdefault(number, []).append(row)
        return [
            Cluster(
                number, tuple(rows), labelled=rows[0] >= self.free,
                members=tuple(sorted((one for row in rows for one in self.groups[row]), key=lambda x: x.diagnosis_id)),
            )
            for number, rows in sorted(held.items())
        ]  # fmt: skip


def _with_embedding(texts: Floats, groups: Sequence[Group], settings: Settings) -> Floats:
    """Return the texts with vectors of an encoder beside them, less what all texts share."""
    if settings.embed is None or not len(groups):
        return texts
    encoder = open_encoder(settings.embed, raw=False)
    vectors = np.nan_to_num(np.asarray(encoder.encode([group[0].text or " " for group in groups]), np.float32))
    blocks = [(texts, 1 - settings.embedding), (unit(vectors - vectors.mean(axis=0)), settings.embedding)]
    made = joined(blocks)
    made[np.square(texts).sum(axis=1) < 1e-9] = 0
    return made
