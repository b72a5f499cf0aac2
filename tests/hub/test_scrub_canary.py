"""A canary planted in any string, key or number of any field of a bundle survives nowhere in what would leave.

The positions are taken from the models themselves, so a field that is added next year is tested the day it appears.
"""

from __future__ import annotations

import json
import random
import string
from collections.abc import Callable, Iterator
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from errorhub.hub.bundle import Bundle
from errorhub.hub.bundle.arrow import flat
from errorhub.hub.bundle.paths import PATHS
from errorhub.hub.errors import RecordError
from errorhub.hub.publish import card_preview
from errorhub.hub.scrub import scrubbed
from errorhub.scrubber import KnownValue, Policy, Vault
from errorhub.scrubber.report import report

POLICIES = {name: Policy.load(name).without_names().with_paths(**PATHS) for name in ("share", "strict")}

Path = tuple[str | int, ...]


@cache
def full_document() -> str:
    """Return a bundle, as JSON, in which every field holds something, free JSON a text, a key and numbers."""
    document = _full(Bundle)
    del document["receipt"]
    return json.dumps(document)


def _full(kind: Any) -> Any:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return {field.alias or name: _full(field.annotation) for name, field in kind.model_fields.items()}
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _full(next(part for part in parts if part is not NoneType))
    if origin is Literal:
        return parts[0]
    if origin is tuple:
        return [_full(parts[0])]
    if origin is dict:
        return {"some key": _full(parts[1])}
    if hasattr(kind, "__metadata__"):
        return _full(parts[0])
    plain = {str: "plain words", int: 0, float: 0.5, bool: True}
    return plain.get(kind, {"inner key": ["plain words", 7, {"deep": "more words"}]})


def positions(value: Any, path: Path = ()) -> Iterator[tuple[str, Path]]:
    """Yield every place of a string, key or number: what it is and the way there."""
    if isinstance(value, dict):
        for key, item in value.items():
            if " " in key or key == "deep":
                yield "key", (*path, key)
            yield from positions(item, (*path, key))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from positions(item, (*path, number))
    elif isinstance(value, str):
        yield "string", path
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield "number", path


PLACES = list(positions(json.loads(full_document())))
STRINGS = [path for what, path in PLACES if what == "string"]
KEYS = [path for what, path in PLACES if what == "key"]
NUMBERS = [path for what, path in PLACES if what == "number"]


def plant(document: Any, path: Path, canary: Any, *, key: bool = False) -> None:
    """Put a canary into a document: in the place of a value, or of the name of a member."""
    for segment in path[:-1]:
        document = document[segment]
    if key:
        document[canary] = document.pop(path[-1])
    else:
        document[path[-1]] = canary


def fits(path: Path, canary: Any) -> bool:
    """Tell whether the schema takes a canary in a place; some hold words of a closed set."""
    document = json.loads(full_document())
    plant(document, path, canary)
    try:
        Bundle.from_document(document)
    except RecordError:
        return False
    return True


def outbound(bundle: Bundle) -> str:
    """Return everything of a clean bundle that leaves or is shown, as one text without escapes."""
    assert bundle.receipt is not None
    parts = [bundle.document(), flat(bundle), *report(bundle.document(), bundle.receipt).lines()]
    files = card_preview([bundle], None, message="Publish what we have")
    text = json.dumps(parts, ensure_ascii=False, default=str)
    return (text + "".join(f"{name}\n{data.decode()}\n" for name, data in files.items())).replace("\\", "").lower()


def token(number: int) -> str:
    return "ghp_" + "".join(random.Random(number).choices(string.ascii_letters + string.digits, k=36))


def card(number: int) -> int:
    body = "4929" + f"{random.Random(number).randrange(10**11):011d}"
    total = sum(d * 2 - 9 * (d > 4) if i % 2 == 0 else d for i, d in enumerate(map(int, body)))
    return int(body + str(-total % 10))


