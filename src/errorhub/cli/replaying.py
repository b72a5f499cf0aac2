"""collect, replay: runs of an environment, and what a correction changes in them."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from errorhub.cli.frame import frame, number, say, table, warn

_Approve = Annotated[
    str | None, typer.Option("--approve", help="Your leave to act, in words; needed outside simulations.")
]
_By = Annotated[str | None, typer.Option("--by", help="Your name on the approval.")]


def register(app: typer.Typer) -> None:
    """Add the verbs."""
    app.command("collect")(collect)
    app.command("replay")(replay)


def collect(
    context: typer.Context,
    env: Annotated[str, typer.Option("--env", help="textworld, scienceworld, or rooms, which needs no package.")],
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="KEY=VALUE of the environment, repeatable: game=quest.")
    ] = None,
    policy: Annotated[str, typer.Option("--policy", help="random, guide, script or model.")] = "guide",
    policy_settings: Annotated[
        list[str] | None, typer.Option("--policy-set", help="KEY=VALUE of the policy, repeatable: slip=0.3.")
    ] = None,
    base_url: Annotated[str | None, typer.Option("--base-url", help="OpenAI-compatible URL of policy model.")] = None,
    model: Annotated[str | None, typer.Option("--model", help="Name of the model there.")] = None,
    seeds: Annotated[str, typer.Option("--seeds", help="Tasks to play: 0-59, or 3,5,8-10.")] = "0-9",
    tries: Annotated[int, typer.Option("--tries", min=1, help="Runs of each task.")] = 1,
    budget: Annotated[int, typer.Option("--budget", min=1, max=1000, help="Actions a run may take.")] = 30,
    oracle: Annotated[
        bool, typer.Option("--oracle", help="Have the environment's walkthrough diagnose each failure.")
    ] = False,
    keep_passed: Annotated[bool, typer.Option("--keep-passed", help="Keep runs that passed too.")] = False,
    license: Annotated[str | None, typer.Option("--license", help="SPDX licence of the runs.")] = None,
    approve: _Approve = None,
    by: _By = None,
) -> None:
    """Play a policy in an environment and keep the runs that fail, so that corrections can be tried on them.

    Example: errorhub collect --env rooms --seeds 0-9 --budget 12 --oracle
    """
    from errorhub.evidence.collect import Batch
    from errorhub.evidence.collect import collect as run
    from errorhub.evidence.environments import policy as player_of
    from errorhub.evidence.environments.options import seeds_of, settings_of
    from errorhub.hub.intake import licensed

    call = frame(context)
    workspace = call.workspace()
    given = settings_of(policy_settings or [])
    given |= {name: value for name, value in (("base_url", base_url), ("model", model)) if value is not None}
    player = player_of(policy, given, cache=workspace.folder / "answers")
    batch = Batch(env, settings_of(settings or []), player, seeds_of(seeds), budget, tries=tries, oracle=oracle,
                  keep_passed=keep_passed, by=call.author(by, workspace), approval=approve)  # fmt: skip
    with call.progress("playing") as advance:
        result = run(batch, workspace, license=licensed(license or call.settings.license), progress=advance)
    document = result.document()
    document["next_command"] = f"errorhub replay --all --env {env}" if oracle else "errorhub list --stage raw"
    call.emit(document, lambda: _collected(document), ids=lambda: [one["bundle_id"] for one in document["bundles"]])
    raise typer.Exit(result.exit_code)


def replay(
    context: typer.Context,
    env: Annotated[str, typer.Option("--env", help="The environment the runs were played in.")],
    bundles: Annotated[list[str] | None, typer.Argument(metavar="ID…", help="Bundles of the raw stage.")] = None,
    all_: Annotated[bool, typer.Option("--all", help="Every raw run of the environment with a correction.")] = False,
    runs: Annotated[int, typer.Option("--runs", min=1, max=100, help="Runs an arm.")] = 3,
    diagnosis: Annotated[str | None, typer.Option("--diagnosis", help="Diagnosis to test. [default: last]")] = None,
    approve: _Approve = None,
    by: _By = None,
    base_url: Annotated[
        str | None, typer.Option("--base-url", help="Endpoint of the model that played, named again.")
    ] = None,
    allow_raw: Annotated[
        bool, typer.Option("--allow-raw", help="Send raw runs to an endpoint on another machine.")
    ] = False,
) -> None:
    """Test a correction: from the checkpoint before the error, the correction against the original action.

    Both arms are played by the same policy under the same budget, verifier and seeds; ties and losses are kept.

    Example: errorhub replay 3fa1b2c4 --env rooms
    """
    from errorhub.evidence.replaying import Leave, chosen, replay_bundles

    call = frame(context)
    workspace = call.workspace()
    picked = chosen(workspace, bundles or [], env, every=all_)
    leave = Leave(by=call.author(by, workspace) if approve else None, note=approve, base_url=base_url,
                  allow_raw=allow_raw)  # fmt: skip
    with call.progress("replaying") as advance:
        result = replay_bundles(workspace, picked, env, leave=leave, diagnosis=diagnosis, runs=runs, progress=advance)
    document = result.document()
    single = document["bundles"][0]["bundle_id"][:12] if len(picked) == 1 else None
    document["next_command"] = f"errorhub show {single} --compare" if single else "errorhub scrub --policy share"
    call.emit(document, lambda: _replayed(document), ids=lambda: [one["bundle_id"] for one in document["bundles"]])
    raise typer.Exit(result.exit_code)


def _collected(document: dict[str, Any]) -> None:
    say(", ".join(f"{document[name]} {name}" for name in ("failed", "passed", "ungradable")))
    said = f", {document['diagnosed']} diagnosed by the oracle" if document["diagnosed"] else ""
    say(f"{number(document['imported'], 'run')} taken in, {document['unchanged']} known already{said}")
    _refused(document, "source")


def _replayed(document: dict[str, Any]) -> None:
    say(f"{number(document['pairs'], 'pair')} of {number(document['tasks'], 'task')}")
    bounds = document["interval"]
    shown = f" [{100 * bounds[0]:.1f}, {100 * bounds[1]:.1f}]" if bounds else ""
    if document["pairs"]:
        say(f"passed: corrected {100 * document['corrected']:.1f} %, original {100 * document['original']:.1f} %, "
            f"uplift {100 * document['uplift']:+.1f} points{shown}")  # fmt: skip
        say("pairs: " + ", ".join(f"{n} {name}" for name, n in document["contrasts"].items()))
    table(["outcome", "corrections"], [[name, n] for name, n in document["outcomes"].items()])
    for reason, n in document["left_out"].items():
        warn(f"left out {number(n, 'pair')}: {reason}")
    _refused(document, "bundle_id")


def _refused(document: dict[str, Any], name: str) -> None:
    for one in document["refused"]:
        warn(f"refused {one[name][:24]}: {one['reason']}")
