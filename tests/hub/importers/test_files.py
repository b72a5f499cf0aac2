"""Damaged and hostile input: the right refusal, in one sentence, with nothing of the content."""

from __future__ import annotations

import gzip
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

CHAT: list[dict[str, Any]] = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]
TEXT = json.dumps({"messages": CHAT}).encode()

DAMAGED = [
    ("empty", b"", "empty"),
    ("blank", b" \n\n ", "empty"),
    ("truncated in a string", TEXT[:20], "truncated at byte 20"),
    ("truncated in a list", b'{"messages": [', "truncated at byte 14"),
    ("truncated in a literal", b'{"messages": tru', "truncated at byte 16"),
    ("concatenated", TEXT + TEXT, f"second begins at byte {len(TEXT)}"),
    ("pretty and concatenated", b"{\n}\n{\n}", "second begins at byte 4"),
    ("trailing comma", b'{"messages": [1,]}', "not JSON at byte"),
    ("latin-1", '{"messages": "\xe9"}'.encode("latin-1"), "not UTF-8 at byte 14"),
    ("utf-16", TEXT.decode().encode("utf-16"), "UTF-16"),
    ("utf-16 without mark", TEXT.decode().encode("utf-16-le"), "binary"),
    ("cut gzip", gzip.compress(TEXT)[:-12], "damaged or truncated gzip"),
    ("cut zstd", b"\x28\xb5\x2f\xfd\x00\x00", "damaged or truncated zstd"),
    ("gzip twice", gzip.compress(gzip.compress(TEXT)), "compressed twice"),
    ("gzip of nothing", gzip.compress(b""), "empty"),
    ("gzip bomb", gzip.compress(b" " * (1 << 27)), "expands more than 200 times"),
    ("zip", b"PK\x03\x04rest", "zip"),
    ("parquet", b"PAR1rest", "Parquet"),
    ("pickle", pickle.dumps(CHAT), "never opened"),
    ("sqlite of somebody else", b"SQLite format 3\x00" + bytes(100), "not a known format"),
    ("python repr", repr(CHAT).encode(), "json.dumps"),
    ("terminal log", b"\x1b[31mfailed\x1b[0m\nagain\n", "not JSON at byte 0"),
    ("raw control character", b'{"messages": "a\x07b"}', "Invalid control character"),
    ("nul", b"\x00\x01\x02", "binary"),
    ("deep nesting", b'{"messages": ' + b"[" * 200_000 + b"]" * 200_000 + b"}", "nested"),
    ("huge integer", b'{"messages": ' + b"9" * 5000 + b"}", "4,300 digits"),
    ("a number", b"42", "not a known format"),
    ("an empty list", b"[]", "not a known format"),
    ("an empty object", b"{}", "not a known format"),
]


@pytest.mark.parametrize(("data", "reason"), [row[1:] for row in DAMAGED], ids=[row[0] for row in DAMAGED])
def test_damaged_file_is_refused(data: bytes, reason: str, put: Callable[..., Path], read: Callable[..., Any]) -> None:
    path = put("log.json", data)
    bundles, refused = read(path)
    assert bundles == []
    assert len(refused) == 1
    assert reason in refused[0].reason
    assert refused[0].exit == 2
    assert refused[0].source == path
    assert refused[0].reason.endswith(".") and "\n" not in refused[0].reason


def test_pickle_is_refused_by_its_name(put: Callable[..., Path], read: Callable[..., Any]) -> None:
    _, refused = read(put("trace.pkl", b"(dp0\n."))
    assert "never opened" in refused[0].reason


def test_missing_file_is_refused(tmp_path: Path, read: Callable[..., Any]) -> None:
    assert "no such file" in read(tmp_path / "nothing.json")[1][0].reason


