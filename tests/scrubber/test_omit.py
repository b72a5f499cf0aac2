"""What is omitted goes, and what repeats it may stay; what is dropped takes its repeats along."""

from errorhub.scrubber import Policy, Vault, scrub

STRICT = Policy.load("strict").with_paths(drop=["input"], omit=["native"])
TEXT = "the quick brown fox jumps over the lazy dog"


def test_repeats_of_what_is_omitted_stay() -> None:
    result = scrub({"native": {"copy": TEXT}, "output": f"so {TEXT}."}, STRICT, Vault(bytes(32)))
    assert result.document == {"native": None, "output": f"so {TEXT}."}
    assert result.receipt.dropped == {"native": 1}


def test_repeats_of_what_is_dropped_go() -> None:
    result = scrub({"native": TEXT, "input": TEXT, "output": f"so {TEXT}."}, STRICT, Vault(bytes(32)))
    assert TEXT not in str(result.document)


def test_share_keeps_both() -> None:
    kept = scrub(
        {"native": TEXT, "input": TEXT},
        Policy.load("share").with_paths(drop=["input"], omit=["native"]),
        Vault(bytes(32)),
    )
    assert kept.document == {"native": TEXT, "input": TEXT}


def test_a_short_goal_that_is_the_dropped_input_goes() -> None:
    policy = STRICT.with_paths(whole=["goal"])
    result = scrub(
        {"input": "Fix the bug.", "goal": "Fix the bug.", "output": "Fix the bug. Fixed."}, policy, Vault(bytes(32))
    )
    assert result.document == {"input": None, "goal": "<DROPPED>", "output": "Fix the bug. Fixed."}
