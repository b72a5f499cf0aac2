from __future__ import annotations

from pathlib import Path

import pytest

from errorhub.scrubber import Policy
from errorhub.scrubber.errors import PolicyError
from errorhub.scrubber.policy import PRESETS, PatternEntry, read_allow


@pytest.mark.parametrize("name", PRESETS)
def test_presets_load_and_know_no_schema(name: str) -> None:
    policy = Policy.load(name)
    assert policy.name == name
    assert policy.drop == policy.whole == ()
    assert len(policy.digest) == 64


def test_internal_looks_for_secrets_only() -> None:
    from errorhub.scrubber.rules import RULES

    off = set(Policy.load("internal").off)
    kinds = {rule.kind for rule in RULES}
    assert {"EMAIL", "PHONE", "USER", "HOST"} <= off
    assert {"PASSWORD", "AWS_KEY", "PRIVATE_KEY", "JWT"} <= kinds - off


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param('nme = "x"', "unknown key 'nme'", id="unknown-key"),
        pytest.param("[[pattern]]\nname='q'\nregex='(?=a)b'", "'q' is refused by RE2", id="lookahead"),
        pytest.param("[[pattern]]\nname='q'\nregex='a('", "'q' is refused by RE2", id="unbalanced"),
        pytest.param("[[pattern]]\nname='q'\nregex='a{5000}'", "'q' is refused by RE2", id="too-many-repeats"),
        pytest.param("[[pattern]]\nname='q'\nregex='a'\nkind='lower case'", "pattern.0.kind", id="kind"),
        pytest.param("[[deny_case]]\nname='d'\nregex='[z-a]'", "'d' is refused by RE2", id="deny"),
        pytest.param("[[allow]]\nexact='abc'", "allow.0.reason", id="no-reason"),
        pytest.param("[[allow]]\nreason='because'", "either exact or pattern", id="empty-allow"),
        pytest.param("drop = ['a..b']", "'a..b'", id="path"),
        pytest.param("repeat = 2", "repeat", id="too-short"),
        pytest.param("off = ['EMIAL']", "unknown kind 'EMIAL', did you mean 'EMAIL'", id="unknown-kind"),
        pytest.param("off = 'EMAIL'", "off", id="not-a-list"),
        pytest.param("extends = 'lax'", "extends 'lax'", id="unknown-preset"),
        pytest.param("a = ", "not TOML", id="not-toml"),
    ],
)
def test_errors_name_the_key_or_pattern(text: str, says: str, tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_text(text)
    with pytest.raises(PolicyError) as caught:
        Policy.load(file)
    assert says in str(caught.value)
    assert caught.value.exit_code == 2


def test_missing_policy_lists_the_presets(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="neither a preset nor a file") as caught:
        Policy.load(str(tmp_path / "lenient"))
    assert "strict" in (caught.value.hint or "")


def test_extends_adds_to_a_preset(tmp_path: Path) -> None:
    file = tmp_path / "team.toml"
    file.write_text('extends = "share"\noff = ["IP"]\nprose = ["log"]\nnames = false\n')
    policy = Policy.load(file)
    assert policy.name == "team"
    assert policy.off == ("IP",)
    assert policy.prose == (*Policy.load("share").prose, "log")
    assert not policy.names


def test_digest_follows_the_content() -> None:
    policy = Policy.load("share")
    same = Policy.load("share")
    assert policy.digest == same.digest
    assert policy.with_paths(ids=["a"]).digest != policy.digest
    assert policy.without_names().digest != policy.digest
    assert policy.with_rules(pattern=[PatternEntry(name="p", regex="a+")]).digest != policy.digest


def test_with_paths_refuses_a_malformed_path() -> None:
    with pytest.raises(PolicyError, match=r"a\[x\]"):
        Policy.load("share").with_paths(ids=["a[x]"])


def test_allow_list_of_lines_takes_its_reason_from_the_comment(tmp_path: Path) -> None:
    file = tmp_path / "allow.txt"
    file.write_text("# published in the docs\nsk-docs-example\n\n# test server\n10.0.0.1\n")
    assert [(entry.exact, entry.reason) for entry in read_allow(file)] == [
        ("sk-docs-example", "published in the docs"),
        ("10.0.0.1", "test server"),
    ]


def test_inputs_of_a_schema_drop_only_where_the_policy_drops_inputs() -> None:
    assert Policy.load("strict").with_paths(drop=["a"]).drop == ("a",)
    assert Policy.load("share").with_paths(drop=["a"]).drop == ()
