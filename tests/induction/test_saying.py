"""What a text says: failure, without topic and names."""

from collections.abc import Callable

import pytest

from errorhub.hub.taxonomy.vocabulary import read, vocabulary
from errorhub.induction import Finding
from errorhub.induction.naming import Words, name_of
from errorhub.induction.saying import saying


@pytest.mark.parametrize(
    ("text", "parts", "kept", "gone"),
    [
        ("Oslo was misread", {"goal": "How many live in Oslo?"}, "misread", "oslo"),
        ("The code for Oslo fails", {"goal": "Write code about Oslo"}, "code", "oslo"),
        ("WebSurfer clicked a banner", {"agents": ("WebSurfer",)}, "banner", "websurf"),
        ("The Solver guessed", {}, "guess", "solver"),
        ("It said “blue whale” wrongly", {"mask": True}, "wrong", "whale"),
        ("It opened https://example.org/kettle first", {"mask": True}, "open", "kettl"),
        ("It flew to Buenos Aires instead", {"mask": True}, "flew", "aire"),
        ("<PERSON_1> was asked 17 times", {}, "time", "person"),
        ("Something broke", {"label": "stale_cache"}, "stale", "label"),
    ],
    ids=["goal", "failure word of the goal", "agent of the run", "agent blamed", "quotation", "url", "name", "scrubbed", "label"],
)  # fmt: skip
def test_topic_goes_and_failure_stays(
    text: str, parts: dict[str, object], kept: str, gone: str, one: Callable[..., Finding]
) -> None:
    mask = bool(parts.pop("mask", False))
    words = saying(one(text, 0, **parts), mask_entities=mask).words
    assert kept in words
    assert gone not in words


@pytest.mark.parametrize(
    ("words", "concept", "name"),
    [
        (["code", "codes", "bug", "syntax", "error"], None, "code bug syntax"),
        ([], None, "unnamed"),
        (["loops", "museum", "repeating", "hotel", "train"], "repetition", "repetition: museum, hotel"),
        (["stuck"], "repetition", "repetition"),
    ],
    ids=["none within another", "no words", "what else than the concept", "nothing but the concept"],
)
def test_names_are_made_of_different_words(words: list[str], concept: str | None, name: str) -> None:
    assert name_of(words, None if concept is None else vocabulary().names.index(concept)) == name


def test_a_concept_names_what_at_least_half_of_the_texts_touch() -> None:
    loops = [read("It repeats the step."), read("Stuck in a loop."), read("The museum is closed.")]
    words = Words([*loops, *(read(f"The code number {number} has a bug.") for number in range(9))])
    assert vocabulary().names[words.concept(loops) or 0] == "repetition"
    assert words.concept(loops[2:]) is None
