from __future__ import annotations

import json

import pytest

from errorhub.scrubber import KnownValue, Policy, Vault, reread, scrub
from errorhub.scrubber.policy import AllowEntry

GITLAB = "glpat-" + "x7Kq2mWn9RtYv4LpZs8d"


@pytest.mark.parametrize(
    ("document", "path"),
    [
        ({"a": {"out": f"token {GITLAB} seen"}}, "a.out"),
        ([{"arguments": json.dumps({"t": json.dumps({"x": f'say "{GITLAB}"'})})}], "[0].arguments(json).t(json).x"),
        ({"m": {GITLAB: 1}}, "m{key}"),
    ],
)
def test_second_engine_finds_credentials(
    document: object, path: str, share: Policy, vault: Vault, no_network: None
) -> None:
    found = reread(document, share, vault)
    assert [finding.path for finding in found] == [path]
    assert GITLAB[6:] not in repr(found)
    assert reread(scrub(document, share, vault).document, share, vault) == []


@pytest.mark.parametrize("before", [0, 57_330, 65_520, 150_000])
def test_second_engine_finds_credentials_anywhere_in_a_long_text(before: int, share: Policy, vault: Vault) -> None:
    text = "é " * (before // 2) + f"token {GITLAB} seen" + " é" * 40_000
    (found,) = reread({"a": text}, share, vault)
    assert text[found.start : found.end] == GITLAB


def test_known_values_that_are_left_are_found(share: Policy, known_vault: Vault) -> None:
    found = reread({"a": ["by northwind%20traders"], "Zephyr": {"b": 1}}, share, known_vault)
    assert [(finding.path, finding.kind, finding.rule) for finding in found] == [
        ("a[0]", "CUSTOMER", "known-value"),
        (".{key}", "PROJECT", "known-value"),
    ] or {finding.path for finding in found} == {"a[0]", "{key}"}
    assert "zephyr" not in repr(found).lower()


def test_known_values_that_read_like_a_placeholder_do_not_block(share: Policy, vault: Vault) -> None:
    knows = vault.with_known([KnownValue("email")])
    clean = scrub({"a": "email: jane.doe" + "@" + "acme-corp.com"}, share, knows).document
    assert clean == {"a": "<CUSTOM_1>: <EMAIL_1>"}
    assert reread(clean, share, knows) == []


def test_allowed_values_do_not_block(share: Policy, vault: Vault) -> None:
    policy = share.with_rules(allow=[AllowEntry(exact=GITLAB, reason="revoked, in the docs")])
    assert reread({"a": f"token {GITLAB}"}, policy, vault) == []


def test_second_engine_reads_beside_placeholders_not_through_them(share: Policy, vault: Vault) -> None:
    text = f"é https://ci:<PASSWORD_1>@git.example.com/x token=<SECRET_22>{GITLAB} and <USER_1>"
    (found,) = reread({"a": text}, share, vault)
    assert text[found.start : found.end] == GITLAB


def test_clean_documents_pass(share: Policy, vault: Vault) -> None:
    document = {"text": "nothing to see <EMAIL_1> <AWS_KEY_2>", "sha": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"}
    assert reread(document, share, vault) == []
