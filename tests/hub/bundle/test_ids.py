"""Ids are the digests of content: golden, stable, and blind to what they must not see."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorhub.hub.bundle import Bundle, Provenance, Step, Trajectory
from errorhub.hub.bundle.canonical import canonical, digest, settle, settled_bytes
from errorhub.hub.bundle.trajectory import Run, Source, Task

Make = Callable[..., Bundle]


def test_canonical_bytes_are_sorted_compact_utf8() -> None:
    assert canonical({"b": [1, 2.5, None], "a": "é", "c": 10**40}) == (
        b'{"a":"\xc3\xa9","b":[1,2.5,null],"c":' + b"1" + b"0" * 40 + b"}"
    )


def test_golden_vectors() -> None:
    assert digest({}) == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    steps = (Step(agent="a", kind="message", role="user", input="hi"), Step(agent="a", kind="llm.response", output="é"))
    trajectory = Trajectory(steps=steps, source=Source(format="test"))
    assert trajectory.trajectory_id == digest(
        [
            ["a", "message", "user", "hi", None, None, None, None],
            ["a", "llm.response", None, None, "é", None, None, None],
        ]
    )
    assert trajectory.trajectory_id == "73f090a8cd462d7ab373e80c43b65eae61e57bec4a209e40f2fba6549926aa1f"
    assert Bundle(trajectory=trajectory).bundle_id == "5217ef27fb131fb05062f976bc6bd934ca37adf66754a788715c118e47001383"


def test_trajectory_id_sees_what_happened_and_nothing_else(make: Make) -> None:
    held = make()
    elsewhere = held.trajectory.replace(
        task=Task(id="other"), run=Run(harness="x", started_at="2026-01-01T00:00:00Z"), source=Source(format="other")
    )
    assert elsewhere.trajectory_id == held.trajectory_id
    steps = (held.trajectory.steps[0].replace(input="Delete something else."), *held.trajectory.steps[1:])
    assert held.trajectory.replace(steps=steps).trajectory_id != held.trajectory_id


def test_bundle_id_ignores_provenance_and_receipt_only(make: Make) -> None:
    held = make()
    assert held.replace(provenance=Provenance(imported_at="2026-01-01T00:00:00Z")).bundle_id == held.bundle_id
    assert held.replace(diagnoses=()).bundle_id != held.bundle_id
    assert held.replace(provenance=Provenance(file="x")).digest != held.digest


@pytest.mark.parametrize(
    ("value", "settled"),
    [
        ("\ud800x", "\\ud800x"), (float("nan"), "NaN"), (float("-inf"), "-Infinity"), (10**4000, 10**4000), ((1,), [1]),
        ({"\udfff": 1}, {"\\udfff": 1}), (True, True), ("\x00", "\x00"),
    ],
    ids=["surrogate", "nan", "infinity", "huge integer", "tuple", "surrogate key", "bool", "nul"],
)  # fmt: skip
def test_values_settle(value: object, settled: object) -> None:
    assert settle(value) == settled
    assert settle(settle(value)) == settled
    assert isinstance(canonical(settle(value)), bytes)


def nested(depth: int) -> object:
    value: object = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value", [b"\x00", {1: 2}, {1, 2}, 10**5000, nested(201), nested(100_000), object()],
    ids=["bytes", "int key", "set", "5000 digits", "201 deep", "100000 deep", "object"],
)  # fmt: skip
def test_what_json_cannot_hold_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        settle(value)
    with pytest.raises(ValueError, match=r"."):
        Step(agent="a", kind="message", input=value)


def test_200_levels_are_allowed() -> None:
    assert settle(nested(200)) == nested(200)


@pytest.mark.parametrize(
    "value",
    [
        [1e16, -1e22, 1.7976931348623157e308], [1e15, 123456789012345680.0], [1e-4], [1e-5, 1.5e-5], [-1e-7, 2],
        {"a": 5e-324}, [0.1, 1.0, -0.0], 1e22, 3, None, True, "text", [2**63, 2**64 - 1, -(2**63)], [2**70, -(2**64)],
        {"b": 1, "a": {"é": "ü", "z": [], "": {}}, "ａ": 0, "𝒜": 1}, ["".join(map(chr, range(0x300)))],
        ["\u2028 \u2029 \x7f"], {"text": "[1e5] :3e4, 0.00001}"}, nested(200),
    ],
    ids=[
        "large floats", "16 and 17 digits", "smallest plain", "small floats", "negative exponent", "subnormal",
        "plain floats", "float alone", "integer alone", "null", "bool", "text", "64 bits", "more than 64 bits",
        "order of keys", "controls and accents", "separators", "text like numbers", "200 levels",
    ],
)  # fmt: skip
def test_fast_bytes_are_the_canonical_ones(value: object) -> None:
    assert settled_bytes(value) == canonical(value)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
                    | st.text(st.characters(codec="utf-8")),
                    lambda part: st.lists(part) | st.dictionaries(st.text(st.characters(codec="utf-8")), part)))  # fmt: skip
def test_fast_bytes_of_any_settled_value(value: object) -> None:
    assert settled_bytes(settle(value)) == canonical(settle(value))


@pytest.mark.parametrize("write", [canonical, settled_bytes])
def test_lone_surrogates_have_no_bytes(write: Callable[[object], bytes]) -> None:
    with pytest.raises(UnicodeEncodeError):
        write(["\ud800"])
