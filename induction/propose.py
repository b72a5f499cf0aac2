"""Failures in, proposals out: the same set of findings, in any order, gives the same proposals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from errorhub.hub.taxonomy import Taxonomy, decision_for
from errorhub.induction.candidates import Candidates, sort_out
from errorhub.induction.describing import Describing
from errorhub.induction.finding import Finding
from errorhub.induction.kinship import Kinship, alike, places
from errorhub.induction.material import Cluster, Material
from errorhub.induction.proposal import Assignment, Induction, Proposal, Status
from errorhub.induction.settings import Settings
from errorhub.induction.stability import stabilities

_RANK: dict[Status, int] = {"proposed": 0, "duplicate": 1, "unstable": 2}


def propose(found: Iterable[Finding], *, taxonomy: Taxonomy, settings: Settings | None = None) -> Induction:
    """Return proposals for modes that the taxonomy lacks, and where every finding ended.

    Nothing depends on the order of the findings; support counts runs. What a maintainer answered before is not
    proposed again, as `hub/taxonomy/matching.py` decides.
    """
    settings = settings or Settings()
    candidates = sort_out(found, taxonomy, settings)
    material = Material.of(candidates, settings)
    clusters = material.clusters()
    enough = [one for one in clusters if _enough(one, settings) and (one.labelled or material.says(one))]
    answered = [one for one in enough if decision_for((x.diagnosis_id for x in one.members), taxonomy) is not None]
    fresh = [one for one in enough if one not in answered]
    proposals = _proposals(fresh, material, taxonomy, settings)
    proposed = {one.id for one in proposals}
    return Induction(
        proposals=tuple(proposals), decided=tuple(sorted(one.id for one in answered)), settings=settings,
        known=_counts(candidates),
        rejected=dict(sorted(Counter(one.rejected or "" for one in candidates.rejected).items())),
        candidates=sum(len(one.members) for one in clusters),
        unclustered=sum(len(one.members) for one in clusters if one.id not in proposed),
        assignments=tuple(sorted(_ended(candidates, clusters, proposed), key=lambda one: one.diagnosis_id)),
    )  # fmt: skip


def _enough(one: Cluster, settings: Settings) -> bool:
    return one.support >= settings.min_support and one.tasks >= settings.min_tasks


def _proposals(fresh: Sequence[Cluster], material: Material, taxonomy: Taxonomy, settings: Settings) -> list[Proposal]:
    """Return the best proposals; of more clusters than are shown, twice as many are looked at."""
    looked_at = sorted(fresh, key=lambda one: (-one.support, one.id))[: 2 * settings.limit]
    if not looked_at:
        return []
    free = [one.number for one in looked_at if not one.labelled]
    found_again = stabilities(material.rows[: material.free], material.numbers[: material.free], free, settings)
    describing = Describing(material, Kinship(material.space, taxonomy.modes, material.texts.shape[1]), settings)
    made = [(describing.proposal(one, found_again.get(one.number, 1.0)), one) for one in looked_at]
    made.sort(key=lambda pair: (_RANK[pair[0].status], -pair[0].support, pair[0].id))
    return _related([one for one, _ in made[: settings.limit]], [one for _, one in made[: settings.limit]], material)


def _related(proposals: Sequence[Proposal], clusters: Sequence[Cluster], material: Material) -> list[Proposal]:
    """Add to each proposal its kin and its place on the map."""
    centres = np.stack([material.texts[list(one.rows)].mean(axis=0) for one in clusters])
    near, spots = alike(centres), places(centres)
    return [
        one.model_copy(update={"kin": tuple(proposals[other].id for other in near[at]), "xy": spots[at]})
        for at, one in enumerate(proposals)
    ]


def _counts(candidates: Candidates) -> dict[str, int]:
    counts = Counter(str(mode.ref) for mode in candidates.known.values())
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _ended(candidates: Candidates, clusters: Iterable[Cluster], proposed: set[str]) -> Iterator[Assignment]:
    for one in candidates.counted:
        mode = str(candidates.known[one.diagnosis_id].ref)
        yield Assignment.of(one, f"mode:{mode}", mode=mode)
    yield from (Assignment.of(one, f"rejected:{one.diagnosis_id[:16]}") for one in candidates.rejected)
    for cluster in clusters:
        proposal = cluster.id if cluster.id in proposed else None
        yield from (Assignment.of(one, cluster.id, proposal=proposal) for one in cluster.members)