def test_refusal_repeats_no_content(put: Callable[..., Path], read: Callable[..., Any]) -> None:
    canary = "kestrel-4711"
    lines = [{"messages": CHAT}, f'{{"messages": "{canary}', {"messages": [{"role": canary, "content": canary}]}]
    _, refused = read(put("log.jsonl", lines=lines))
    assert len(refused) == 2
    assert canary not in "".join(item.reason for item in refused)


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf" + TEXT,
        TEXT + b"\r\n",
        b"\n\n  " + TEXT,
        json.dumps({"messages": CHAT}, indent=2).encode(),
        gzip.compress(TEXT),
        bytes(pa.compress(TEXT, "zstd", asbytes=True)),
    ],
    ids=["bom", "crlf", "leading blank lines", "indented", "gzip", "zstd"],
)
def test_harmless_differences_are_read(data: bytes, put: Callable[..., Path], one: Callable[..., Any]) -> None:
    assert len(one(put("log.json", data)).trajectory.steps) == 2


def test_bad_record_refuses_itself_only(put: Callable[..., Path], read: Callable[..., Any]) -> None:
    good = {"messages": CHAT}
    lines = [good, '{"messages": [', good, "17", {"messages": []}, good]
    bundles, refused = read(put("log.jsonl", lines=lines))
    assert [bundle.trajectory.source.record for bundle in bundles] == [0, 2, 5]
    assert [item.record for item in refused] == [1, 3, 4]
    assert "line 2: truncated" in refused[0].reason


@pytest.mark.parametrize("pack", [gzip.compress, lambda data: bytes(pa.compress(data, "zstd"))], ids=["gzip", "zstd"])
def test_packed_lines_read_the_same(
    pack: Callable[[bytes], bytes], put: Callable[..., Path], read: Callable[..., Any]
) -> None:
    text = b"\n".join([TEXT, b"17", TEXT])
    plain, packed = read(put("a.jsonl", text)), read(put("b.jsonl.gz", pack(text)))
    assert [bundle.bundle_id for bundle in packed[0]] == [bundle.bundle_id for bundle in plain[0]]
    assert [item.reason for item in packed[1]] == [item.reason for item in plain[1]]


def test_crlf_lines_and_bom(put: Callable[..., Path], read: Callable[..., Any]) -> None:
    bundles, refused = read(put("log.jsonl", b"\xef\xbb\xbf" + TEXT + b"\r\n" + TEXT + b"\r\n"))
    assert (len(bundles), refused) == (2, [])


def test_first_line_damaged_is_still_lines(put: Callable[..., Path], read: Callable[..., Any]) -> None:
    bundles, refused = read(put("log.jsonl", lines=['{"messages"', {"messages": CHAT}, {"messages": CHAT}]))
    assert (len(bundles), [item.record for item in refused]) == (2, [0])


def test_numbers_and_texts_survive_exactly(put: Callable[..., Path], one: Callable[..., Any]) -> None:
    text = (
        '{"messages": [{"role": "user", "content": "\\ud83d \\u0000 \\u001b[31m"}, {"role": "assistant", "content": null,'
        ' "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{\\"n\\": 123456789012345678901234567890,'
        ' \\"x\\": NaN}"}}]}]}'
    )
    first, call = one(put("log.json", text.encode())).trajectory.steps
    assert first.input == "\\ud83d \x00 \x1b[31m"
    assert call.input == {"n": 123456789012345678901234567890, "x": "NaN"}


def test_very_long_messages_are_kept(put: Callable[..., Path], one: Callable[..., Any]) -> None:
    long = "x" * 300_000
    bundle = one(put("log.json", {"messages": [CHAT[0], {"role": "assistant", "content": long}]}))
    assert bundle.trajectory.steps[1].output == long


def test_record_too_deep_for_the_bundle_is_refused(put: Callable[..., Path], read: Callable[..., Any]) -> None:
    deep: Any = "x"
    for _ in range(300):
        deep = [deep]
    message = {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": {"a": deep}}}]}
    bundles, refused = read(put("log.jsonl", lines=[{"messages": [message]}, {"messages": CHAT}]))
    assert len(bundles) == 1
    assert "200 levels" in refused[0].reason
