"""Opening a store: what a SPEC may be, and what no error ever says."""

from __future__ import annotations

from pathlib import Path

import pytest

from errorhub.hub.errors import NotFound, RemoteError, UsageError
from errorhub.hub.stores import mask, open_store


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("", "not a hub"),
        ("local:", "not a hub"),
        ("ftp:x", "local:…, git:…, hf:…"),
        ("/tmp/x", "not a hub"),
        ("hf:a", "not a dataset on the Hub"),
        ("hf:a/b/c", "not a dataset on the Hub"),
        ("hf:../b", "not a dataset on the Hub"),
        ("hf:a/b@", "not a dataset on the Hub"),
        ("hf:me:sesame@x/y", "not a dataset on the Hub"),
        ("hf:a/b@../c", "not a revision"),
        ("hf:a/b@-c", "not a revision"),
        ("git:ext::sh -c whoami", "not a Git URL"),
        ("git:ext::sh", "not a Git URL"),
        ("git:--upload-pack=touch", "not a Git URL"),
        ("git:http://example.com/x.git", "safe to use"),
        ("git:ftp://example.com/x.git", "safe to use"),
        ("git:ssh://-oProxyCommand=x/y", "safe to use"),
        ("git:ssh://me:sesame@host/y", "Use a key"),
        ("git:https://example.com/a\nb", "not a Git URL"),
        ("git:https://example.com/x.git#--orphan", "not a branch"),
        ("git:https://example.com/x.git#a..b", "not a branch"),
        ("git:https://example.com/x.git#a/.b", "not a branch"),
        ("git:https://example.com/x.git#a.lock", "not a branch"),
        ("git:https://example.com/x.git#@{u}", "not a branch"),
    ],
)
def test_a_spec_that_makes_no_sense_is_refused(spec: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=told.replace("(", r"\(")) as caught:
        open_store(spec, create=True, cache=tmp_path)
    assert "sesame" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("spec", "shown"),
    [
        ("git:https://me:sesame@example.com/o/r.git#dev", "git:https://example.com/o/r.git#dev"),
        ("git:git@example.com:o/r.git", "git:git@example.com:o/r.git"),
        ("git:ssh://git@example.com/o/r.git", "git:ssh://git@example.com/o/r.git"),
    ],
)
def test_a_spec_is_shown_without_credentials(spec: str, shown: str, tmp_path: Path) -> None:
    store = open_store(spec, cache=tmp_path)
    assert store.spec == shown
    assert "sesame" not in f"{store.url} {store.load}"


def test_masking_hides_what_stands_before_the_at_and_known_tokens() -> None:
    token = "hf_" + "abcdefghij" * 2
    assert mask(f"see https://u:p@h/x and {token}.") == "see https://***@h/x and ***."


def test_a_folder_with_other_files_is_no_hub(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(UsageError, match="has other files"):
        open_store(f"local:{tmp_path}", create=True)
    with pytest.raises(UsageError, match="not a folder"):
        open_store(f"local:{tmp_path / 'thesis.tex'}", create=True)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_an_empty_folder_and_one_with_dotfiles_may_become_a_hub(tmp_path: Path) -> None:
    (tmp_path / ".DS_Store").write_text("x")
    assert open_store(f"local:{tmp_path}").head() is None


def test_a_missing_remote_is_one_masked_sentence(tmp_path: Path) -> None:
    store = open_store(f"git:{(tmp_path / 'nothing.git').as_uri()}", cache=tmp_path / "cache")
    with pytest.raises(RemoteError, match=r"^file:///.*does not appear to be a git repository") as caught:
        store.head()
    assert "\n" not in str(caught.value)


def test_a_remote_that_does_not_answer_is_one_sentence(tmp_path: Path) -> None:
    store = open_store("git:http://127.0.0.1:9/r.git", cache=tmp_path / "cache")
    with pytest.raises(RemoteError, match=r"127\.0\.0\.1") as caught:
        store.head()
    assert "\n" not in str(caught.value)


def test_a_missing_folder_names_the_next_command(tmp_path: Path) -> None:
    with pytest.raises(NotFound) as caught:
        open_store(f"local:{tmp_path / 'x'}")
    assert caught.value.hint == f"errorhub publish --to local:{tmp_path / 'x'} --create"
