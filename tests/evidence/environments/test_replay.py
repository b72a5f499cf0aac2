"""Replays: both arms from one checkpoint under one set of settings; whatever differs is refused, whatever comes is kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from errorhub.evidence.approval import SIMULATED, approval_for
from errorhub.evidence.checkpoint import restore
from errorhub.evidence.contrast import contrast, pair
from errorhub.evidence.environments import Environment, NotReplayable, Policy, environment, policy
from errorhub.evidence.environments.rooms import Rooms
from errorhub.evidence.episode import Conditions, actions_of
from errorhub.evidence.replay import arena, replay, seed_of, with_repair
from errorhub.evidence.replaying import Leave, replay_bundles
from errorhub.hub.bundle import Bundle, Correction, Diagnosis, Outcome, Repair, Step, Trajectory
from errorhub.hub.bundle.diagnosis import Approval
from errorhub.hub.bundle.trajectory import Source
from errorhub.hub.errors import Blocked, NotFound, UsageError
from errorhub.hub.workspace import Workspace
from errorhub.scrubber import Receipt
from errorhub.views import Plan, build, of_bundles

from .conftest import Collects, Runs

Make = Callable[[Conditions], tuple[Environment, Policy]]
LEAVE = Approval(by="test")


def same(conditions: Conditions) -> tuple[Environment, Policy]:
    """Make the world and the player of a run again."""
    settings = dict(conditions.policy)
    return environment(conditions.environment, conditions.world), policy(str(settings.pop("name")), settings)


def proposing(bundle: Bundle, action: Any, step: int | None = None) -> Bundle:
    """The bundle with one diagnosis that proposes an action."""
    place = bundle.diagnoses[0].step if step is None else step
    found = Diagnosis(step=place, agent=bundle.trajectory.steps[place].agent, explanation="x", author="me",
                      correction=Correction(action=action))  # fmt: skip
    return bundle.replace(diagnoses=(found,), groundings=())


def test_both_arms_start_from_the_checkpoint_before_the_error(collected: Collects) -> None:
    bundle = collected()[0]
    after, repair = replay(bundle, arena(bundle, same), LEAVE)
    error = bundle.trajectory.steps[bundle.diagnoses[0].step]
    assert [one.arm for one in repair.attempts] == ["corrected", "original"] * 3
    assert {one.state_ref for one in repair.attempts} == {error.state_ref}
    assert {one.settings_digest for one in repair.attempts} == {Conditions.of(bundle.trajectory).settings_digest}
    assert [one.seed for one in repair.attempts[::2]] == [one.seed for one in repair.attempts[1::2]]
    assert len({one.seed for one in repair.attempts}) == 3
    for one in repair.attempts:
        said = [step.output for step in one.steps if step.kind == "agent.step"]
        assert said[0] == (repair.action if one.arm == "corrected" else error.output)
        assert one.executed_faithfully
        before = sum(place < bundle.diagnoses[0].step for place, _ in actions_of(bundle.trajectory))
        assert len(said) + before <= 13
    assert repair.diagnosis_id == bundle.diagnosis_ids[0]
    assert (after.trajectory_id, after.repairs) == (bundle.trajectory_id, (repair,))


def test_replaying_again_adds_nothing_and_more_runs_add_only_the_missing(collected: Collects) -> None:
    bundle = collected()[0]
    once, three = replay(bundle, arena(bundle, same), LEAVE)
    twice, _ = replay(once, arena(once, same), Approval(by="another"))
    assert twice == once
    _, four = replay(once, arena(once, same), LEAVE, runs=4)
    assert four.attempts[:6] == three.attempts
    assert len(four.attempts) == 8
    _, fresh = replay(bundle, arena(bundle, same), LEAVE, runs=4)
    assert fresh.attempts == four.attempts


@pytest.mark.parametrize(
    ("action", "error", "says"),
    [
        ("fly home", UsageError, "no action of rooms: fly home"),
        (None, UsageError, "no diagnosis of the bundle proposes an action"),
        ({"tool": "bash"}, UsageError, "proposes no action"),
        ("  ", UsageError, "proposes no action"),
    ],
    ids=["unknown-verb", "none", "tool-call", "empty"],
)
def test_corrections_that_are_no_action(collected: Collects, action: Any, error: type[Exception], says: str) -> None:
    bundle = proposing(collected()[0], action)
    with pytest.raises(error, match=says):
        replay(bundle, arena(bundle, same), LEAVE)


def test_an_action_may_be_written_as_an_object(collected: Collects) -> None:
    bundle = collected()[0]
    right = bundle.diagnoses[0].correction
    given = proposing(bundle, {"action": right.action if right else ""})
    assert replay(given, arena(given, same), LEAVE, runs=1)[1].action == (right.action if right else "")


def test_a_correction_the_world_refuses_decides_nothing(collected: Collects) -> None:
    """Its verb is known, so it was tried; it was not carried out, so nothing can be concluded (DoVer)."""
    bundle = proposing(collected()[0], "unlock amber door")
    after, repair = replay(bundle, arena(bundle, same), LEAVE)
    assert {one.executed_faithfully for one in repair.attempts if one.arm == "corrected"} == {False}
    assert repair.verdict == "inconclusive"
    found = pair([(after, repair)])
    assert (len(found.pairs), found.left_out.total()) == (0, 3)


def test_a_correction_that_does_harm_is_kept(collected: Collects) -> None:
    """The lever floods the rooms: the corrected arm loses where the original one may pass."""
    bundles = collected(seeds=range(30), oracle=True)
    for bundle in bundles:
        held = arena(bundle, same)
        first = actions_of(bundle.trajectory)[0][0]
        if "pull lever" in held.world.reset().actions:
            given = proposing(bundle, "pull lever", first)
            after, repair = replay(given, held, LEAVE)
            assert {one.outcome.status for one in repair.attempts if one.arm == "corrected"} == {"failed"}
            assert repair.verdict == "refuted"
            assert contrast(pair([(after, repair)]).pairs)["corrected"] == 0
            return
    pytest.fail("no lever in a first room")


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        (
            lambda c: (environment("rooms", {**c.world, "rooms": 6}), policy("guide", {"slip": 0.3})),
            "environment .*: rooms",
        ),
        (lambda c: (environment("rooms", c.world), policy("guide", {"slip": 0.1})), "policy .*: slip"),
        (lambda c: (environment("rooms", c.world), policy("random", {})), "policy .*: name, slip, stubborn"),
    ],
    ids=["world", "slip", "player"],
)
def test_settings_that_differ_are_refused(collected: Collects, changed: Make, says: str) -> None:
    with pytest.raises(NotReplayable, match=says):
        arena(collected()[0], changed)


def test_a_run_of_an_imported_log_is_never_run_again(workspace: Workspace) -> None:
    step = Step(agent="a", kind="tool.call", tool="bash", input={"command": "ls"})
    bundle = Bundle(trajectory=Trajectory(steps=(step,), source=Source(format="claude-code")))
    with pytest.raises(NotReplayable, match=r"format claude-code.*never run again"):
        arena(bundle, same)
    with pytest.raises(NotReplayable, match="never run again"):
        replay_bundles(workspace, [bundle], "rooms", leave=Leave())


def test_a_run_that_does_not_say_how_it_was_played(collected: Collects) -> None:
    bundle = collected()[0]
    run = bundle.trajectory.run.replace(metadata={"conditions": {"environment": "rooms"}})
    with pytest.raises(NotReplayable, match="does not say completely"):
        arena(bundle.replace(trajectory=bundle.trajectory.replace(run=run)), same)


@pytest.mark.parametrize("part", ["output", "state_ref"])
def test_a_checkpoint_that_does_not_return(collected: Collects, part: str) -> None:
    bundle = collected()[0]
    steps = list(bundle.trajectory.steps)
    steps[2] = steps[2].replace(**{part: "other", "error": None})
    changed = bundle.replace(trajectory=bundle.trajectory.replace(steps=tuple(steps)))
    held = arena(changed, same)
    with pytest.raises(NotReplayable, match="cannot be restored: at step 2"):
        restore(held.world, changed.trajectory, held.conditions, 5)


def test_an_environment_that_is_not_deterministic_is_found_out(collected: Collects) -> None:
    bundle = collected()[0]

    class Unsteady(Rooms):
        def _described(self) -> str:
            return f"{super()._described()} {id(object())} {self._taken} {next(ticks)}"

    ticks = iter(range(10_000))
    held = arena(bundle, lambda c: (Unsteady(c.world), same(c)[1]))
    with pytest.raises(NotReplayable, match="not deterministic"):
        replay(bundle, held, LEAVE)


def test_a_world_that_breaks_down_leaves_attempts_nobody_can_grade(collected: Collects) -> None:
    bundle = collected()[0]
    made = sum(place < bundle.diagnoses[0].step for place, _ in actions_of(bundle.trajectory))
    for at in (0, made + 1):

        class Broken(Rooms):
            breaks = at

            def __init__(self, settings: Any) -> None:
                super().__init__({**settings, "breaks_at": self.breaks})

            @property
            def settings(self) -> dict[str, Any]:
                return {**super().settings, "breaks_at": None}

        after, repair = replay(bundle, arena(bundle, lambda c, w=Broken: (w(c.world), same(c)[1])), LEAVE)
        assert {one.outcome.status for one in repair.attempts} == {"ungradable"}
        assert {one.outcome.fault for one in repair.attempts} == {"infrastructure"}
        assert repair.verdict == "inconclusive"
        assert not pair([(after, repair)]).pairs


def test_milestones_reached_before_the_error_are_no_gain(collected: Collects) -> None:
    for bundle in collected(seeds=range(30)):
        held = arena(bundle, same)
        restore(held.world, bundle.trajectory, held.conditions, bundle.diagnoses[0].step)
        reached = {one.name for one in held.world.verify().milestones if one.status == "achieved"}
        _, repair = replay(bundle, held, LEAVE, runs=1)
        assert not reached & {one.name for attempt in repair.attempts for one in attempt.milestones}
        if reached:
            return
    pytest.fail("no error after an opened door")


def test_step_that_is_no_action(collected: Collects) -> None:
    bundle = proposing(collected()[0], "go east", 0)
    with pytest.raises(UsageError, match="step 0 is no action of the player"):
        replay(bundle, arena(bundle, same), LEAVE)


def test_seeds_differ_between_runs_and_trajectories(collected: Collects) -> None:
    one, other = collected()[:2]
    assert len({seed_of(bundle, run) for bundle in (one, other) for run in range(3)}) == 6


class Outside(Rooms):
    """Rooms that are real."""

    simulated = False


def test_acting_on_the_real_world_needs_a_person() -> None:
    world = Outside({})
    with pytest.raises(Blocked, match="a person must approve"):
        approval_for(world, "rooms", by="ann")
    with pytest.raises(Blocked, match="a person must approve"):
        approval_for(world, "rooms", by="ann", note="  ")
    given = approval_for(world, "rooms", by="ann", note="doors only")
    assert (given.by, given.note) == ("ann", "doors only")
    policy_given = approval_for(Rooms({}), "rooms")
    assert policy_given.by == SIMULATED
    assert policy_given.note and "simulated" in policy_given.note


def test_a_model_that_played_is_asked_only_where_the_person_says(collected: Collects, workspace: Workspace) -> None:
    """A bundle alone must not decide where text and key are sent."""
    bundle = collected()[0]
    for url, leave, says in (
        ("http://example.com/v1", Leave(), "--base-url"),
        ("http://example.com/v1", Leave(base_url="http://127.0.0.1:9/v1"), "--base-url"),
        ("http://example.com/v1", Leave(base_url="http://example.com/v1"), "--allow-raw"),
    ):
        player = {"name": "model", "base_url": url, "model": "m", "temperature": 0.7, "actions_shown": True}
        metadata: dict[str, Any] = dict(bundle.trajectory.run.metadata)
        metadata["conditions"] = {**metadata["conditions"], "policy": player}
        run = bundle.trajectory.run.replace(metadata=metadata)
        given = bundle.replace(trajectory=bundle.trajectory.replace(run=run))
        with pytest.raises(UsageError, match=says):
            replay_bundles(workspace, [given], "rooms", leave=leave)


def test_a_batch_that_is_interrupted_goes_on(collected: Collects, workspace: Workspace) -> None:
    bundles = collected()

    def interrupted(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        replay_bundles(workspace, bundles, "rooms", leave=Leave(), progress=interrupted)
    held = list(workspace.raw.bundles())
    assert sum(bool(one.repairs) for one in held) == 1
    result = replay_bundles(workspace, held, "rooms", leave=Leave())
    assert len(result.done) == len(bundles)
    before = next(one for one in held if one.repairs)
    assert before.bundle_id in {one.bundle_id for one, _ in result.done}


def test_what_others_add_while_a_batch_plays_is_kept(collected: Collects, workspace: Workspace) -> None:
    bundles = collected()[:2]

    def annotated(_: int) -> None:
        now = sorted(workspace.raw.bundles(), key=lambda one: one.trajectory.task_id)[:2]
        found = now[1].diagnoses[0].replace(author="ann", explanation="Seen while it was replayed.")
        workspace.raw.put([now[1].replace(diagnoses=(*now[1].diagnoses, found))])

    replay_bundles(workspace, bundles, "rooms", leave=Leave(), runs=1, progress=annotated)
    after = sorted(workspace.raw.bundles(), key=lambda one: one.trajectory.task_id)[:2]
    assert [len(one.repairs) for one in after] == [1, 1]
    assert "ann" in {one.author for one in after[1].diagnoses}


def test_two_replays_of_one_correction_keep_the_attempts_of_both(collected: Collects) -> None:
    bundle = collected()[0]
    place = arena(bundle, same)
    (one, few), (_, many) = replay(bundle, place, LEAVE, runs=1), replay(bundle, place, LEAVE, runs=2)
    for held in (with_repair(one, many), with_repair(bundle.replace(repairs=(many,)), few)):
        (repair,) = held.repairs
        assert sorted((a.arm, a.seed) for a in repair.attempts) == sorted((a.arm, a.seed) for a in many.attempts)


def test_contrast_counts_ties_and_losses_and_draws_tasks() -> None:
    def repaired(task: str, *ended: tuple[str, str]) -> tuple[Bundle, Repair]:
        attempts = [
            {"arm": arm, "state_ref": "s", "settings_digest": "d", "seed": seed, "outcome": Outcome(status=status)}
            for seed, both in enumerate(ended)
            for arm, status in zip(("corrected", "original"), both, strict=True)
        ]
        repair = Repair.model_validate({"kind": "correction", "attempts": attempts})
        step = Step(agent="a", kind="message", input="x")
        return Bundle(
            trajectory=Trajectory.model_validate({"task": {"id": task}, "steps": [step], "source": {"format": "x"}})
        ), repair

    found = pair([
        repaired("a", ("passed", "failed"), ("failed", "failed"), ("ungradable", "failed")),
        repaired("b", ("failed", "passed"), ("passed", "passed"), ("passed", "failed")),
    ])  # fmt: skip
    numbers = contrast(found.pairs)
    assert (numbers["pairs"], numbers["tasks"], found.left_out.total()) == (5, 2, 1)
    assert numbers["contrasts"] == {"positive": 2, "zero": 2, "negative": 1}
    assert numbers["uplift"] == pytest.approx(0.2)
    low, high = numbers["interval"]
    assert low <= 0.2 <= high
    assert contrast(found.pairs)["interval"] == numbers["interval"]
    assert contrast(found.pairs[:2])["interval"] is None
    assert contrast([])["pairs"] == 0


def test_arms_of_different_settings_make_no_pair() -> None:
    attempts = [
        {"arm": "corrected", "state_ref": "s", "settings_digest": "d", "seed": 1, "outcome": {"status": "passed"}},
        {"arm": "original", "state_ref": "s", "settings_digest": "other", "seed": 1, "outcome": {"status": "failed"}},
        {"arm": "corrected", "outcome": {"status": "passed"}},
        {"arm": "original", "outcome": {"status": "failed"}},
    ]
    repair = Repair.model_validate({"kind": "correction", "attempts": attempts})
    step = Step(agent="a", kind="message", input="x")
    found = pair([(Bundle(trajectory=Trajectory(steps=(step,), source=Source(format="x"))), repair)])
    assert not found.pairs
    assert found.left_out.total() == 2


def test_verb_replay(errorhub: Runs, collected: Collects, workspace: Workspace) -> None:
    bundles = collected()
    code, one = errorhub("replay", bundles[0].bundle_id[:12], "--env", "rooms")
    assert code == 0
    assert (one["pairs"], one["tasks"], one["interval"]) == (3, 1, None)
    assert one["outcome"] in ("validated", "partially_validated", "refuted")
    assert one["uplift"] == pytest.approx(one["corrected"] - one["original"])
    code, every = errorhub("replay", "--all", "--env", "rooms")
    assert (code, every["pairs"], every["outcome"]) == (0, 3 * len(bundles), None)
    assert sum(every["outcomes"].values()) == len(bundles)
    assert len(every["interval"]) == 2
    assert len(workspace.raw.shards()) <= 2, "a shard a bundle would make reading slow"
    for bundle in workspace.raw.bundles():
        (repair,) = bundle.repairs
        assert repair.approval
        assert repair.approval.by == SIMULATED


def test_verb_replay_goes_on_past_a_run_that_cannot_be(
    errorhub: Runs, collected: Collects, workspace: Workspace
) -> None:
    bundles = collected()
    workspace.raw.put([proposing(bundles[0], "fly home")])
    code, document = errorhub("replay", "--all", "--env", "rooms", "--runs", "1")
    assert (code, document["pairs"]) == (3, len(bundles) - 1)
    assert "no action of rooms" in document["refused"][0]["reason"]


def test_verb_replay_records_a_persons_approval(errorhub: Runs, collected: Collects, workspace: Workspace) -> None:
    bundle = collected()[0]
    errorhub("replay", bundle.bundle_id, "--env", "rooms", "--runs", "1", "--approve", "rooms only", "--by", "ann")
    (repair,) = workspace.find(bundle.bundle_id, workspace.raw).repairs
    assert repair.approval
    assert (repair.approval.by, repair.approval.note) == ("ann", "rooms only")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["ID", "--env", "textworld"], "played in rooms, not in textworld"),
        (["--env", "rooms"], "name bundles, or pass --all"),
        (["--all", "--env", "textworld"], "no raw run of textworld has a correction"),
        (["ID", "--env", "rooms", "--diagnosis", "ffffffff"], "0 diagnoses of the bundle"),
        (["0123456789", "--env", "rooms"], "no bundle has the id"),
    ],
    ids=["other-env", "nothing-named", "none-there", "no-diagnosis", "no-bundle"],
)
def test_verb_replay_refuses(errorhub: Runs, collected: Collects, arguments: list[str], says: str) -> None:
    bundle = collected()[0]
    code, document = errorhub("replay", *(bundle.bundle_id if one == "ID" else one for one in arguments))
    assert code == NotFound.exit_code == 2
    assert says in document["error"]["message"]


def test_views_admit_what_replays_found(collected: Collects, workspace: Workspace, tmp_path: Path) -> None:
    """From collected failures to rows: preventive, after a rejection, reflective, and preferences."""
    result = replay_bundles(workspace, collected(), "rooms", leave=Leave())
    clean = [
        one.replace(receipt=Receipt(policy="none", policy_digest="", scrubber="none", digest=one.certified_digest))
        for one, _ in result.done
    ]
    views = ("recovery_preventive", "recovery_posterror", "recovery_reflect", "preference_action")
    report = build(of_bundles(clean), Plan(views), tmp_path / "views")
    for view in views:
        assert report["views"][view]["rows"] >= 1, report["views"][view]
        assert set(report["views"][view]["refused"]) <= {"A7", "A8", "A9", "A13"}


def test_show_compare_begins_at_the_checkpoint(
    collected: Collects, workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    from errorhub.cli.app import run

    bundle = collected()[0]
    (after, _) = replay_bundles(workspace, [bundle], "rooms", leave=Leave(), runs=1).done[0]
    run(["--workspace", str(workspace.folder), "show", after.bundle_id, "--compare"])
    shown = capsys.readouterr().out
    step, action = bundle.diagnoses[0].step, after.repairs[0].action
    assert f"correction: {action}" in shown
    first = next(line for line in shown.splitlines() if line.strip().startswith(f"{step} player"))
    assert f"│ player agent.step: {action}"[:40] in first
    assert not [line for line in shown.splitlines() if "│" in line and line.strip().startswith(f"{step - 1} ")]
