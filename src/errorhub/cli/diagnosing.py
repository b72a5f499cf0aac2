"""diagnose: let a program say where runs went wrong."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from errorhub.cli.frame import frame, number, say, table, warn

if TYPE_CHECKING:
    from errorhub.evidence.chat import Endpoint
    from errorhub.evidence.diagnose import Diagnosed

_SHOWN = 10
"""Refusals of a batch that a person sees."""

BASE_URL = typer.Option("--base-url", help="OpenAI-compatible URL of a model, without /chat/…")
MODEL = typer.Option("--model", help="Name of the model there.")
ALLOW_RAW = typer.Option("--allow-raw", help="Raw runs may go to a model that is not on this machine; recorded.")
STAGE = typer.Option("--stage", help="Show the model this stage: raw or clean. [default: clean where there is one]")
MAX_TOKENS = typer.Option("--max-tokens", min=1, help="Longest answer of the model.")
AT_ONCE = typer.Option("--at-once", min=1, max=64, help="Requests on their way at a time.")
NO_THINKING = typer.Option("--no-thinking", help="Ask the chat template to leave thinking out (vLLM, transformers).")
PRICE = typer.Option("--price", help="Dollars a million tokens, in/out, for example 0.5/1.5.")


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("diagnose")(diagnose)


def diagnose(
    context: typer.Context,
    by: Annotated[str, typer.Option("--with", help="agentdebugx (rules, no model), deepdebug or judge.")],
    bundles: Annotated[
        list[str] | None, typer.Argument(metavar="ID…", help="Bundles. [default: every run that did not pass]")
    ] = None,
    base_url: Annotated[str | None, BASE_URL] = None,
    model: Annotated[str | None, MODEL] = None,
    stage: Annotated[str | None, STAGE] = None,
    allow_raw: Annotated[bool, ALLOW_RAW] = False,
    reference: Annotated[
        bool, typer.Option("--reference", help="Show what only graders knew, too; recorded with the diagnosis.")
    ] = False,
    with_memory: Annotated[
        bool, typer.Option("--with-memory", help="Show similar past cases, too; which ones is recorded.")
    ] = False,
    cases: Annotated[int, typer.Option("--cases", min=1, max=10, help="Past cases shown with --with-memory.")] = 3,
    other_tasks: Annotated[
        bool, typer.Option("--other-tasks", help="Past cases of the same task do not count, as measuring asks.")
    ] = False,
    max_characters: Annotated[
        int, typer.Option("--max-characters", min=1000, help="Of a run that a judge sees; the longest steps lose most.")
    ] = 120_000,
    max_tokens: Annotated[int, MAX_TOKENS] = 4096,
    at_once: Annotated[int, AT_ONCE] = 8,
    no_thinking: Annotated[bool, NO_THINKING] = False,
    price: Annotated[str | None, PRICE] = None,
) -> None:
    """Let a program say where runs went wrong. What it says is checked against the run; what fails is kept, and told.

    Example: errorhub diagnose --with judge --base-url http://127.0.0.1:8000/v1 --model qwen3
    """
    from errorhub.evidence.diagnose import Diagnosing
    from errorhub.evidence.diagnose_opening import opener
    from errorhub.evidence.diagnose_seeing import Terms

    call = frame(context)
    prices = prices_of(price)
    endpoint = endpoint_of(base_url, model, max_tokens=max_tokens, at_once=at_once, thinking=not no_thinking)
    workspace = call.workspace()
    opened = opener(by, workspace, endpoint, most_characters=max_characters)
    terms = Terms(
        stage=stage_of(stage), allow_raw=allow_raw, reference=reference, cases=cases if with_memory else 0,
        same_task=not other_tasks,
    )  # fmt: skip
    chosen: Any = [workspace.find(one, workspace.raw) for one in bundles] if bundles else workspace.raw.bundles()
    with call.progress("diagnosing") as advance:
        done = Diagnosing(workspace, terms, endpoint, named=bool(bundles), progress=advance).run(chosen, opened)
    document = _document(done, prices)
    call.emit(document, lambda: _diagnosed(document), ids=lambda: [one["bundle_id"] for one in document["bundles"]])
    raise typer.Exit(done.exit_code)


def endpoint_of(base_url: str | None, model: str | None, **asked: Any) -> Endpoint | None:
    """Return where the model is, None without one. Raise UsageError when half of it is missing."""
    from errorhub.evidence.chat import Endpoint
    from errorhub.hub.errors import UsageError

    if bool(base_url) != bool(model):
        raise UsageError("a model is named by both --base-url and --model.")
    if not base_url or not model:
        return None
    found = Endpoint(base_url, model, **asked)
    found.check()
    return found


def prices_of(price: str | None) -> tuple[float, float] | None:
    """Read dollars a million tokens, in and out."""
    from errorhub.hub.errors import UsageError

    try:
        return None if price is None else (float(price.split("/")[0]), float(price.split("/")[1]))
    except (ValueError, IndexError):
        raise UsageError(f"not a price: {price}. Use dollars a million tokens, in/out, for example 0.5/1.5.") from None


def spent(usage: Any, prices: tuple[float, float] | None) -> dict[str, Any]:
    """Return what answers cost, as a plain object; in dollars when prices are known."""
    tokens = (usage.prompt_tokens, usage.completion_tokens)
    cost = round(sum(price * n / 1e6 for price, n in zip(prices, tokens, strict=True)), 6) if prices else None
    return {
        "asked": usage.asked, "cached": usage.cached, "prompt_tokens": tokens[0], "completion_tokens": tokens[1],
        "cost": cost,
    }  # fmt: skip


def stage_of(stage: str | None) -> Any:
    """Read the name of a stage."""
    from errorhub.hub.errors import UsageError

    if stage not in (None, "raw", "clean"):
        raise UsageError(f"no such stage: {stage}. Use raw or clean.")
    return stage


def _document(done: Diagnosed, prices: tuple[float, float] | None) -> dict[str, Any]:
    document = {
        "diagnosed": done.diagnosed, "rejected": done.rejected, "refused": done.refused, "accepted": done.accepted,
        "unchanged": done.unchanged, "skipped": dict(done.skipped),
        "usage": spent(done.usage, prices), "bundles": done.bundles,
    }  # fmt: skip
    if done.bundles:
        document["next_command"] = f"errorhub show {done.bundles[0]['bundle_id'][:12]}"
    elif done.refused:
        rules = {one["rule"] for one in done.refused}
        document["next_command"] = "errorhub scrub" if rules & {"not_scrubbed", "stale"} else "errorhub annotate ID …"
    return document


def _diagnosed(document: dict[str, Any]) -> None:
    rows = [
        [one["bundle_id"][:12], found["step"], found["agent"], found["grade"], found["rule"]]
        for one in document["bundles"]
        for found in one["diagnoses"]
    ]
    if rows:
        table(["bundle", "step", "agent", "grade", "rule"], rows)
    say(
        f"{number(document['diagnosed'], 'run')} diagnosed, {document['unchanged']} unchanged; "
        f"{document['accepted']} diagnoses hold, {document['rejected']} rejected"
    )
    for why, count in document["skipped"].items():
        say(f"{number(count, 'run')} passed over: {why}")
    usage = document["usage"]
    if usage["asked"] or usage["cached"]:
        cost = "" if usage["cost"] is None else f", {usage['cost']:.4f} dollars"
        say(
            f"{number(usage['asked'], 'answer')} and {usage['cached']} kept ones: {usage['prompt_tokens']} tokens in, "
            f"{usage['completion_tokens']} out{cost}"
        )
    for one in document["refused"][:_SHOWN]:
        warn(f"refused {one['bundle_id'][:12]}: {one['rule']} ({one['reason']})")
    if len(document["refused"]) > _SHOWN:
        rules = Counter(one["rule"] for one in document["refused"])
        warn(f"refused in all: {', '.join(f'{rule} {n}' for rule, n in rules.most_common())}; --json lists them")
