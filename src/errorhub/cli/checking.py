"""check: do diagnoses hold? By structure always, by a model's opinion when one is named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from errorhub.cli.diagnosing import (
    ALLOW_RAW,
    AT_ONCE,
    BASE_URL,
    MAX_TOKENS,
    MODEL,
    NO_THINKING,
    PRICE,
    STAGE,
    endpoint_of,
    prices_of,
    spent,
    stage_of,
)
from errorhub.cli.frame import Frame, frame, number, say, table, warn

if TYPE_CHECKING:
    from errorhub.evidence.chat import Endpoint
    from errorhub.evidence.diagnose_seeing import Terms


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("check")(check)


def check(
    context: typer.Context,
    bundles: Annotated[list[str] | None, typer.Argument(metavar="ID…", help="Bundles. [default: all]")] = None,
    judge: Annotated[
        bool, typer.Option("--judge", help="Ask a model, too: do quotes support claims, do corrections differ?")
    ] = False,
    base_url: Annotated[str | None, BASE_URL] = None,
    model: Annotated[str | None, MODEL] = None,
    stage: Annotated[str | None, STAGE] = None,
    allow_raw: Annotated[bool, ALLOW_RAW] = False,
    max_tokens: Annotated[int, MAX_TOKENS] = 1024,
    at_once: Annotated[int, AT_ONCE] = 8,
    no_thinking: Annotated[bool, NO_THINKING] = False,
    price: Annotated[str | None, PRICE] = None,
) -> None:
    """Grade every diagnosis against its run. Exit 1 when one does not hold; it is kept, with the rule that failed.

    Example: errorhub check
    """
    from errorhub.evidence import Checked
    from errorhub.evidence import check as grade
    from errorhub.evidence.diagnose_seeing import Terms
    from errorhub.hub.errors import UsageError

    call, prices = frame(context), prices_of(price)
    endpoint = endpoint_of(base_url, model, max_tokens=max_tokens, at_once=at_once, thinking=not no_thinking)
    if judge != (endpoint is not None):
        raise UsageError("an opinion needs --judge, --base-url and --model.")
    workspace = call.workspace()
    tally = Checked()
    with workspace.raw.editing():
        chosen: Any = [workspace.find(one, workspace.raw) for one in bundles] if bundles else workspace.raw.bundles()
        changed = list(grade(chosen, tally))
        if changed:
            workspace.raw.put(changed)
    document: dict[str, Any] = {
        "bundles": tally.bundles, "grades": dict(tally.grades), "rejected": tally.rejected,
        "next_command": "errorhub scrub",
    }  # fmt: skip
    code = 1 if tally.rejected else 0
    if endpoint:
        terms = Terms(stage=stage_of(stage), allow_raw=allow_raw)
        document["opinions"], refused = _opinions(call, bundles, endpoint, terms, prices)
        code = code or (3 if refused else 0)
    call.emit(document, lambda: _checked(document))
    raise typer.Exit(code)


def _opinions(
    call: Frame, bundles: list[str] | None, endpoint: Endpoint, terms: Terms, prices: tuple[float, float] | None
) -> tuple[dict[str, Any], bool]:
    from errorhub.evidence.semantic import Opinions

    workspace = call.workspace()
    chosen: Any = [workspace.find(one, workspace.raw) for one in bundles] if bundles else workspace.raw.bundles()
    with call.progress("asking") as advance:
        done = Opinions(workspace, terms, endpoint, advance).run(chosen)
    document = {
        "by": f"judge:{endpoint.model}", "rules": dict(done.grades), "unchanged": done.unchanged,
        "refused": done.refused, "usage": spent(done.usage, prices),
    }  # fmt: skip
    return document, bool(done.refused)


def _checked(document: dict[str, Any]) -> None:
    say(number(document["bundles"], "bundle"))
    table(["grade", "diagnoses"], [[grade, n] for grade, n in sorted(document["grades"].items())])
    if opinions := document.get("opinions"):
        say(f"{opinions['by']}: {sum(opinions['rules'].values())} opinions, {opinions['unchanged']} had one")
        table(["opinion", "diagnoses"], [[rule, n] for rule, n in sorted(opinions["rules"].items())])
        for one in opinions["refused"]:
            warn(f"no opinion on {one['diagnosis_id'][:12]}: {one['rule']} ({one['reason']})")
    for one in document["rejected"]:
        warn(f"rejected {one['diagnosis_id'][:12]} of {one['bundle_id'][:12]}: {one['rule']} ({one['detail']})")
