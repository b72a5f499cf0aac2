"""The space of failures: empty texts are zero, and who failed counts by how much is known of it."""

import numpy as np
import pytest

from errorhub.hub.taxonomy.space import Space, beside
from errorhub.hub.taxonomy.vocabulary import read


def weight(agent: str, agents: list[str]) -> float:
    """Return the squared length of an agent's vector beside a text."""
    space = Space([read("It loops.")] * len(agents), agents, concepts=0.5, agent=0.4)
    return float(np.square(space.who([agent])).sum())


@pytest.mark.parametrize(
    ("often", "of", "least", "most"),
    [(1, 40, 0, 0), (2, 40, 0, 0.05), (11, 1_000, 0.19, 0.2), (400, 1_000, 0.2, 0.24), (40, 40, 0, 0), (0, 40, 0, 0)],
    ids=["once", "twice", "ten more", "often", "always", "never"],
)
def test_an_agent_counts_when_it_fails_often_and_not_always(often: int, of: int, least: float, most: float) -> None:
    agents = ["coder"] * often + [f"agent {number}" for number in range(of - often)]
    assert least <= weight("Coder", agents) <= most + 1e-6


def test_rows_are_of_length_one_or_zero() -> None:
    texts = ["The agent loops.", "", "死循环", "12 34"]
    space = Space([read(text) for text in texts], texts, concepts=0.6, agent=0.6)
    rows = beside(space.texts([read(text) for text in texts]), space.who(texts))
    assert np.round(np.square(rows).sum(axis=1), 4).tolist() == [1, 0, 1, 0]


def test_synonyms_are_alike_and_topics_are_not() -> None:
    said = [read(text) for text in ("It hallucinated Oslo.", "It fabricated prices.", "It clicked the prices button.")]
    invented, same, other = Space(said, (), concepts=0.6, agent=0).texts(said)
    assert invented @ same > 0.5 > same @ other > invented @ other
