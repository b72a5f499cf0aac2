from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from errorhub.scrubber import KnownValue, Policy, ScrubConflict, ScrubError, Vault, find, scrub, source_key
from errorhub.scrubber.canonical import MAX_DEPTH
from errorhub.scrubber.errors import DocumentDenied, DocumentError
from errorhub.scrubber.policy import AllowEntry, DenyEntry, PatternEntry

MAIL = "maria.volkov" + "@" + "northwind.dev"


def test_one_value_one_placeholder_in_document_order(share: Policy, vault: Vault) -> None:
    document = {"a": f"write {MAIL}", "b": {f"{MAIL}": [f"{MAIL.replace('dev', 'DEV')} or j.doe@northwind.dev"]}}
    clean = scrub(document, share, vault).document
    assert clean == {"a": "write <EMAIL_1>", "b": {"<EMAIL_1>": ["<EMAIL_1> or <EMAIL_2>"]}}


def test_existing_placeholders_keep_their_meaning(share: Policy, vault: Vault) -> None:
    clean = scrub([f"ask {MAIL}", "as <EMAIL_3> said"], share, vault).document
    assert clean == ["ask <EMAIL_4>", "as <EMAIL_3> said"]


def test_nothing_is_mutated(share: Policy, vault: Vault) -> None:
    document = {"a": [MAIL, {"b": MAIL}], "c": json.dumps({"m": MAIL})}
    before = copy.deepcopy(document)
    scrub(document, share, vault)
    assert document == before


def test_receipt_certifies_the_document_without_itself(share: Policy, vault: Vault) -> None:
    result = scrub({"a": MAIL}, share, vault)
    assert result.receipt.certifies(result.document)
    assert result.receipt.certifies(result.document | {"receipt": result.receipt.model_dump()})
    assert not result.receipt.certifies({"a": "<EMAIL_2>"})
    assert result.receipt.counts == {"EMAIL": 1}
    assert type(result.receipt).model_validate(result.receipt.model_dump()) == result.receipt
    assert result.receipt.model_dump()["schema"] == "errorhub.receipt/1"


def test_findings_and_receipt_hold_no_value(share: Policy, vault: Vault, aws_key: str) -> None:
    result = scrub({MAIL: {"k": aws_key}, "x": f"{MAIL} {aws_key}"}, share, vault)
    said = repr(result.findings) + result.receipt.model_dump_json()
    assert "volkov" not in said
    assert aws_key[4:] not in said


def test_path_of_a_key_that_holds_a_secret_is_masked(share: Policy, vault: Vault, aws_key: str) -> None:
    result = scrub({"env": {aws_key: {"mail": MAIL}}}, share, vault)
    assert [finding.path for finding in result.findings] == ["env{key}", "env.<AWS_KEY_1>.mail"]
    assert [finding.path for finding in find({"env": {aws_key: MAIL}}, share)] == ["env{key}", "env.<AWS_KEY>"]
    assert [finding.path for finding in find(MAIL, share)] == ["."]
    assert [finding.path for finding in find(json.dumps([json.dumps({"a": MAIL})]), share)] == ["(json)[0](json).a"]


def test_keys_that_become_equal_lose_nothing(share: Policy, vault: Vault) -> None:
    document = {MAIL: 1, MAIL.replace("dev", "DEV"): 2, "<EMAIL_1>#2": 3}
    clean = scrub(document, share, vault).document
    assert sorted(clean.values()) == [1, 2, 3]
    assert scrub(clean, share, vault).document == clean


def test_numbers_that_are_values_become_placeholders(share: Policy, vault: Vault) -> None:
    vault = vault.with_known([KnownValue("471108", "ORDER")])
    document = {"card": 4111111111111111, "n": 471108, "f": 4111111111111111.0, "ok": [17, 1.5, True, 1700000000]}
    clean = scrub(document, share, vault).document
    assert clean == {"card": "<CARD_1>", "n": "<ORDER_1>", "f": "<CARD_1>", "ok": [17, 1.5, True, 1700000000]}


@pytest.mark.parametrize(
    "layout",
    [
        pytest.param({}, id="spaced"),
        pytest.param({"separators": (",", ":")}, id="compact"),
        pytest.param({"indent": 2}, id="indent-2"),
        pytest.param({"indent": 4}, id="indent-4"),
        pytest.param({"indent": 3}, id="indent-3"),
    ],
)
@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("layers", [1, 2, 3])
def test_json_in_strings_stays_json_in_its_layout(
    share: Policy, vault: Vault, layout: dict[str, Any], ascii_only: bool, layers: int
) -> None:
    def wrap(value: object) -> object:
        for _ in range(layers):
            value = json.dumps({"é": value, "n": [1, 2.5, None]}, ensure_ascii=ascii_only, **layout)
        return value

    assert scrub([wrap(MAIL)], share, vault).document == [wrap("<EMAIL_1>")]


