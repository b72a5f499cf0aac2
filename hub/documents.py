"""Scrubbing and scanning without a workspace: any JSON documents, any text files."""

from __future__ import annotations

import codecs
import json
import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from errorhub.hub.bundle.canonical import settle
from errorhub.hub.bundle.paths import PATHS
from errorhub.hub.bundle.upgrades import SCHEMA
from errorhub.hub.durable import output_file
from errorhub.hub.errors import FormatError, UsageError
from errorhub.hub.importers.expanding import opened
from errorhub.hub.scrub import Cleaning, Leak
from errorhub.scrubber import (
    Finding,
    Policy,
    ScrubError,
    Vault,
    find,
    known_from_deny,
    known_from_environment,
    reread,
    scrub,
)

MAX_SCANNED_BYTES = 64 * 2**20
"""Larger files are not scanned, and said to be unread."""
PACKED = {
    b"PK\x03\x04": "zip", b"BZh": "bzip2", b"\xfd7zXZ\0": "xz", b"7z\xbc\xaf\x27\x1c": "7z", b"Rar!\x1a\x07": "rar",
    b"PAR1": "Parquet",
}  # fmt: skip
"""First bytes of formats that hide what they hold: such a file is said to be unread."""


def scrub_documents(
    source: Path, out: Path, policy: Policy, *, deny: Iterable[Path] = (), findings: Path | None = None
) -> Cleaning:
    """Scrub a file of JSON documents, one a line, into another, in the same order.

    A line that is refused becomes `null`, so that lines still match. The output appears whole or not at all. Raise
    UsageError when the source cannot be read.
    """
    if not source.is_file():
        raise UsageError(f"not a file: {source}." if source.exists() else f"no such file: {source}.")
    out, findings = output_file(out), findings and output_file(findings)
    if out == findings or source.resolve() in (out, findings):
        raise UsageError("the documents, their scrubbed copy and the findings need a file each.")
    vault = Vault.open().with_known([value for file in deny for value in known_from_deny(file)])
    vault = vault.with_known(known_from_environment())
    result = Cleaning()
    with _appearing(out) as written, _appearing(findings) as noted, source.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            document, found = _scrubbed(line, number, policy, vault, result)
            written.write(json.dumps(document, ensure_ascii=False) + "\n")
            for finding in found:
                noted.write(json.dumps({"line": number} | finding._asdict(), ensure_ascii=False) + "\n")
    return result


@dataclass
class Scanned:
    """What a scan found, and what it could not read."""

    findings: list[dict[str, Any]] = field(default_factory=list)
    """Source, path, kind, start, end, masked value and rule of each."""
    unread: list[dict[str, str]] = field(default_factory=list)
    """Source and reason."""

    @property
    def exit_code(self) -> int:
        """1 something found, 3 something unread, else 0."""
        return 1 if self.findings else 3 if self.unread else 0


def scan(paths: Iterable[Path], policy: Policy) -> Scanned:
    """Look through files and folders without changing anything. Names in prose are not read: hooks must be quick.

    Archives of gzip and zstd are opened, UTF-16 is decoded, and whatever else is not text is read as bytes are. Hidden
    files and folders are read, too; left out are `.git` and folders that Git ignores whole, as ours and caches are.
    """
    result = Scanned()
    for path in paths:
        if not path.exists():
            raise UsageError(f"no such file or folder: {path}.")
        for file in _files(path) if path.is_dir() else [path]:
            _scan(file, policy.without_names(), result)
    return result


def _files(folder: Path) -> Iterator[Path]:
    for root, folders, files in os.walk(folder):
        here = Path(root)
        folders[:] = sorted(name for name in folders if name != ".git" and not _ignored(here / name))
        yield from (here / name for name in sorted(files) if (here / name).is_file() and not (here / name).is_symlink())


def _ignored(folder: Path) -> bool:
    """Tell whether a folder holds a `.gitignore` of `*`."""
    try:
        return any(line.strip() == b"*" for line in (folder / ".gitignore").read_bytes()[:1024].splitlines())
    except OSError:
        return False


def _scan(file: Path, policy: Policy, result: Scanned) -> None:
    try:
        for document in _documents(file):
            result.findings += [{"source": str(file)} | found._asdict() for found in find(document, policy)]
    except (OSError, FormatError, ScrubError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else str(problem)
        result.unread.append({"source": str(file), "reason": reason or type(problem).__name__})


def _scrubbed(line: bytes, number: int, policy: Policy, vault: Vault, result: Cleaning) -> tuple[Any, list[Finding]]:
    try:
        document = settle(json.loads(line.decode("utf-8")))
        rules = policy.with_paths(**PATHS) if _is_bundle(document) else policy
        fresh = scrub(document, rules, vault)
        if reread(fresh.document, rules, vault):
            raise Leak("the second engine still finds something")
    except ScrubError as problem:
        result.refused.append({"bundle_id": f"line {number}", "reason": str(problem), "code": problem.code})
        return None, []
    except (ValueError, RecursionError):
        result.refused.append({"bundle_id": f"line {number}", "reason": "not a JSON document", "code": "not_json"})
        return None, []
    result.add(fresh.receipt)
    return fresh.document, list(fresh.findings)


def _is_bundle(document: Any) -> bool:
    return isinstance(document, dict) and document.get("schema") == SCHEMA


def _documents(file: Path) -> Iterator[Any]:
    """Yield the JSON documents of a file, or its text as one string."""
    if not file.is_file():
        raise FormatError("not a regular file.")
    with opened(file) as stream:
        content = stream.read(MAX_SCANNED_BYTES + 1)
    if packed := next((name for first, name in PACKED.items() if content.startswith(first)), None):
        raise FormatError(f"packed as {packed}; unpack it.")
    if len(content) > MAX_SCANNED_BYTES:
        raise FormatError(f"larger than {MAX_SCANNED_BYTES >> 20} MiB; split it.")
    wide = content[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    text = content.decode("utf-16" if wide else "utf-8", "replace").replace("\0", " ")
    if file.suffix in (".json", ".jsonl", ".ndjson"):
        with suppress(ValueError, RecursionError):
            parts = [text] if file.suffix == ".json" else [line for line in text.splitlines() if line.strip()]
            documents = [json.loads(part) for part in parts]
            yield from documents
            return
    if text:
        yield text


class _appearing:
    """A text file that appears whole when the block ends well, and not at all when it does not."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part") if path else Path(os.devnull)

    def __enter__(self) -> TextIO:
        flags = os.O_WRONLY | (os.O_CREAT | os.O_EXCL if self.path else 0)
        try:
            self.file = os.fdopen(os.open(self.beside, flags, 0o600), "w", encoding="utf-8")
        except OSError as problem:
            raise UsageError(f"cannot write {self.path}: {problem.strerror}.") from None
        return self.file

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        """Put the file in its place; raise UsageError when the disk takes no more."""
        try:
            with self.file:
                if self.path and kind is None:
                    self.file.flush()
                    os.fsync(self.file.fileno())
            if self.path and kind is None:
                self.beside.replace(self.path)
        except OSError as problem:
            error = problem
        finally:
            if self.path:
                self.beside.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise UsageError(f"cannot write {self.path}: {error.strerror}.") from None
