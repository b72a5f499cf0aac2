"""What sounds like the report of a failure, and what does not."""

import pytest

from errorhub.hub.memory.tone import MOST, tone

REPORTS = {
    "verdict": "The calculation is incorrect.",
    "invention": "it made the whole citation up",
    "actor": "our assistant closed the ticket",
    "duty": "wrote the file instead of appending to it",
    "failure": "the upload could not be finished",
    "repetition": "calls the same tool over and over",
    "machine": "Traceback (most recent call last):\n  File 'run.py', line 3",
    "objection": "assistant: It is booked.\nuser: I asked for Friday",
}
OTHERS = {
    "docstring": "Split a path.\n\nArgs:\n    path: what to split\n\nReturns:\n    its parts",
    "parameters": "Draw a line.\n\n:param width: in points\n:returns: the figure",
    "how to": "How do I sort a list of tuples?",
    "task": "Write a poem about autumn",
}
NEITHER = {
    "prose": "The ferry leaves every forty minutes from April to October.",
    "output": "yarn install v1.22\n[1/4] Resolving packages...",
    "role": "agent: hello",
    "user": "user: two tickets to Ghent, please",
}


@pytest.mark.parametrize("text", REPORTS.values(), ids=REPORTS)
def test_reports_of_failures_have_it(text: str) -> None:
    assert tone(text) > 0


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_documentation_and_tasks_have_the_opposite(text: str) -> None:
    assert tone(text) < 0


@pytest.mark.parametrize("text", NEITHER.values(), ids=NEITHER)
def test_most_texts_have_neither(text: str) -> None:
    assert tone(text) == 0


def test_errors_in_a_log_do_not_tell_whether_it_failed() -> None:
    assert tone("tool: Error: no such file\nassistant: I create it.", log=True) == 0
    assert tone("tool: Error: no such file\nuser: you made that up", log=True) > 0


def test_it_is_bounded() -> None:
    assert tone(" ".join(REPORTS.values())) == MOST
