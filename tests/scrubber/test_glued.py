"""Values that something else follows without a space: another token, another address, the next sentence."""

from __future__ import annotations

import pytest

from errorhub.scrubber import Policy, Vault, scrub


@pytest.mark.parametrize("between", ["", "x", "0"])
def test_a_token_that_begins_in_another_goes_with_it(between: str) -> None:
    token = "ghp" + "_" + "u8jzPde0IgxLd6GnQw3RtY7aKcVb2MsNfHpX"
    clean = scrub({"a": between.join([token] * 4)}, Policy.load("share").without_names(), Vault(b"k" * 32)).document
    assert clean["a"] == "<GITHUB_TOKEN_1>"


@pytest.mark.parametrize("after", [".Then he left", "-", ".", "--", " "])
def test_an_address_ends_where_its_domain_does(after: str) -> None:
    address = "anna.huber" + "@acme-corp.com"
    clean = scrub({"a": f"{address}{after}"}, Policy.load("share").without_names(), Vault(b"k" * 32)).document
    assert clean["a"] == f"<EMAIL_1>{after}"


def test_addresses_glued_by_a_hyphen_are_two() -> None:
    address = "anna.huber" + "@acme-corp.com"
    clean = scrub({"a": f"{address}-{address}"}, Policy.load("share").without_names(), Vault(b"k" * 32)).document
    assert clean["a"] == "<EMAIL_1>-<EMAIL_1>"
