"""Replay several bundles of a workspace, one after the other, each kept as soon as it is done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from errorhub.evidence.approval import approval_for
from errorhub.evidence.contrast import contrast, pair
from errorhub.evidence.diagnose_seeing import origin
from errorhub.evidence.environments import Environment, EnvironmentFault, NotReplayable, Policy, environment, policy
from errorhub.evidence.episode import Conditions
from errorhub.evidence.replay import RUNS, Arena, arena, replay, with_repair
from errorhub.hub.bundle import Bundle, Repair
from errorhub.hub.errors import UsageError
from errorhub.hub.hosts import loopback
from errorhub.hub.workspace import Workspace


@dataclass(frozen=True)
class Leave:
    """What a person allows a replay to do."""

    by: str | None = None
    """Her name."""
    note: str | None = None
    """Her leave to act, in words; needed where actions change the real world."""
    base_url: str | None = None
    """Endpoint of a model that plays, named again: a bundle alone never decides where anything is sent."""
    allow_raw: bool = False
    """Whether a raw run may be sent to an endpoint that is not on this machine."""


@dataclass
class Replayed:
    """Replays and what could not be replayed."""

    done: list[tuple[Bundle, Repair]] = field(default_factory=list)
    refused: list[dict[str, str]] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        """0 all replayed, 2 none, 3 some refused."""
        return 0 if not self.refused else 3 if self.done else 2

    def document(self) -> dict[str, Any]:
        """Return pairs, pass rates, uplift with interval and outcome classes as one plain object."""
        found = pair(self.done)
        classes = Counter(repair.verdict for _, repair in self.done)
        single = next(iter(classes)) if len(self.done) == 1 else None
        return contrast(found.pairs) | {
            "outcome": single,
            "outcomes": dict(sorted(classes.items())),
            "left_out": dict(sorted(found.left_out.items())),
            "bundles": [{"bundle_id": one.bundle_id, "outcome": repair.verdict} for one, repair in self.done],
            "refused": self.refused,
        }


def replay_bundles(
    workspace: Workspace,
    bundles: Sequence[Bundle],
    name: str,
    *,
    leave: Leave,
    diagnosis: str | None = None,
    runs: int = RUNS,
    progress: Callable[[int], None] = lambda _: None,
) -> Replayed:
    """Replay bundles of the raw stage in one environment. Of several, one that cannot be is refused with its reason.

    Raise UsageError when the only bundle cannot be replayed. What was replayed before is not replayed again.
    """
    result, fresh = Replayed(), set[str]()
    for held in bundles:
        try:
            after, repair = _one(workspace, held, name, leave, diagnosis, runs)
        except (UsageError, EnvironmentFault) as problem:
            if len(bundles) == 1:
                raise
            result.refused.append({"bundle_id": held.bundle_id, "reason": str(problem)})
            continue
        if after.bundle_id != held.bundle_id:
            with workspace.raw.editing():
                now = workspace.raw.held({origin(held)}).get(origin(held), held)
                after = with_repair(now, repair)  # somebody may have annotated it meanwhile
                workspace.raw.put([after])
            fresh.add(origin(held))
        result.done.append((after, repair))
        progress(1)
    if len(fresh) > 1:
        with workspace.raw.editing():
            workspace.raw.put(workspace.raw.held(fresh).values())  # one shard instead of many
    return result


def chosen(workspace: Workspace, ids: Sequence[str], name: str, *, every: bool) -> list[Bundle]:
    """Return the raw bundles named, or every one of an environment that has a correction to try.

    Raise UsageError when both or neither is asked for, NotFound when an id is not there.
    """
    if bool(ids) == every:
        raise UsageError("name bundles, or pass --all, not both.", hint="errorhub list --stage raw")
    if ids:
        return [workspace.find(one, workspace.raw) for one in ids]
    found = [one for one in workspace.raw.bundles() if one.trajectory.task.environment == name and _proposes(one)]
    if not found:
        raise UsageError(f"no raw run of {name} has a correction.", hint=f"errorhub collect --env {name} --oracle")
    return found


def _proposes(bundle: Bundle) -> bool:
    return any(one.correction and one.correction.action is not None for one in bundle.diagnoses)


def _one(
    workspace: Workspace, held: Bundle, name: str, leave: Leave, diagnosis: str | None, runs: int
) -> tuple[Bundle, Repair]:
    played_in = Conditions.of(held.trajectory).environment
    if played_in != name:
        raise NotReplayable(f"the run was played in {played_in}, not in {name}.", hint=f"--env {played_in}")
    place: Arena = arena(held, lambda conditions: _made(conditions, leave, workspace.folder / "answers"))
    try:
        return replay(held, place, approval_for(place.world, name, by=leave.by, note=leave.note),
                      diagnosis=diagnosis, runs=runs)  # fmt: skip
    finally:
        place.world.close()


def _made(conditions: Conditions, leave: Leave, cache: Path) -> tuple[Environment, Policy]:
    """Make world and player of a run. A player that sends text away is only made as the person on the line allows."""
    settings = dict(conditions.policy)
    player = policy(str(settings.pop("name", "")), settings, cache=cache)
    url = settings.get("base_url")
    if url is not None:
        if url != leave.base_url:
            raise NotReplayable("a model played this run. Name its endpoint again with --base-url, as it was recorded.")
        if not loopback(urlsplit(str(url)).hostname or "") and not leave.allow_raw:
            raise UsageError("the run is raw and its player is on another machine. Add --allow-raw to send it there.")
    return environment(conditions.environment, conditions.world), player