def test_a_long_line_behind_an_escape_goes_to_its_end(share: Policy, vault: Vault) -> None:
    crumbs = [f"sid{number}=b{number:04d}f7Qx9LmZ2" for number in range(300)]
    text = "plain words\n" * 300 + "GET / HTTP/1.1\\r\\nCookie: " + "; ".join(crumbs) + "\\r\\nAccept: */*"
    clean = scrub({"x": text}, share, vault).document["x"]
    assert not [crumb for crumb in crumbs if crumb.partition("=")[2] in clean]


def test_untouched_json_keeps_its_bytes(share: Policy, vault: Vault) -> None:
    odd = '{ "a" :1.50,\n"b": [ ]}'
    assert scrub({"x": odd, "y": MAIL}, share, vault).document["x"] == odd


def test_doubled_keys_do_not_hide_a_value(share: Policy, vault: Vault, aws_key: str) -> None:
    clean = scrub(f'{{"a": "{aws_key}", "a": "x {MAIL}"}}', share, vault).document
    assert aws_key not in clean
    assert MAIL not in clean


def test_key_names_give_context(share: Policy, vault: Vault) -> None:
    password = "qT7#kd9wLm"
    document = {
        "db": {"password": password},
        "env": [{"name": "DB_PASSWORD", "value": password + "1"}],
        "argv": ["tool", "--password", password + "2", "--out", "report.txt"],
    }
    clean = scrub(document, share, vault).document
    assert password not in json.dumps(clean)
    assert clean["argv"][3:] == ["--out", "report.txt"]


def test_ids_keep_entropy_but_not_secrets(share: Policy, vault: Vault, aws_key: str) -> None:
    safe = {
        "id": "msg_01XFDUDYJgAACzvnptvVoYEL",
        "call_id": "call_9fK2mQ7x",
        "sha256": "9f86d081884c7d659a2feaa0c55ad015" * 2,
    }
    assert scrub(safe, share, vault).document == safe
    assert scrub({"id": aws_key, "x_id": MAIL}, share, vault).document == {"id": "<AWS_KEY_1>", "x_id": "<EMAIL_1>"}


def test_what_a_person_or_a_credential_is_identified_by_is_no_id(share: Policy, vault: Vault) -> None:
    sha = "3f786850e387550f" + "dab836ed7e6dc881de23001b"
    document = {
        "national_id": "C01X00T47",
        "tax_id": "A12345678",
        "private_key_id": sha,
        "build_id": sha,
        "run_id": "C01X00T47",
    }
    assert scrub(document, share, vault).document == {
        "national_id": "<PASSPORT_1>",
        "tax_id": "<PASSPORT_2>",
        "private_key_id": "<GOOGLE_KEY_1>",
        "build_id": sha,
        "run_id": "C01X00T47",
    }


def test_user_names_go_everywhere(share: Policy, vault: Vault) -> None:
    document = ["ls /home/mvolkov/src", "MVolkov pushed", "drwx mvolkov_old", "/home/root/x by root"]
    clean = scrub(document, share, vault).document
    assert clean[0] == "ls /home/<USER_1>/src"
    assert clean[1] == "<USER_1> pushed"
    assert "root" in clean[3]


def test_passwords_go_where_they_stand_bare(share: Policy, vault: Vault) -> None:
    password = "xK9!" + "vopTz71"
    clean = scrub({"a": f"password={password}", "b": f"tried {password} twice"}, share, vault).document
    assert password not in json.dumps(clean)
    assert clean["b"].startswith("tried <")


@pytest.mark.parametrize("written", ["Northwind Traders", "NORTHWIND%20TRADERS", "Tm9ydGh3aW5kIFRyYWRlcnM=", "zephyr"])
def test_known_values_go_in_any_form(share: Policy, known_vault: Vault, written: str) -> None:
    document = {"t": f"see {written} now", f"k {written}": 1, "id": written, "sig": {"signature": written}}
    clean = json.dumps(scrub(document, share, known_vault).document)
    assert written not in clean
    assert "CUSTOMER_1" in clean or "PROJECT_1" in clean


def test_policy_patterns_allow_and_deny(share: Policy, vault: Vault, aws_key: str) -> None:
    policy = share.with_rules(
        pattern=[PatternEntry(name="ticket", regex=r"\bTCK-(\d{4})\b", kind="TICKET")],
        allow=[AllowEntry(exact=MAIL, reason="published"), AllowEntry(pattern=r".*@docs\.dev", reason="docs")],
        deny=[DenyEntry(name="court case", regex=r"(?i)under seal")],
    )
    clean = scrub(f"TCK-1234 {MAIL} a@docs.dev j@northwind.dev", policy, vault).document
    assert clean == f"TCK-<TICKET_1> {MAIL} a@docs.dev <EMAIL_1>"
    with pytest.raises(DocumentDenied, match="court case"):
        scrub({"a": ["x", {"Under Seal": 1}]}, policy, vault)


def test_known_values_cannot_be_allowed(share: Policy, known_vault: Vault) -> None:
    policy = share.with_rules(allow=[AllowEntry(exact="Zephyr", reason="because")])
    assert scrub("Zephyr", policy, known_vault).document == "<PROJECT_1>"


