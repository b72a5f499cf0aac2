"""A canary planted in any string, key or number position never survives; scrubbing twice changes nothing."""

from __future__ import annotations

import json
import math
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from errorhub.scrubber import KnownValue, Policy, Vault, find, scrub

TOKEN = "ghp_" + "a8Kd02mZqLw7RtYx5VbN" + "c3HfJ6sPe9UgT1Wd"
MAIL = "maria.volkov" + "@" + "northwind.dev"
KNOWN = "Zephyr-Ledger"
ORDER = 90210471108
VAULT = Vault(b"k" * 32, (KnownValue(KNOWN, "PROJECT"), KnownValue(str(ORDER), "ORDER")))
SHARE = Policy.load("share").without_names()
CANARIES: tuple[Any, ...] = (TOKEN, MAIL, KNOWN, ORDER)

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ["id", "signature", "password", "content", "call_id", "sha256", "name", "value", "--token", "data", "", "<EMAIL_1>"]
)
leaves = words | st.integers(-(10**12), 10**12) | st.floats(allow_nan=False) | st.booleans() | st.none()
documents = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=4), max_leaves=12
)


@st.composite
def planted(draw: st.DrawFn) -> tuple[Any, Any]:
    """Draw a canary and a document that holds it in one drawn position."""
    canary = draw(st.sampled_from(CANARIES))
    value: Any = canary
    if isinstance(canary, str) and draw(st.booleans()):
        value = (
            draw(words)
            + draw(st.sampled_from([" ", "\n", '"', "\x1b[31m", "=", "("]))
            + canary
            + draw(st.sampled_from(["", " ", "\n", '"', "\x1b[0m", ")"]))
        )
    for _ in range(draw(st.integers(0, 5))):
        shape = draw(st.sampled_from(["list", "object", "key", "json"]))
        if shape == "list":
            value = [*draw(st.lists(documents, max_size=2)), value]
        elif shape == "object":
            value = draw(st.dictionaries(words, documents, max_size=2)) | {draw(words): value}
        elif shape == "key" and isinstance(value, str):
            value = {value: draw(documents)}
        elif shape == "json":
            value = json.dumps(value)
    return canary, value


def flat(document: Any) -> str:
    """Return the document as text with all layers of JSON escapes taken off."""
    return json.dumps(document, ensure_ascii=False).replace("\\", "")


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(planted())
def test_canary_never_survives(case: tuple[Any, Any]) -> None:
    canary, document = case
    result = scrub(document, SHARE, VAULT)
    text = flat(result.document)
    assert str(canary).lower() not in text.lower()
    assert result.findings
    assert str(canary) not in repr(result.findings)
    assert find(document, SHARE, VAULT)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(documents)
@example({"PASSWORT": math.inf})
def test_twice_is_once_and_structure_stays(document: Any) -> None:
    once = scrub(document, SHARE, VAULT)
    assert json.dumps(scrub(once.document, SHARE, VAULT).document) == json.dumps(once.document)
    assert json.dumps(scrub(document, SHARE, VAULT).document) == json.dumps(once.document)
    assert _shape(document) == _shape(once.document)


def _shape(value: Any) -> Any:
    """Reduce a document to its lists, the sizes of its objects and its constants."""
    if isinstance(value, dict):
        return ("object", len(value), [_shape(item) for item in value.values()])
    if isinstance(value, list):
        return [_shape(item) for item in value]
    return value if isinstance(value, bool | None) else "leaf"
