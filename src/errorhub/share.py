"""share: import → check → scrub → review → publish, composed; it stops at the human gate and resumes when run again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from errorhub.evidence import Checked, check
from errorhub.hub.gate import allowed
from errorhub.hub.hands import available
from errorhub.hub.intake import Intake, Terms, intake
from errorhub.hub.known import remember, vault
from errorhub.hub.release import desk, release
from errorhub.hub.scrub import Cleaning, clean
from errorhub.hub.workspace import Workspace
from errorhub.scrubber import Policy


@dataclass(frozen=True)
class Request:
    """What is shared, where to and on which terms."""

    logs: tuple[Path, ...]
    to: str
    policy: Policy
    terms: Terms = field(default_factory=Terms)
    format: str = "auto"
    review: str = "human"
    deny: tuple[Path, ...] = ()
    create: bool = False
    no_ner: bool = False
    by: str | None = None


def share(
    workspace: Workspace, request: Request, *, progress: Callable[[int], None] = lambda _: None
) -> tuple[dict[str, Any], int]:
    """Take logs as far as they may go. Return the JSON result CLI.md fixes, and the exit code.

    Each stage reports what went in, came out and was refused by rule.
    """
    allowed(request.review, request.to)
    taken = intake(request.logs, workspace, format=request.format, terms=request.terms)
    own = {bundle.provenance.origin_key or "" for bundle, _ in taken.bundles}
    stages = {"import": _stage(len(taken.bundles) + len(taken.refused), len(taken.bundles), _reasons(taken))}
    if not own:
        return {"stage": "import", "stages": stages, "refused": _refusals(taken)}, taken.exit_code or 2
    checked = _check(workspace, own)
    stages["check"] = _stage(sum(checked.grades.values()), sum(checked.grades.values()) - len(checked.rejected),
                             Counter(one["rule"] for one in checked.rejected))  # fmt: skip
    remember(workspace, request.deny)
    cleaned = clean(workspace, request.policy, vault(workspace), only=own, progress=progress, processes=available())
    stages["scrub"] = _stage(len(own), cleaned.scrubbed + cleaned.unchanged, _codes(cleaned))
    document, code = _review_and_publish(workspace, request, own, stages, taken.exit_code or cleaned.exit_code)
    return document | {"unread": _refusals(taken)}, code


def _review_and_publish(
    workspace: Workspace, request: Request, own: set[str], stages: dict[str, Any], code: int
) -> tuple[dict[str, Any], int]:
    verdicts = desk(workspace)
    held = [one for one in workspace.clean.bundles() if one.provenance.origin_key in own]
    waiting = Counter(verdicts.verdict(one) for one in held)
    if request.review == "human" and waiting["pending"]:
        stages["review"] = _stage(len(held), waiting["accepted"], Counter({"pending": waiting["pending"]}))
        return {
            "stage": "review", "pending": waiting["pending"], "stages": stages,
            "next_command": "errorhub review list",
        }, 1  # fmt: skip
    result = release(
        workspace, request.to, by=request.by or workspace.actor, review=request.review, only=own,
        create=request.create, no_ner=request.no_ner,
    )  # fmt: skip
    rules = Counter(one.reason.split(":")[0] for one in result.published.refused)
    passed = result.published.published + result.published.skipped
    stages["review"] = _stage(len(held), len(held) - result.rejected, Counter(rejected=result.rejected))
    stages["publish"] = _stage(len(held) - result.rejected, passed, rules)
    return {"stage": "publish", **result.document(), "stages": stages}, result.exit_code or code


def _check(workspace: Workspace, own: set[str]) -> Checked:
    tally = Checked()
    with workspace.raw.editing():
        chosen = (one for one in workspace.raw.bundles() if one.provenance.origin_key in own)
        changed = list(check(chosen, tally))
        if changed:
            workspace.raw.put(changed)
    return tally


def _stage(number: int, passed: int, refused: Counter[str]) -> dict[str, Any]:
    return {"in": number, "out": passed, "refused": {rule: n for rule, n in sorted(refused.items()) if n}}


def _reasons(taken: Intake) -> Counter[str]:
    return Counter("label" if one.exit == 3 else "unreadable" for one in taken.refused)


def _refusals(taken: Intake) -> list[dict[str, Any]]:
    return [{"source": str(one.source), "reason": one.reason, "exit": one.exit} for one in taken.refused]


def _codes(cleaned: Cleaning) -> Counter[str]:
    return Counter(one["code"] for one in cleaned.refused)
