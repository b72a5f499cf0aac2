from __future__ import annotations

import pytest

from errorhub.scrubber import Policy, Vault, reread_personal, scrub
from errorhub.scrubber.analyzer import model_name
from errorhub.scrubber.prose import is_prose, prose

needs_model = pytest.mark.skipif(model_name() is None, reason="the [ner] extra is not installed")


@pytest.mark.parametrize(
    ("line", "reads"),
    [
        ("Please ask Maria Volkov about the invoice.", True),
        ("- The agent then wrote to the wrong address, which was never corrected.", True),
        ("Dear <PERSON_1>, thank you for your patience with this.", True),
        ("drwxr-xr-x 2 mvolkov staff 4096 Nov 30 17:52 reports", False),
        ("for item in range(10): total += prices[item] * 2", False),
        ("2026-11-30 17:52:01,113 INFO werkzeug 127.0.0.1 GET / 200", False),
        ('{"name": "x", "count": 3, "items": []}', False),
        ("MAX_RETRIES = 5", False),
        ("short", False),
    ],
)
def test_what_reads_like_a_sentence(line: str, reads: bool) -> None:
    assert is_prose(line) is reads


def test_sentences_point_into_the_text() -> None:
    text = (
        "We met on Monday. Then Maria Volkov left early!\n$ ls -la /srv\nNobody knew why, it seems: Nothing was said."
    )
    found = list(prose(text))
    assert [passage.text for passage in found] == [
        "We met on Monday.",
        "Then Maria Volkov left early!",
        "Nobody knew why, it seems:",
        "Nothing was said.",
    ]
    assert all(text[passage.start :].startswith(passage.text) for passage in found)


def test_endless_lines_are_cut_at_spaces() -> None:
    text = "word and another " * 500
    found = list(prose(text))
    assert max(len(passage.text) for passage in found) <= 1_000
    assert "".join(passage.text for passage in found) == text


@needs_model
@pytest.mark.parametrize(
    ("text", "clean"),
    [
        (
            "Yesterday Maria Volkov from Northwind Traders flew to Toronto.",
            "Yesterday <PERSON_1> from <ORGANIZATION_1> flew to <LOCATION_1>.",
        ),
        ("I asked Jonathan Meyer, and Jonathan Meyer agreed.", "I asked <PERSON_1>, and <PERSON_1> agreed."),
        ("Dear Kwame, thank you for your patience.", "Dear <PERSON_1>, thank you for your patience."),
        ("The invoice from Meyer GmbH was never paid.", "The invoice from <ORGANIZATION_1> was never paid."),
        ("It is signed by Dr. Okafor and countersigned.", "It is signed by Dr. <PERSON_1> and countersigned."),
        (
            "My colleague Maria Volkov moved from Brazil to New Zealand.",
            "My colleague <PERSON_1> moved from Brazil to New Zealand.",
        ),
        ("Hello World! This is what the program prints.", None),
        ("The agent ran Docker and read the README of Django on GitHub.", None),
        ("Open the Settings page, then press Save and check that Python is found.", None),
        ("Call the UserService with getUserName and pass the API key of the JSON Parser.", None),
    ],
)
def test_names_go_and_products_stay(text: str, clean: str | None, vault: Vault) -> None:
    result = scrub({"content": text}, Policy.load("share"), vault)
    assert result.document == {"content": clean or text}
    assert result.receipt.ner == model_name()


@needs_model
def test_names_found_in_prose_go_elsewhere_too(vault: Vault) -> None:
    document = {"content": "We wrote to Maria Volkov about it yesterday.", "stdout": "author=Maria Volkov;"}
    assert "Volkov" not in str(scrub(document, Policy.load("share"), vault).document)


@pytest.mark.parametrize("policy", ["internal", "without"])
def test_names_can_be_off(policy: str, vault: Vault) -> None:
    chosen = Policy.load("internal") if policy == "internal" else Policy.load("share").without_names()
    document = {"content": "Yesterday Maria Volkov flew to Toronto."}
    result = scrub(document, chosen, vault)
    assert result.document == document
    assert result.receipt.ner == "none"


@needs_model
def test_kinds_that_are_off_stay(vault: Vault) -> None:
    policy = Policy.load("share").model_copy(update={"off": ("LOCATION", "ORGANIZATION")})
    document = {"content": "Yesterday Maria Volkov of Meyer GmbH flew to Toronto."}
    assert scrub(document, policy, vault).document == {"content": "Yesterday <PERSON_1> of Meyer GmbH flew to Toronto."}


def test_second_reader_tells_what_is_left(vault: Vault, no_network: None) -> None:
    mail = "maria.volkov" + "@" + "gmail.com"
    document = {"content": f"Write to {mail} or call +1 415 555 0132 before noon, please.", "stdout": mail}
    found = reread_personal(document, Policy.load("strict"))
    assert {(finding.path, finding.kind) for finding in found} >= {("content", "EMAIL"), ("content", "PHONE")}
    assert "volkov" not in repr(found)
    clean = scrub(document, Policy.load("strict"), vault).document
    assert reread_personal(clean, Policy.load("strict")) == []
