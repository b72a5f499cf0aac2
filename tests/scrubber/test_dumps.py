"""Dumps: a text with very many values of one kind is read no further, and nothing of the rest stays."""

from __future__ import annotations

import json

import pytest

from errorhub.scrubber import Policy, Vault, scrub
from errorhub.scrubber.detect import Detector
from errorhub.scrubber.rules.scan import CLOSE, CROWD, MANY


@pytest.mark.parametrize("engine", ["hyperscan", "re2"])
def test_a_dump_goes_from_where_it_is_one(engine: str) -> None:
    mails = [f"u{number}@northwind.dev" for number in range(MANY + 200)]
    text = " ".join(mails) + " the end"
    spans = Detector(engine=engine).detect(text)
    assert [text[span.start : span.end] for span in spans[:MANY]] == mails[:MANY]
    (rest,) = spans[MANY:]
    assert (rest.kind, rest.rule, rest.end) == ("BLOB", "many-values", len(text))


def test_what_a_dump_holds_is_gone_and_a_second_scrub_changes_nothing() -> None:
    mails = [f"u{number}@northwind.dev" for number in range(MANY + 200)]
    policy, vault = Policy.load("share").without_names(), Vault(b"k" * 32)
    clean = scrub({"dump": "\n".join(mails), "note": f"ask {mails[-1]} or {mails[0]}"}, policy, vault).document
    assert "@" not in json.dumps(clean)
    assert clean["note"] == f"ask <EMAIL_{MANY + 1}> or <EMAIL_1>"
    assert scrub(clean, policy, vault).document == clean


def test_one_value_that_is_repeated_makes_no_dump() -> None:
    text = "ann@northwind.dev, " * (2 * MANY)
    clean = scrub({"a": text}, Policy.load("share").without_names(), Vault(b"k" * 32)).document
    assert clean["a"] == "<EMAIL_1>, " * (2 * MANY)


@pytest.mark.parametrize(("apart", "dump"), [(CLOSE - 1, True), (2 * CLOSE, False)], ids=["crowded", "at their ease"])
def test_one_value_over_and_over_is_a_dump_where_nothing_else_stands(apart: int, dump: bool) -> None:
    text = "ann@northwind.dev".ljust(apart) * (CROWD + 100)
    clean = scrub({"a": text}, Policy.load("share").without_names(), Vault(b"k" * 32)).document
    assert clean["a"].count("<EMAIL_1>") == (CROWD if dump else CROWD + 100)
    assert clean["a"].endswith("<BLOB_1>") is dump


def test_tokens_glued_to_each_other_go_as_a_whole_when_each_uncovers_the_next() -> None:
    token = "tk-us-" + "xHcjbJVl596fAXn70ZvJc"
    policy, vault = Policy.load("share").without_names(), Vault(b"k" * 32)
    found = scrub({"a": token * 100, "b": f"{token * 100} and more"}, policy, vault)
    assert found.document == {"a": "<BLOB_1>", "b": "<BLOB_2>"}
    assert found.receipt.rules["unsettled"] == 2
    assert scrub(found.document, policy, vault).document == found.document
