"""Whatever a model says: no invented quote and no step that is not there ever counts."""

import asyncio
import json
from typing import Any

import pytest
from diagnose_cases import hypothesis, made
from hypothesis import given, settings
from hypothesis import strategies as st

from errorhub.evidence.chat import Endpoint
from errorhub.evidence.diagnose_proposals import Seen
from errorhub.evidence.judge_answer import read_answer
from errorhub.evidence.replies import Reply, first_answer
from errorhub.hub.bundle import Diagnosis
from errorhub.hub.bundle.canonical import canonical
from errorhub.hub.bundle.grounding import ground, quotable
from errorhub.hub.taxonomy import fold

RUN = made().trajectory
TEXT = "\n".join(" ".join(text.split()) for step in RUN.steps for text in quotable(step))
TAXONOMY = fold([])

invented = st.text(min_size=1, max_size=40).filter(lambda text: text.strip() and " ".join(text.split()) not in TEXT)
outside = st.integers().filter(lambda n: not 0 <= n < len(RUN.steps))
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def accepted(*hypotheses: Any) -> list[Diagnosis]:
    """Return what of a judge's answer would count."""
    reply = Reply(json.dumps({"hypotheses": list(hypotheses)}))
    found = [one for one in read_answer(reply, "r", TAXONOMY, "judge:m") if isinstance(one, Diagnosis)]
    return [one for one in found if ground(RUN, one).grade != "rejected"]


def test_a_good_one_counts() -> None:
    assert len(accepted(hypothesis())) == 1


@given(quote=invented, place=st.integers(0, len(RUN.steps) - 1), first=st.booleans())
def test_no_invented_quote_counts(quote: str, place: int, first: bool) -> None:
    good = {"step": 3, "quote": "I assume that nothing has to be changed"}
    bad = {"step": place, "quote": quote}
    assert accepted(hypothesis(quotes=[bad, good] if first else [good, bad])) == []


@given(step=outside)
def test_no_step_outside_counts(step: int) -> None:
    assert accepted(hypothesis(step=step)) == []
    assert accepted(hypothesis(quotes=[{"step": step, "quote": "I assume"}])) == []


@settings(max_examples=200)
@given(said=anything, parts=st.dictionaries(st.sampled_from(sorted(hypothesis())), anything, max_size=3))
def test_no_answer_breaks_the_reader(said: Any, parts: dict[str, Any]) -> None:
    for document in (said, {"hypotheses": said}, {"run": said, "hypotheses": [hypothesis() | parts]}):
        found = read_answer(Reply(json.dumps(document)), "r", TAXONOMY, "judge:m")
        assert found
        for one in found:
            if isinstance(one, Diagnosis):
                canonical(one.model_dump(mode="json"))


@settings(max_examples=8, deadline=None)
@given(quote=invented, step=outside)
def test_deepdebug_takes_neither(quote: str, step: int) -> None:
    pytest.importorskip("agentdebug", reason="DeepDebug needs agentdebugx")
    from diagnose_cases import debugged

    from errorhub.evidence.agentdebugx_deepdebug import DeepDebug

    seen = Seen(made(), "raw")
    for parts in ({"evidence": [{"event_id": "step_3", "quote": quote}]}, {"step": step}):
        chat = Scripted(lambda body, parts=parts: debugged(body, **parts))  # type: ignore[misc]
        found = asyncio.run(DeepDebug(chat).propose(seen))  # type: ignore[arg-type]
        grades = [ground(RUN, one).rule for one in found.diagnoses]
        assert grades == ["quote_not_in_step"] or {one.rule for one in found.refused} >= {"step_out_of_range"}


class Scripted:
    """A client that answers at once."""

    def __init__(self, answer: Any) -> None:
        self.answer, self.endpoint = answer, Endpoint("http://127.0.0.1:9", "m")

    async def ask(self, messages: list[dict[str, Any]]) -> Reply:
        """Return what the script says."""
        return Reply(self.answer({"messages": messages}))


@given(text=st.text(max_size=80))
def test_the_first_object_is_found_or_none(text: str) -> None:
    found = first_answer(text)
    assert found is None or isinstance(found, dict)
