from __future__ import annotations

import json
import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorhub.scrubber import repeat
from errorhub.scrubber.repeat import forms, repeats

LENGTH = 20


def slow(dropped: list[str], text: str) -> list[tuple[int, int]]:
    """Say by brute force which characters belong to a repeated window."""
    windows = {t[i : i + LENGTH] for t in dropped for i in range(len(t) - LENGTH + 1)}
    marked: list[tuple[int, int]] = []
    for at in range(len(text) - LENGTH + 1):
        window = text[at : at + LENGTH]
        if window in windows and len(set(window)) > 4:
            if marked and at <= marked[-1][1]:
                marked[-1] = (marked[-1][0], at + LENGTH)
            else:
                marked.append((at, at + LENGTH))
    return marked


@given(st.data())
def test_equals_brute_force(data: st.DataObject) -> None:
    letters = st.text(st.sampled_from("abcdefg é\U0001f600"), max_size=120)
    dropped = data.draw(st.lists(letters, max_size=3))
    whole = "".join(dropped)
    texts = data.draw(st.lists(letters, max_size=3))
    start = data.draw(st.integers(0, max(0, len(whole) - 1)))
    texts.append(data.draw(letters) + whole[start : start + 50] + data.draw(letters))
    assert repeats(dropped, texts, LENGTH) == [slow(dropped, text) for text in texts]


@pytest.mark.parametrize("length", [8, 13, 20, 31, 32, 33])
def test_any_length(length: int) -> None:
    text = "".join(random.Random(length).choices("abcdefghij", k=400))
    assert repeats([text[100 : 100 + length]], [text], length) == [[(100, 100 + length)]]
    assert repeats([text[100 : 100 + length - 1]], [text], length) == [[]]


def test_rules_of_few_characters_repeat_by_chance() -> None:
    assert repeats(["=" * 80, "-+" * 40], ["=" * 60 + "\n" + "-+" * 30], LENGTH) == [[]]


def test_a_repeat_across_blocks_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repeat, "BLOCK", 64)
    source = random.Random(1)
    texts = ["".join(source.choices("abcdefghijklmnop", k=k)) for k in (500, 3, 70, 64, 63, 200)]
    dropped = [texts[0][40:90], texts[2][1:69], texts[5][:21], texts[3][-20:] + texts[4][:20]]
    assert repeats(dropped, texts, LENGTH) == [slow(dropped, text) for text in texts]


@pytest.mark.parametrize("value", ['say "hi" to C:\\temp\n\tand é', {"cmd": "ls -la", "n": [1, None]}], ids=type)
def test_forms_hold_what_tools_print(value: object) -> None:
    written = forms(value)
    assert (value if isinstance(value, str) else json.dumps(value)) in written
    assert json.dumps(json.dumps(value) if not isinstance(value, str) else value)[1:-1] in written


def test_megabytes_take_a_moment() -> None:
    source = random.Random(2)
    dropped = "".join(source.choices("abcdefghijklmnopqrstuvwxyz \n", k=2_000_000))
    text = "".join(source.choices("abcdefghijklmnopqrstuvwxyz \n", k=2_000_000)) + dropped[:500_000]
    started = time.perf_counter()
    assert repeats([dropped], [text], LENGTH) == [[(2_000_000, 2_500_000)]]
    assert time.perf_counter() - started < 10
