"""A maintainer's answers: once each, checked, scrubbed, kept, taken back."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from decisions import ids, proposal, propose

from errorhub.hub.errors import Blocked, HubError, NotFound, RecordError, SchemaFromFuture, UsageError
from errorhub.hub.taxonomy import load_taxonomy
from errorhub.hub.taxonomy.ledger import own_decisions
from errorhub.hub.taxonomy.maintainer import Maintainer, Wording
from errorhub.hub.taxonomy.proposals import load_proposals
from errorhub.hub.taxonomy.showing import detail, overview
from errorhub.hub.taxonomy.words import scrubbed
from errorhub.hub.workspace import Workspace

Make = Callable[..., Maintainer]


@pytest.fixture
def three(workspace: Workspace) -> list[str]:
    """Three proposals."""
    return propose(
        workspace, proposal("loops", range(6)), proposal("waits", range(10, 16)), proposal("stale", range(20, 25))
    )


def test_accept_names_a_mode_and_keeps_it(workspace: Workspace, maintain: Make, three: list[str]) -> None:
    made = maintain().accept(three[0][:8], Wording("Loops forever", "planning", "The plan repeats."))
    (mode,) = load_taxonomy(workspace).accepted
    assert made.new and made.modes == (mode,)
    assert (mode.id, mode.name, mode.description, mode.by) == (
        "planning.loops_forever",
        "Loops forever",
        "The plan repeats.",
        "ada",
    )
    assert [one.id for one in own_decisions(workspace)] == [made.decision.id]
    assert oct((workspace.folder / "decisions").stat().st_mode)[-3:] == "700"


def test_a_cases_own_words_do_not_enter_the_taxonomy(workspace: Workspace, maintain: Make) -> None:
    propose(workspace, proposal("a", [1, 2, 3], description="secret project Bluebird", named_by="terms"))
    maintain().accept(load_proposals(workspace)[0].id)
    assert load_taxonomy(workspace).accepted[0].description == "Words that set it apart: a."
    propose(workspace, proposal("b", [4, 5, 6], description="Waits for a reply.", named_by="model-x"))
    maintain().accept(load_proposals(workspace)[0].id)
    assert load_taxonomy(workspace).mode("b").description == "Waits for a reply."


def test_the_same_answer_twice_is_a_no_op_and_another_one_an_error(
    workspace: Workspace, maintain: Make, three: list[str]
) -> None:
    first = maintain().accept(three[0])
    again = maintain("bo").accept(three[0])
    assert not again.new and again.decision.id == first.decision.id
    for answer in (
        lambda: maintain("bo").accept(three[0], Wording("another")),
        lambda: maintain("bo").reject([three[0]]),
        lambda: maintain("bo").merge([three[0], three[1]]),
        lambda: maintain("bo").split(three[0], {"a": ids(0), "b": ids(1)}),
    ):
        with pytest.raises(Blocked, match=r"already accepted as planning\.loops by ada"):
            answer()
    maintain().reject([three[1]])
    assert not maintain().reject([three[1]]).new
    with pytest.raises(Blocked, match="already rejected by ada"):
        maintain().accept(three[1])
    assert len(own_decisions(workspace)) == 2


def test_the_same_failures_under_another_id_are_answered_too(
    workspace: Workspace, maintain: Make, three: list[str]
) -> None:
    maintain().accept(three[0])
    (grown,) = propose(workspace, proposal("loops", range(8)))
    assert overview(workspace)["proposals"][0]["status"] == "decided"
    with pytest.raises(Blocked):
        maintain().reject([grown])


def test_a_rejected_one_that_grew_can_be_answered_again(workspace: Workspace, maintain: Make, three: list[str]) -> None:
    before = maintain().reject([three[0]])
    (grown,) = propose(workspace, proposal("loops", range(9)))
    assert overview(workspace)["proposals"][0]["status"] == "proposed"
    made = maintain("bo").accept(grown)
    assert made.decision.after == (before.decision.id,) and not made.taxonomy.conflicts
    assert [one.id for one in made.taxonomy.accepted] == ["planning.loops"]


def test_merge_two_proposals_into_a_new_mode(workspace: Workspace, maintain: Make, three: list[str]) -> None:
    made = maintain().merge(three[:2], wording=Wording("Gets nowhere"))
    (mode,) = made.taxonomy.accepted
    assert mode.id == "planning.gets_nowhere" and mode.members == set(ids(*range(6), *range(10, 16)))
    assert set(mode.merged_from) == set(three[:2])
    assert {one.action for one in made.taxonomy.decided} == {"merge"}


def test_merge_into_known_modes(workspace: Workspace, maintain: Make, three: list[str]) -> None:
    maintain().accept(three[0])
    made = maintain().merge([three[1], "planning.loops"])
    assert len(made.taxonomy.mode("loops").members) == 12
    assert not maintain().merge([three[1]], into="loops").new
    seeded = maintain().merge([three[2], "planning.loops"], into="planning.inefficient_plan")
    assert not seeded.taxonomy.accepted
    assert seeded.taxonomy.under[ids(1)[0]].id == "planning.inefficient_plan"
    assert seeded.taxonomy.mode("planning.loops").scheme == "agentdebugx"


def test_split_a_proposal_and_a_mode(workspace: Workspace, maintain: Make, three: list[str]) -> None:
    some, others = ids(0, 1, 2), ids(3, 4)
    made = maintain().split(three[0], {"Short loops": [some[0][:8], *some[1:]], "Long loops": others})
    assert [one.id for one in made.taxonomy.accepted] == ["planning.long_loops", "planning.short_loops"]
    assert ids(5)[0] not in made.taxonomy.under
    maintain().accept(three[1])
    made = maintain().split("planning.waits", {"x": ids(10), "y": ids(11)})
    assert [one.id for one in made.taxonomy.retired] == ["planning.waits"]
    with pytest.raises(NotFound):
        maintain().split(three[2], {"x": ids(99), "y": ids(21)})
    with pytest.raises(UsageError, match="two parts"):
        maintain().split(three[2], {"x": ids(20)})
    with pytest.raises(UsageError):
        maintain().split(three[2], {"x": ids(20), "y": ids(20, 21)})


def test_an_empty_name_and_a_mode_merged_into_itself_are_refused(maintain: Make, three: list[str]) -> None:
    made = maintain().accept(three[0], Wording("Loops")).modes[0]
    with pytest.raises(UsageError, match="is empty"):
        maintain().rename(made.id, Wording(" "))
    with pytest.raises(UsageError, match="already"):
        maintain().merge([made.id], into=three[0])


def test_rename_keeps_the_id(maintain: Make, three: list[str]) -> None:
    maintain().accept(three[0])
    made = maintain("bo").rename("loops", Wording("Deadlock", description="Nobody moves."))
    mode = made.taxonomy.mode("Deadlock")
    assert (mode.id, mode.description, mode.aliases) == ("planning.loops", "Nobody moves.", ("loops",))
    assert not maintain("bo").rename("Deadlock", Wording("Deadlock")).new
    again = maintain("cy").rename("planning.loops", Wording("Livelock"))
    assert not again.taxonomy.conflicts and again.taxonomy.mode("Livelock").id == "planning.loops"
    undone = maintain().undo(again.decision.id[:8])
    assert undone.taxonomy.mode("planning.loops").name == "Deadlock"


@pytest.mark.parametrize("by", ["decision", "proposal", "mode", "newest"])
def test_undo_finds_what_is_meant(by: str, maintain: Make, three: list[str]) -> None:
    made = maintain().accept(three[0])
    name = {"decision": made.decision.id[:8], "proposal": three[0][:8], "mode": "planning.loops", "newest": None}[by]
    assert not maintain("bo" if name else "ada", "not a failure").undo(name).taxonomy.accepted
    assert maintain().reject([three[0]]).new


def test_without_a_name_only_ones_own_newest_decision_is_undone(maintain: Make, three: list[str]) -> None:
    maintain("ada").accept(three[0])
    with pytest.raises(NotFound, match="no decision by zed"):
        maintain("zed").undo(None)
    assert not maintain("ada").undo(None).taxonomy.accepted


def test_an_undo_can_be_undone_and_is_not_done_twice(workspace: Workspace, maintain: Make, three: list[str]) -> None:
    made = maintain().accept(three[0])
    undo = maintain().undo(made.decision.id)
    with pytest.raises(NotFound, match="undone already"):
        maintain().undo(made.decision.id)
    assert maintain().undo(undo.decision.id).taxonomy.accepted
    states = {row["action"]: row["state"] for row in detail(workspace, three[0])["history"]}
    assert states == {"accept": "holds"}


@pytest.mark.parametrize(
    ("act", "error", "says"),
    [
        (lambda m, p: m.accept("nothing1"), NotFound, "no proposal has the id"),
        (lambda m, p: m.accept(p[0][:5]), NotFound, "id too short"),
        (lambda m, p: m.merge([p[0]]), UsageError, "nothing to merge"),
        (lambda m, p: m.merge([p[0], "no such mode"]), NotFound, "no proposal and no mode"),
        (lambda m, p: m.merge(["planning.inefficient_plan"], into="planning.impossible_action"), UsageError, "never changed"),
        (lambda m, p: m.rename("planning.inefficient_plan", Wording("x")), UsageError, "never changed"),
        (lambda m, p: m.rename("planning.nothing", Wording("x")), NotFound, "no mode is called"),
        (lambda m, p: m.accept(p[0], Wording("inefficient plan", "planning")), UsageError, "has the id"),
        (lambda m, p: m.accept(p[0], Wording("\x00 \n")), UsageError, "needs a name"),
        (lambda m, p: m.undo(None), NotFound, "no decision by ada"),
        (lambda m, p: m.undo("planning.impossible_action"), NotFound, "no decisions to undo"),
    ],
    ids=["unknown", "short", "one", "merge-unknown", "merge-seed", "rename-seed", "rename-unknown", "taken", "no-name",
         "undo-nothing", "undo-seed"],
)  # fmt: skip
def test_what_cannot_be_decided(
    act: Callable[[Maintainer, list[str]], Any], error: type[HubError], says: str, workspace: Workspace, maintain: Make,
    three: list[str],
) -> None:  # fmt: skip
    with pytest.raises(error, match=says):
        act(maintain(), three)
    assert own_decisions(workspace) == []


def test_texts_are_scrubbed_before_they_are_written(workspace: Workspace, three: list[str]) -> None:
    key = "AKIA" + "QX7RT2ZLMP4WNB6K"
    maintainer = Maintainer(
        workspace, f"jo {key}", f"told by jo.smith@otterlyfoods.com with {key}", lambda t: scrubbed(workspace, t)
    )
    maintainer.accept(three[0], Wording(f"leaks {key}"))
    for path in (workspace.folder / "decisions").iterdir():
        assert key.encode() not in path.read_bytes() and b"jo.smith" not in path.read_bytes()
    assert "<" in load_taxonomy(workspace).accepted[0].name


def test_hostile_words_stay_words(workspace: Workspace, maintain: Make, three: list[str]) -> None:
    maintain("ada\x1b[31m", "a\nb\x00").accept(three[0], Wording("死锁 \x1b[2J<script>|`", "Ünknown Fämily!"))
    (mode,) = load_taxonomy(workspace).accepted
    assert mode.name.isprintable() and (mode.by or "").isprintable() and mode.family == "unknown_family"
    assert mode.id.isascii() and load_taxonomy(workspace).mode(mode.name) == mode


def test_a_name_without_latin_letters_gets_an_id(workspace: Workspace, maintain: Make, three: list[str]) -> None:
    maintain().accept(three[0], Wording("死锁"))
    maintain().accept(three[1], Wording("循环"))
    assert len({one.id for one in load_taxonomy(workspace).accepted}) == 2


def test_of_two_answers_at_once_one_is_told(workspace: Workspace, maintain: Make, three: list[str]) -> None:
    def answer(number: int) -> str:
        try:
            one = maintain(f"m{number}")
            return "new" if (one.accept(three[0]) if number % 2 else one.reject([three[0]])).new else "same"
        except Blocked:
            return "told"

    with ThreadPoolExecutor(6) as threads:
        said = list(threads.map(answer, range(6)))
    assert said.count("new") == 1 and len(own_decisions(workspace)) == 1
    assert not load_taxonomy(workspace).conflicts


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("{", RecordError), ("[]", RecordError), ('{"format": "other/1"}', RecordError),
        ('{"format": "errorhub.proposals/2", "proposals": []}', SchemaFromFuture),
        ('{"format": "errorhub.proposals/1", "proposals": 3}', RecordError),
        ('{"format": "errorhub.proposals/1", "proposals": [{"id": "x", "members": ["../../etc"]}]}', RecordError),
        ('{"format": "errorhub.proposals/1", "proposals": [{"id": "../x", "members": []}]}', RecordError),
        ("[" * 100_000, RecordError),
    ],
    ids=["broken", "list", "other", "newer", "number", "members", "id", "deep"],
)  # fmt: skip
def test_damaged_proposals_are_one_sentence(workspace: Workspace, text: str, error: type[HubError]) -> None:
    (workspace.folder / "proposals.json").write_text(text)
    with pytest.raises(error):
        load_proposals(workspace)


def test_a_damaged_decision_is_named(workspace: Workspace, maintain: Make, three: list[str]) -> None:
    made = maintain().accept(three[0])
    path = workspace.folder / "decisions" / f"{made.decision.id}.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"by": "eve"}))
    with pytest.raises(RecordError, match="damaged"):
        load_taxonomy(workspace)


def test_assigning_keeps_history_and_says_who(workspace: Workspace, maintain: Make, three: list[str]) -> None:
    made = maintain().accept(three[0])
    ref, (case,) = made.modes[0].ref, ids(77)
    first = maintain(note="votes").assign({ref: [case]}, method="tfidf-knn k=5")
    assert first.taxonomy.under[case].id == "planning.loops"
    second = maintain("bo", "read the run").assign({None: [case]})
    assert case not in second.taxonomy.under and second.decision.after == (first.decision.id,)
    assert not maintain("bo").assign({None: [case]}).new
    third = maintain("cy").assign({ref: [case]})
    assert third.taxonomy.under[case].id == "planning.loops" and not third.taxonomy.conflicts
    history = detail(workspace, "planning.loops")["history"]
    assert [row["by"] for row in history] == ["ada", "ada", "cy"]


def test_what_was_answered_is_known_when_it_is_proposed_no_more(
    workspace: Workspace, maintain: Make, three: list[str]
) -> None:
    maintain().accept(three[0], Wording("Loops forever"))
    propose(workspace)
    assert not maintain().accept(three[0]).new
    with pytest.raises(Blocked, match="already accepted"):
        maintain().reject([three[0][:8]])
    assert maintain().rename(three[0][:8], Wording("Runs in circles")).taxonomy.mode("Runs in circles")


def test_a_split_mode_is_shown_but_no_longer_given(workspace: Workspace, maintain: Make, three: list[str]) -> None:
    maintain().accept(three[0])
    taxonomy = maintain().split("loops", {"a": ids(0), "b": ids(1)}).taxonomy
    assert taxonomy.find("planning.loops") is None
    with pytest.raises(NotFound, match=r"was split.*planning\.a@"):
        taxonomy.mode("planning.loops")
    assert detail(workspace, "planning.loops")["status"] == "split"


def test_a_very_large_proposal_is_answered_in_seconds(workspace: Workspace, maintain: Make) -> None:
    (large,) = propose(workspace, proposal("large", range(50_000)))
    assert len(maintain().accept(large).taxonomy.accepted[0].members) == 50_000
    assert not maintain().accept(large).new
