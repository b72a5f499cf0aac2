"""What a prompt shows of real runs: one head a step, and whatever stands in it, word for word, holds as a quote."""

import os
import random
from pathlib import Path

import pytest

from errorhub.evidence.transcript import LEAST_SHOWN, cut_middle, most_shown, parse_steps, render_within
from errorhub.hub.bundle import Citation, Diagnosis
from errorhub.hub.bundle.grounding import ground
from errorhub.hub.intake import intake

SHARED = Path(os.environ.get("ERRORHUB_SHARED_DATA", Path(__file__).parents[4] / "shared" / "data"))


@pytest.mark.shared
@pytest.mark.skipif(not SHARED.is_dir(), reason="needs the shared data folder (ERRORHUB_SHARED_DATA)")
@pytest.mark.parametrize("folder", ["agentrx", "claude-code-log", "openhands", "swe-agent", "tau-bench"])
@pytest.mark.parametrize("limit", [10_000, 120_000])
def test_verbatim_quotes_of_real_prompts_hold(folder: str, limit: int) -> None:
    if not (SHARED / folder).is_dir():
        pytest.skip(f"{folder} is not in the shared data")
    chance, quotes = random.Random(0), 0
    for bundle, _ in intake([SHARED / folder], None).bundles:
        fitted = render_within(bundle.trajectory.steps, limit)
        if fitted is None:
            continue
        text, _ = fitted
        shown = parse_steps(text)
        assert len(text) <= limit and len(shown) == len(bundle.trajectory.steps)
        for step in chance.sample(shown, min(5, len(shown))):
            lines = [
                line.split() for line in step.text.split("\n") if line.strip() and "characters left out]" not in line
            ]
            if lines:
                words = chance.choice(lines)
                start = chance.randrange(len(words))
                quote = (Citation(step=step.step, quote=" ".join(words[start : start + 20])),)
                said = Diagnosis(step=step.step, agent=step.agent, explanation="x", evidence=quote, author="judge:m")
                verdict = ground(bundle.trajectory, said)
                assert verdict.grade == "evidenced", (verdict.rule, quote)
                quotes += 1
    assert quotes > 5 or limit == 10_000


@pytest.mark.parametrize(
    ("lengths", "limit", "most"),
    [
        ([], 10, LEAST_SHOWN),
        ([5, 5], 10, 5),
        ([900, 100], 1000, 900),
        ([9000, 100], 1000, 780),
        ([500] * 9, 1000, None),
    ],
    ids=str,
)
def test_the_longest_lose_most(lengths: list[int], limit: int, most: int | None) -> None:
    assert most_shown(lengths, limit) == most


@pytest.mark.parametrize("most", [0, 1, 2, 3, 10, 99])
def test_a_cut_text_says_what_is_left_out(most: int) -> None:
    text = "".join(chr(97 + n % 26) for n in range(100))
    shown = cut_middle(text, most)
    left = "".join(line for line in shown.split("\n") if "left out" not in line)
    assert len(left) == most and f"[{100 - most} characters left out]" in shown
    assert text.startswith(shown.split("\n")[0]) and text.endswith(shown.split("\n")[-1])
