"""A diagnosis of a clean run in the words of the raw one."""

import pytest

from errorhub.evidence.diagnose_carry import carry
from errorhub.hub.bundle import Citation, Diagnosis, Step, Trajectory
from errorhub.hub.bundle.grounding import ground
from errorhub.hub.bundle.trajectory import Source


def run(*outputs: object, agent: str = "a") -> Trajectory:
    """Return a run of these outputs."""
    steps = tuple(Step(agent=agent, kind="llm.response", output=one) for one in outputs)  # type: ignore[arg-type]
    return Trajectory(steps=steps, source=Source(format="made"))


@pytest.mark.parametrize(
    ("raw", "clean", "quote", "home"),
    [
        ("sent it to bob.b@x.org.", "sent it to <EMAIL_1>.", "it to <EMAIL_1>.", "it to bob.b@x.org."),
        ("sent it to bob.b@x.org.", "sent it to <EMAIL_1>.", "sent it", "sent it"),
        ("to bob, the boss", "to <PERSON_1>, the boss", "<PERSON_1>, the", "bob, the"),
        ("to bob", "to <PERSON_1>", "<PERSON_1>", "bob"),
        ("bob met bob at home", "<PERSON_1> met <PERSON_1> at home", "<PERSON_1> met <PERSON_1>", "bob met bob"),
        ("a  b\n bob c", "a  b\n <PERSON_1> c", "b <PERSON_1> c", "b bob c"),
        ({"to": "bob", "n": 1}, {"to": "<PERSON_1>", "n": 1}, '"to":"<PERSON_1>"}', '"to":"bob"}'),
        ("key abc def end", "key <DROPPED> end", "key <DROPPED> end", "key abc def end"),
        ("so bob met ann and left", "so <PERSON_1> met <PERSON_2> and left", "ON_1> met <PER", "bob met ann"),
        ("bob, " * 20 + "met ann.", "<PERSON_1>, " * 20 + "met <PERSON_2>.", "met <PERSON_2>.", "met ann."),
    ],
    ids=["mail", "plain", "first", "all", "twice", "spaces", "json", "dropped", "cut", "crowd"],
)
def test_quotes_come_home(raw: object, clean: object, quote: str, home: str) -> None:
    found = Diagnosis(step=0, agent="a", explanation="x", evidence=(Citation(step=0, quote=quote),), author="j")
    moved = carry(found, run(clean), run(raw))
    assert moved.evidence[0].quote == home
    assert ground(run(raw), moved).grade == ground(run(clean), found).grade == "evidenced"


def test_an_agent_comes_home() -> None:
    found = Diagnosis(step=0, agent="<PERSON_1>", explanation="x", author="j")
    assert carry(found, run("x", agent="<PERSON_1>"), run("x", agent="bob")).agent == "bob"
    assert carry(found, run("x", agent="other"), run("x", agent="bob")).agent == "<PERSON_1>"


def test_a_quote_of_nothing_stays_one() -> None:
    found = Diagnosis(step=0, agent="a", explanation="x", evidence=(Citation(step=0, quote="<DROPPED>"),), author="j")
    moved = carry(found, run("key <DROPPED> end"), run("key abc def end"))
    assert moved == found and ground(run("key abc def end"), moved).grade == "located"


@pytest.mark.parametrize("quote", ["never said <PERSON_1>", "to <PERSON_9> the end", "<PERSON_1> nowhere"])
def test_what_stands_nowhere_stays_as_it_is(quote: str) -> None:
    found = Diagnosis(step=0, agent="a", explanation="x", evidence=(Citation(step=0, quote=quote),), author="j")
    assert carry(found, run("to <PERSON_1>"), run("to bob")).evidence == found.evidence
