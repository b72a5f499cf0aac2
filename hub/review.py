"""Review: a person's verdict on the exact outbound bytes, bound to their digest.

One changed byte, another policy or another licence is another digest, and needs a new verdict.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from errorhub.hub.bundle import Bundle
from errorhub.hub.durable import write_file
from errorhub.hub.errors import RecordError, UsageError
from errorhub.hub.workspace import Workspace, append_event, now
from errorhub.scrubber import Finding

Verdict = Literal["pending", "accepted", "rejected"]

_WORDS: dict[str, Verdict] = {"accept": "accepted", "reject": "rejected"}


@dataclass(frozen=True)
class Item:
    """One clean bundle as a reviewer meets it."""

    bundle: Bundle
    verdict: Verdict
    residue: int
    """Names and personal data that the second reader still sees."""
    free_text: int
    """Characters of goal, explanations, corrections, directives and notes."""
    unmapped: int
    """Fields of the log that had no place."""

    @property
    def risk(self) -> float:
        """Riskiest first: what the second reader saw, then unmapped fields, then free text and sheer size."""
        size = sum(len(json.dumps(step.output, ensure_ascii=False)) for step in self.bundle.trajectory.steps)
        return self.residue * 10 + self.unmapped + self.free_text / 500 + size / 20_000


Reader = Callable[[Bundle], list[Finding]]
"""Reads a clean bundle a second time for personal data."""


class Desk:
    """The verdicts of one workspace, and the clean bundles they are about."""

    def __init__(self, workspace: Workspace, reader: Reader) -> None:
        self.workspace = workspace
        self._reader = reader
        self._verdicts = _fold(workspace.log)

    def verdict(self, bundle: Bundle) -> Verdict:
        """Return the last verdict on exactly these bytes."""
        return self._verdicts.get(bundle.digest, "pending")

    def items(self) -> list[Item]:
        """Return every clean bundle, pending ones first, riskiest first."""
        items = [self.item(bundle) for bundle in self.workspace.clean.bundles()]
        return sorted(items, key=lambda item: (item.verdict != "pending", -item.risk, item.bundle.bundle_id))

    def item(self, bundle: Bundle) -> Item:
        """Return one bundle with what makes it risky."""
        unmapped = sum(bundle.trajectory.source.unmapped.values())
        return Item(bundle, self.verdict(bundle), len(self.residue(bundle)), _free_text(bundle), unmapped)

    def residue(self, bundle: Bundle) -> list[Finding]:
        """Return what the second reader sees in these bytes, read once and remembered by digest."""
        path = self.workspace.folder / "residue" / f"{bundle.digest}.json"
        if path.exists():
            return [Finding(**one) for one in json.loads(path.read_text(encoding="utf-8"))]
        found = self._reader(bundle)
        remember(path, found)
        return found

    def decide(
        self, bundles: Iterable[Bundle], word: Literal["accept", "reject"], *, by: str, note: str = "", attest: str = ""
    ) -> int:
        """Record one verdict a bundle and return their number. Raise UsageError when the word is neither."""
        if word not in _WORDS:
            raise UsageError(f"no such verdict: {word}. Use accept or reject.")
        done = 0
        for bundle in bundles:
            event = {
                "type": "verdict", "verdict": word, "bundle_id": bundle.bundle_id, "digest": bundle.digest,
                "by": by, "at": now(), "note": note, "attestation": attest,
            }  # fmt: skip
            append_event(self.workspace.log, event)
            self._verdicts[bundle.digest] = _WORDS[word]
            done += 1
        return done


@dataclass(frozen=True)
class Occurrence:
    """One place in the outbound bytes where a term stands."""

    where: str
    """Bundle id and JSON path, or the name of the outbound file."""
    text: str
    """The term with what stands around it."""


def grep(term: str, bundles: Iterable[Bundle], files: dict[str, bytes]) -> Iterator[Occurrence]:
    """Yield every place where a term, in any case, would leave the machine: bundles, card, commit message."""
    if not term.strip():
        raise UsageError("empty search term. Type the word that must not leave.")
    wanted = term.casefold()
    for bundle in bundles:
        for path, text in _leaves(bundle.document(), "", keys=True):
            yield from (Occurrence(f"{bundle.bundle_id[:12]} {path}", cut) for cut in _around(text, wanted))
    for name, content in files.items():
        yield from (Occurrence(name, cut) for cut in _around(content.decode("utf-8", "replace"), wanted))


def diff(raw: Bundle, clean: Bundle) -> list[str]:
    """Return a unified diff of the run before and after scrubbing, one field a line."""
    before, after = (_lines(bundle) for bundle in (raw, clean))
    return list(difflib.unified_diff(before, after, "raw", "clean", lineterm="", n=0))


def remember(path: Path, found: list[Finding]) -> None:
    """Keep what the second reader saw; masked, never a value."""
    path.parent.mkdir(mode=0o700, exist_ok=True)
    write_file(path, json.dumps([finding._asdict() for finding in found]).encode())


def _fold(log: Path) -> dict[str, Verdict]:
    """Return the last verdict on each digest; event names sort by time."""
    verdicts: dict[str, Verdict] = {}
    for path in sorted(log.glob("*.json")):
        try:
            event = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            raise RecordError(f"workspace log is damaged: {path.name}. Remove it and review again.") from None
        if event.get("type") == "verdict":
            verdicts[event["digest"]] = _WORDS[event["verdict"]]
    return verdicts


def _free_text(bundle: Bundle) -> int:
    texts = [bundle.trajectory.task.goal, bundle.trajectory.outcome.reason, bundle.rights.note]
    for diagnosis in bundle.diagnoses:
        texts += [diagnosis.explanation, diagnosis.correction.text if diagnosis.correction else None]
    texts += [repair.directive for repair in bundle.repairs]
    return sum(len(text or "") for text in texts)


def _leaves(value: Any, path: str, *, keys: bool = False) -> Iterator[tuple[str, str]]:
    """Yield (JSON path, text) of every leaf, and of every object key when asked."""
    if isinstance(value, dict):
        for key, item in value.items():
            place = f"{path}.{key}".lstrip(".")
            if keys:
                yield f"{place}{{key}}", str(key)
            yield from _leaves(item, place, keys=keys)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _leaves(item, f"{path}[{number}]", keys=keys)
    elif value is not None:
        yield path, value if isinstance(value, str) else json.dumps(value)


def _around(text: str, wanted: str) -> Iterator[str]:
    folded = text.casefold()
    place = folded.find(wanted)
    while place >= 0:
        yield text[max(0, place - 30) : place + len(wanted) + 30]
        place = folded.find(wanted, place + len(wanted))


def _lines(bundle: Bundle) -> list[str]:
    leaves = _leaves(bundle.document(), "")
    return [f"{path}: {line}" for path, text in leaves for line in (text.splitlines() or [""])]