def test_payloads_become_type_size_and_key(share: Policy, vault: Vault) -> None:
    image = "iVBORw0KGgo" + "A" * 100
    uri = "data:image/jpeg;base64," + "/9j/" + "B" * 80
    document = {"image": image, "again": image, "uri": uri, "text": f"see ![x]({uri}) here", "signature": "Cd+/" * 40}
    clean = scrub(document, share, vault).document
    assert clean["image"] == clean["again"] == {"dropped": "image/png", "bytes": 111, "key": clean["image"]["key"]}
    assert clean["uri"]["dropped"] == "image/jpeg"
    assert clean["text"] == "see ![x](<BLOB_1>) here"
    assert clean["signature"]["dropped"] == "application/octet-stream"
    assert scrub(clean, share, vault).document == clean


@pytest.mark.parametrize(
    "signature", ["def area(width: float, height: float) -> float: return width * height  # m2", "short"]
)
def test_a_function_signature_is_text(share: Policy, vault: Vault, signature: str) -> None:
    assert scrub({"signature": signature}, share, vault).document == {"signature": signature}


@pytest.mark.parametrize(
    "document",
    [
        pytest.param("\ud800 lone", id="lone-surrogate"),
        pytest.param({"\udfff": "\x00 NUL \x1b[0m"}, id="nul-and-escape"),
        pytest.param([float("nan"), float("inf"), -0.0, 1e308], id="floats"),
        pytest.param(10**4000, id="huge-integer"),
        pytest.param((1, "a"), id="tuple"),
        pytest.param("", id="empty"),
        pytest.param(None, id="null"),
        pytest.param("[" * 5000 + "]" * 5000, id="brackets-in-a-string"),
        pytest.param('{"a": NaN}', id="nan-in-a-string"),
    ],
)
def test_odd_values_settle(document: object, share: Policy, vault: Vault) -> None:
    result = scrub(document, share, vault)
    json.dumps(result.document, allow_nan=False, ensure_ascii=False).encode()
    assert scrub(result.document, share, vault).document == result.document


@pytest.mark.parametrize(
    ("document", "says"),
    [
        pytest.param({"a": {1, 2}}, "set, which is not JSON", id="set"),
        pytest.param({"a": b"x"}, "bytes, which is not JSON", id="bytes"),
        pytest.param({1: "a"}, "key of type int", id="key"),
        pytest.param(10**5000, "integer longer", id="integer"),
    ],
)
def test_what_is_no_json_is_refused(document: object, says: str, share: Policy, vault: Vault) -> None:
    with pytest.raises(DocumentError, match=says):
        scrub(document, share, vault)


def nested(depth: int, leaf: object) -> object:
    for level in range(depth):
        leaf = [leaf] if level % 2 else {"k": leaf}
    return leaf


def test_deep_nesting(share: Policy, vault: Vault) -> None:
    assert "EMAIL_1" in json.dumps(scrub(nested(MAX_DEPTH - 1, MAIL), share, vault).document)
    for depth in (MAX_DEPTH + 1, 10_000):
        with pytest.raises(ScrubError, match="nested deeper than"):
            scrub(nested(depth, MAIL), share, vault)


def test_json_nested_in_itself(share: Policy, vault: Vault) -> None:
    text = MAIL
    for _ in range(12):
        text = json.dumps({"again": text})
    assert "volkov" not in scrub(text, share, vault).document


def test_source_key_follows_everything_that_decides(
    share: Policy, strict: Policy, vault: Vault, known_vault: Vault
) -> None:
    keys = [
        source_key({"a": 1}, share, vault),
        source_key({"a": 2}, share, vault),
        source_key({"a": 1}, strict, vault),
        source_key({"a": 1}, share, known_vault),
        source_key({"a": 1}, share, Vault(b"j" * 32)),
    ]
    assert len(set(keys)) == len(keys)
    assert scrub({"a": 1}, share, vault).receipt.source_key == keys[0]


def test_conflict_of_known_kinds(share: Policy) -> None:
    with pytest.raises(ScrubConflict):
        Vault(b"k" * 32, (KnownValue("Zephyr", "PROJECT"), KnownValue("zephyr", "CUSTOMER")))


def test_find_changes_and_drops_nothing(strict: Policy, vault: Vault) -> None:
    document = {"steps": [{"input": f"mail {MAIL}"}]}
    assert [(found.path, found.kind, found.start) for found in find(document, strict, vault)] == [
        ("steps[0].input", "EMAIL", 5)
    ]


def test_long_leaf_is_read_in_chunks(share: Policy, vault: Vault, aws_key: str) -> None:
    line = "plain words that say nothing at all, again and again\n"
    text = line * 45_000 + aws_key + "\n" + line * 20_000 + MAIL
    clean = scrub(text, share, vault).document
    assert aws_key not in clean
    assert clean.endswith("<EMAIL_1>")
    assert len(clean) > 3_000_000