MAKERS: dict[str, Callable[[int], str | int]] = {
    "token": token,
    "mail": lambda number: f"maria.volkov{number}" + "@" + "northwind.dev",
    "known": lambda number: f"Zephyr-Ledger-{number:03d}",
    "card": card,
    "known number": lambda number: 90210471108 + 1009 * number,
}
KNOWN = [
    KnownValue(str(MAKERS[name](number)), "PROJECT") for name in ("known", "known number") for number in range(400)
]
VAULT = Vault(b"k" * 32, tuple(KNOWN))


def test_the_full_bundle_is_full() -> None:
    roots = {path[0] for _, path in PLACES}
    assert roots >= {"trajectory", "diagnoses", "repairs", "groundings", "rights", "provenance"}
    assert len(STRINGS) > 120 and len(KEYS) > 20 and len(NUMBERS) > 20


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", ["token", "mail", "known"])
def test_no_string_and_no_key_lets_a_canary_through(name: str, policy: str) -> None:
    """Every place gets a canary of its own, so that none is found because another one was."""
    document = json.loads(full_document())
    canaries = {}
    inmost_first = sorted(KEYS, key=len, reverse=True)
    for path, key in [(path, False) for path in STRINGS if fits(path, "some word")] + [(p, True) for p in inmost_first]:
        canary = str(MAKERS[name](len(canaries)))
        canaries[canary.lower()] = path
        plant(document, path, canary, key=key)
    assert len(canaries) > 150
    text = outbound(scrubbed(Bundle.from_document(document), POLICIES[policy], VAULT))
    assert {canary: path for canary, path in canaries.items() if canary in text} == {}


@pytest.mark.parametrize("name", ["card", "known number"])
def test_no_number_lets_a_canary_through(name: str) -> None:
    document = json.loads(full_document())
    paths = [path for path in NUMBERS if path[-1] not in ("step", "confidence") and fits(path, 10**11)]
    for number, path in enumerate(paths):
        plant(document, path, MAKERS[name](number))
    assert len(paths) > 20
    text = outbound(scrubbed(Bundle.from_document(document), POLICIES["share"], VAULT))
    assert [path for number, path in enumerate(paths) if str(MAKERS[name](number)) in text] == []


@pytest.mark.parametrize("path", [path for path in NUMBERS if path[-1] == "step"], ids=str)
def test_a_step_that_is_no_step_refuses_the_bundle(path: Path) -> None:
    document = json.loads(full_document())
    plant(document, path, card(1))
    with pytest.raises(RecordError) as refused:
        scrubbed(Bundle.from_document(document), POLICIES["share"], VAULT)
    assert str(card(1)) not in str(refused.value)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_canaries_amid_anything_survive_nowhere(data: st.DataObject) -> None:
    """Several canaries at once, with texts around them and JSON layers over them; a second scrub changes nothing."""
    document = json.loads(full_document())
    canaries = [str(MAKERS[data.draw(st.sampled_from(["token", "mail", "known"]))](number)) for number in range(3)]
    for canary in canaries:
        before = data.draw(st.text(st.characters(exclude_categories=["Cs", "L", "N"]), max_size=6))
        text = before + data.draw(st.sampled_from([" ", "\n", '"', "=", "\x1b[31m"])) + canary + data.draw(_AFTER)
        plant(document, data.draw(_FREE), json.dumps({"x": [text]}) if data.draw(st.booleans()) else text)
    policy = POLICIES[data.draw(st.sampled_from(sorted(POLICIES)))]
    fresh = scrubbed(Bundle.from_document(document), policy, VAULT)
    text = outbound(fresh)
    assert [canary for canary in canaries if canary.lower() in text] == []
    again = scrubbed(fresh.replace(receipt=None), policy, VAULT)
    assert again.replace(receipt=None).document() == fresh.replace(receipt=None).document()


_AFTER = st.sampled_from(["", " ", "\n", '"', "\x1b[0m", ", ", ")"])
_FREE = st.sampled_from([path for path in STRINGS if fits(path, "some word")])
