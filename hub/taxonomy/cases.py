"""Cases: every diagnosis of the corpus, as assignment, splitting and coverage see it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from shlex import quote

from errorhub.hub.bundle import Bundle
from errorhub.hub.bundle.diagnosis import Diagnosis, Grounding, Mode
from errorhub.hub.corpus import corpus
from errorhub.hub.errors import UsageError
from errorhub.hub.taxonomy.decision import Ref
from errorhub.hub.taxonomy.ledger import load_taxonomy
from errorhub.hub.taxonomy.modes import KnownMode, Taxonomy
from errorhub.hub.taxonomy.proposals import load_proposals, pick
from errorhub.hub.taxonomy.standing import within
from errorhub.hub.workspace import Workspace


@dataclass(frozen=True)
class Case:
    """One diagnosis of one run."""

    diagnosis_id: str
    """Digest of run and diagnosis."""
    trajectory_id: str
    """The run."""
    task: str
    """Its source task."""
    text: str
    """The explanation."""
    label: str | None = None
    """A name that its author suggests for a mode that no scheme has."""
    mode: Mode | None = None
    """The mode its author names, of whatever scheme."""
    harness: str | None = None
    """The program that ran the agent."""
    policy: str | None = None
    """The model that decided."""
    environment: str | None = None
    """Where the task lives."""


@dataclass(frozen=True)
class Reading:
    """One diagnosis as it was read, with the rule of grounding that refutes it."""

    case: Case
    bundle: Bundle
    diagnosis: Diagnosis
    refuted: str | None


def readings(bundles: Iterable[Bundle]) -> Iterator[Reading]:
    """Yield every diagnosis once, also those that grounding refutes."""
    seen: set[str] = set()
    for bundle in bundles:
        run, broken = bundle.trajectory, {one.diagnosis_id: one for one in bundle.groundings if one.grade == "rejected"}
        for found, name in zip(bundle.diagnoses, bundle.diagnosis_ids, strict=True):
            if name in seen:
                continue
            seen.add(name)
            case = Case(
                diagnosis_id=name, trajectory_id=bundle.trajectory_id, task=run.task_id, text=found.explanation,
                label=(found.novel_mode or "").strip() or None, mode=found.mode, harness=run.run.harness,
                policy=run.run.policy, environment=run.task.environment,
            )  # fmt: skip
            yield Reading(case, bundle, found, _refuted(found, broken.get(name)))


def cases(bundles: Iterable[Bundle]) -> Iterator[Case]:
    """Yield every diagnosis once, but those that grounding refutes."""
    return (one.case for one in readings(bundles) if one.refuted is None)


def _refuted(found: Diagnosis, rejection: Grounding | None) -> str | None:
    """Return the rule that refutes a diagnosis. A wrong place alone does not: what went wrong may hold all the same."""
    misplaced = rejection is not None and rejection.rule == "agent_not_at_step" and not found.evidence
    return None if rejection is None or misplaced else rejection.rule


def distinct_tasks(found: Iterable[Case]) -> int:
    """Count source tasks, never more than runs: tasks that one run is recorded under are names of one task."""
    parent: dict[tuple[str, str], tuple[str, str]] = {}

    def root(name: tuple[str, str]) -> tuple[str, str]:
        while parent.setdefault(name, name) != name:
            parent[name] = name = parent[parent[name]]
        return name

    for one in found:
        parent[root(("run", one.trajectory_id))] = root(("task", one.task))
    return sum(name == above for name, above in parent.items())


def mode_of(case: Case, taxonomy: Taxonomy) -> KnownMode | None:
    """Return the mode a case falls under: by a maintainer's word, else by its author's, as label or as name."""
    if case.diagnosis_id in taxonomy.assigned or case.diagnosis_id in taxonomy.under:
        return taxonomy.under.get(case.diagnosis_id)
    if case.mode is not None:
        return labelled(case.mode, taxonomy)
    return taxonomy.find(case.label) if case.label else None


def labelled(mode: Mode, taxonomy: Taxonomy) -> KnownMode | None:
    """Return the known mode that a label names: the same scheme, version and id, or None."""
    return taxonomy.by_ref.get(Ref.model_construct(scheme=mode.scheme, version=mode.version or "", id=mode.id))


def parts_of(workspace: Workspace, item: str, parts: Sequence[str]) -> dict[str, list[str]]:
    """Read the parts of a split: `NAME=ID,ID` by id, `NAME~WORDS` by what a member's text says.

    A member goes to the first part that names it. Raise UsageError for a part that is neither, or holds nobody.
    """
    members = _members(workspace, item)
    texts: Mapping[str, str] | None = None
    chosen: dict[str, list[str]] = {}
    taken: set[str] = set()
    for part in parts:
        found = re.match(r"([^=~]+)([=~])(.+)", part, re.S)
        if found is None:
            raise UsageError(f"not a part: {part[:60]!r}. Write 'NAME=ID,ID' or 'NAME~WORDS'.")
        name, by, rest = (one.strip() for one in found.groups())
        if by == "~":
            texts = texts if texts is not None else {one.diagnosis_id: one.text for one in cases(corpus(workspace))}
            wanted = " ".join(rest.casefold().split())
            names = [one for one in members if wanted in " ".join(texts.get(one, "").casefold().split())]
        else:
            names = [full for one in rest.split(",") for full in within(one.strip(), frozenset(members))]
        chosen[name] = [one for one in dict.fromkeys(names) if one not in taken]
        taken.update(chosen[name])
        if not chosen[name]:
            raise UsageError(
                f"the part {name!r} holds no member of {item[:64]}.", hint=f"errorhub taxonomy show {quote(item)}"
            )
    return chosen


def _members(workspace: Workspace, item: str) -> list[str]:
    if (one := pick(load_proposals(workspace), item)) is not None:
        return sorted(one.members)
    return sorted(load_taxonomy(workspace).mode(item).members)
