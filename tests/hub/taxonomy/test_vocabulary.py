"""The vocabulary of failures: words point at concepts, in inflections and in Chinese."""

import pytest

from errorhub.hub.taxonomy.seed import FAMILIES
from errorhub.hub.taxonomy.vocabulary import read, vocabulary


@pytest.mark.parametrize(
    ("text", "concepts"),
    [
        ("It fabricates prices", {"invention"}),
        ("never verifying anything", {"unverified"}),
        ("The answer is partial", {"falsehood", "incompleteness"}),
        ("Kettle", set()),
        ("代理编造了数据", {"invention"}),
    ],
    ids=["verb", "participle", "two", "none", "Chinese"],
)
def test_words_point_at_concepts(text: str, concepts: set[str]) -> None:
    assert {vocabulary().names[number] for number, _ in read(text).concepts} == concepts


def test_every_concept_has_a_family_of_the_seed() -> None:
    assert set(vocabulary().families) <= set(FAMILIES)
    assert len(vocabulary().names) == len(set(vocabulary().names)) > 20
