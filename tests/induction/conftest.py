"""Factories: findings of invented runs that fail in five ways, each said in different words about different tasks."""

from collections.abc import Callable
from hashlib import sha256
from itertools import product
from typing import Any

import pytest

from errorhub.hub.taxonomy import Taxonomy, fold
from errorhub.induction import Finding

SAID = {
    "invention": (
        ["The agent fabricated the population of Oslo", "The ticket prices were hallucinated", "It invented a flight number",
         "The recipe list is made of placeholder values"],
        ["instead of looking it up.", "and presented it as real data.", "from internal knowledge."],
    ),
    "code": (
        ["The script for the invoice table has a bug", "The Python code crashes on the second chapter",
         "The program that parses the menu is wrong", "Executing the code for the chess board returns nothing"],
        ["so no result was printed.", "because of a syntax error.", "and debugging did not help."],
    ),
    "loop": (
        ["The agent repeats the same search for trains", "It asks for the hotel again and again", "The same museum page is opened repeatedly",
         "It is stuck in a loop about the recipe"],
        ["until the step limit is exhausted.", "and never moves on.", "without a new idea."],
    ),
    "unverified": (
        ["The assistant assumed that the museum is open", "It concluded that the song is from 1982", "The answer about the river was a guess",
         "The date of the concert was taken as confirmed"],
        ["without verifying it.", "and validated nothing.", "although a check was asked for."],
    ),
    "partial": (
        ["Only part of the list of gyms was collected", "The table of films is incomplete", "Half of the invoices are missing",
         "The remaining chapters were omitted"],
        ["so the answer is partial.", "although the complete list was asked for.", "and the rest was skipped."],
    ),
}  # fmt: skip

Found = Callable[..., list[Finding]]


def finding(text: str, number: int, **parts: Any) -> Finding:
    """Return a finding of a run and task of its own."""
    name = sha256(f"{text} {number} {sorted(parts.items())}".encode()).hexdigest()
    given = {
        "diagnosis_id": name,
        "trajectory_id": f"run-{number}",
        "task": f"task-{number}",
        "step": 0,
        "agent": "solver",
    }
    return Finding(**{**given, "text": text, **parts})


@pytest.fixture
def one() -> Callable[..., Finding]:
    """Make one finding of a text, a number and anything else."""
    return finding


@pytest.fixture
def found() -> Found:
    """Return the findings of these kinds, twelve of each, of all kinds by default."""

    def make(*kinds: str) -> list[Finding]:
        texts = [" ".join(pair) for kind in kinds or SAID for pair in product(*SAID[kind])]
        return [finding(text, number) for number, text in enumerate(texts)]

    return make


@pytest.fixture
def seed() -> Taxonomy:
    """The seed, nothing decided."""
    return fold(())
