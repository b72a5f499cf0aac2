"""demo: the whole way on packaged examples: log → … → hub → another workspace → retrieved case."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from errorhub.evidence import add_repair, annotate
from errorhub.examples import Annotation, planted, write
from errorhub.examples import annotations as notes
from errorhub.hub.bundle import Attempt, Bundle, Citation, Outcome
from errorhub.hub.intake import Terms, intake
from errorhub.hub.known import remember, vault
from errorhub.hub.mirrors import pull_into
from errorhub.hub.recall import look_up
from errorhub.hub.release import desk, outbound_files, release
from errorhub.hub.review import grep
from errorhub.hub.scrub import clean
from errorhub.hub.workspace import Workspace
from errorhub.scrubber import Policy

Say = Callable[[str], None]
FORMATS = ("claude-code", "openai-chat", "who-and-when", "agentdebugx")


def tour(say: Say) -> dict[str, Any]:
    """Walk the whole way, telling each step, and return where the hub is and which case was found."""
    folder = Path(tempfile.mkdtemp(prefix="errorhub-demo-"))
    logs, hub = folder / "logs", f"local:{folder / 'hub'}"
    write(logs)
    mine, theirs = (Workspace.open(folder / name) for name in ("workspace", "colleague"))
    say(f"1 import    {_import(mine, logs)} runs in four formats, every one with planted fake secrets")
    say(f"2 annotate  {_annotate(mine)} runs get a person's diagnosis, some a fix that was tried")
    _scrub(mine, folder, say)
    _review(mine, say)
    result = release(mine, hub, by="demo").document()
    say(f"5 publish   {result['published']} bundles in one commit, read back and verified")
    say(f"            {result['load']}")
    pulled = pull_into(theirs, hub)
    say(f"6 pull      a colleague's workspace now holds {pulled.bundles} verified bundles")
    answer = look_up(theirs, log=logs / "story" / "second.jsonl")
    if not answer.hits:
        raise AssertionError("the demo's own case was not found")
    hit = answer.hits[0]
    say("7 similar   the colleague's agent fails; has anyone hit this before?")
    say(f"            yes: {hit.explanation}")
    say(f"            what helped: {hit.repair or hit.correction}")
    return {
        "hub": hub, "bundles": pulled.bundles, "retrieved": hit.model_dump(mode="json"),
        "next_command": f"errorhub list {hub}",
    }  # fmt: skip


def _import(workspace: Workspace, logs: Path) -> int:
    paths = [*(logs / name for name in FORMATS), logs / "story" / "first.jsonl"]
    return intake(paths, workspace, terms=Terms(license="CC-BY-4.0")).imported


def _annotate(workspace: Workspace) -> int:
    changed = []
    for note in notes():
        for bundle in workspace.raw.bundles():
            if bundle.provenance.file == Path(note.file).name and bundle.trajectory.source.record == note.run:
                changed.append(annotated(bundle, note))
    workspace.raw.put(changed)
    return len(changed)


def annotated(bundle: Bundle, note: Annotation) -> Bundle:
    """Return the bundle with what a person says about it, and the fix she tried."""
    steps = bundle.trajectory.steps
    place = next(i for i, step in enumerate(steps) if note.marker in str(step.output))
    bundle, _ = annotate(
        bundle, step=place, because=note.explanation, by="demo", agent=note.agent or steps[place].agent,
        quotes=[Citation(step=place, quote=note.quote)], fix=note.fix,
    )  # fmt: skip
    if note.repair:
        attempt = Attempt(arm="corrected", outcome=Outcome(status=note.repair.outcome, source="human"))
        bundle, _ = add_repair(bundle, note.repair.directive, attempt=attempt)
    return bundle


def _scrub(workspace: Workspace, folder: Path, say: Say) -> None:
    words = folder / "deny.txt"
    words.write_text("\n".join(one.value for one in planted().values() if one.known) + "\n", encoding="utf-8")
    remember(workspace, [words])
    done = clean(workspace, Policy.load("strict"), vault(workspace))
    kinds = ", ".join(f"{n} {kind}" for kind, n in done.findings.most_common(5))
    say(f"3 scrub     {done.scrubbed} clean, {len(done.refused)} refused; replaced {kinds}, …")
    say(f"            dropped {sum(done.dropped.values())} inputs wholesale (policy strict)")


def _review(workspace: Workspace, say: Say) -> None:
    verdicts = desk(workspace)
    bundles = list(workspace.clean.bundles())
    files = outbound_files(bundles, workspace, actor="demo")
    leaks = sum(len(list(grep(one.value, bundles, files))) for one in planted().values())
    say(f"4 review    grep finds {leaks} of {len(planted())} planted values in what would leave; a person accepts")
    verdicts.decide(bundles, "accept", by="demo", attest="invented examples")
