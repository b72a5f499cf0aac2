"""Files that users name: regular ones, where links lead to; nothing else is replaced."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from errorhub.hub.documents import scrub_documents
from errorhub.hub.durable import output_file, write_file
from errorhub.hub.errors import UsageError
from errorhub.scrubber import Policy


def pipe(place: Path) -> Path:
    os.mkfifo(place / "pipe")
    return place / "pipe"


def link_to_pipe(place: Path) -> Path:
    (place / "link").symlink_to(pipe(place))
    return place / "link"


def circle(place: Path) -> Path:
    (place / "one").symlink_to(place / "two")
    (place / "two").symlink_to(place / "one")
    return place / "one"


UNFIT = {
    "pipe": (pipe, "not a regular file"),
    "link to a pipe": (link_to_pipe, "not a regular file"),
    "folder": (lambda place: place, "not a regular file"),
    "no folder": (lambda place: place / "no" / "file", "no such folder"),
    "below a file": (lambda place: Path(__file__) / "file", "no such folder"),
    "links in a circle": (circle, "cannot write"),
    "long name": (lambda place: place / ("n" * 300), "too long"),
}


@pytest.mark.parametrize(("make", "reason"), UNFIT.values(), ids=UNFIT.keys())
def test_what_cannot_become_a_file_is_refused(tmp_path: Path, make: Callable[[Path], Path], reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        output_file(make(tmp_path))


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "file")
    for data in (b"new", b"newer"):
        write_file(output_file(tmp_path / "link"), data)
        assert (tmp_path / "file").read_bytes() == data
        assert (tmp_path / "link").is_symlink()


@pytest.mark.parametrize("findings", [False, True])
def test_a_pipe_stays_a_pipe(tmp_path: Path, findings: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERRORHUB_CONFIG_DIR", str(tmp_path / "config"))
    source, place = tmp_path / "in.jsonl", pipe(tmp_path)
    source.write_text("{}\n")
    out = tmp_path / "out.jsonl" if findings else place
    with pytest.raises(UsageError, match="not a regular file"):
        scrub_documents(source, out, Policy.load("share").without_names(), findings=place if findings else None)
    assert stat.S_ISFIFO(place.stat().st_mode)
    assert not (tmp_path / "out.jsonl").exists()
