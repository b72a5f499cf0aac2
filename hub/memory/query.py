"""What is asked: a text, pasted output, a bundle, or the raw log of a failed run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from errorhub.hub.bundle import Bundle, Trajectory
from errorhub.hub.bundle.canonical import settle_text
from errorhub.hub.memory.frames import unframed
from errorhub.hub.memory.window import diagnosis_text, excerpt, run_windows, window_text

QUERY_CHARS = 8_000
"""Characters of a query that are read: those around the last sign of an error when there are more."""
PASSAGE_CHARS = 1_500
"""A longer text is compared piece by piece: a case is three steps long, not eighty."""
PASSAGES = 8
"""Most diagnoses, windows or pieces of one query."""

Form = Literal["text", "paste", "bundle", "log"]


@dataclass(frozen=True)
class Query:
    """Passages to compare with diagnoses and with error windows, and what must not be found."""

    form: Form
    """Which legs count how much."""
    spoken: tuple[str, ...]
    """Compared with the diagnoses of cases. The best passage counts."""
    traced: tuple[str, ...]
    """Compared with their error windows. The best passage counts."""
    trajectory_id: str | None = None
    """The query's own run: never found."""
    task: str | None = None
    """The query's own source task: never found."""
    origin_key: str | None = None
    """The same run after scrubbing: never found."""

    @classmethod
    def from_text(cls, text: str) -> Query:
        """Ask in words, or with pasted output: a text of several lines is taken for that."""
        said = unframed(str(settle_text(text))).strip()
        pieces = tuple(_pieces(excerpt(said, QUERY_CHARS)))[-PASSAGES:]
        return cls("paste" if "\n" in said else "text", pieces, pieces)

    @classmethod
    def from_bundle(cls, bundle: Bundle) -> Query:
        """Ask for cases like one that has a diagnosis; without one, as for a raw log.

        Its own run, its other runs of the same source task and copies of the run are left out.
        """
        run, found = bundle.trajectory, bundle.diagnoses[:PASSAGES]
        texts = (diagnosis_text(diagnosis)[:QUERY_CHARS] for diagnosis in found)
        spoken = tuple(piece for text in texts for piece in _pieces(text))[:PASSAGES]
        traced = tuple(window_text(run, diagnosis.step) for diagnosis in found) or run_windows(run)
        form: Form = "bundle" if found else "log"
        origin = bundle.provenance.origin_key
        return cls(form, spoken or traced, traced, bundle.trajectory_id, run.task_id, origin)

    @classmethod
    def from_log(cls, run: Trajectory, *, origin_key: str | None = None, task: str | None = None) -> Query:
        """Ask with a run that just failed: the windows around its latest errors and its end.

        Only the run itself is left out: earlier runs of the same task are what its owner wants to see. Those of `task`
        are left out when one is given.
        """
        windows = run_windows(run)
        return cls("log", windows, windows, run.trajectory_id, task, origin_key)


def _pieces(text: str) -> Iterator[str]:
    """Cut a text at line ends into pieces of at most PASSAGE_CHARS."""
    piece = ""
    for line in text.splitlines(keepends=True):
        while len(line) > PASSAGE_CHARS:
            line, rest = line[:PASSAGE_CHARS], line[PASSAGE_CHARS:]
            yield from (part for part in (piece, line) if part)
            piece, line = "", rest
        if len(piece) + len(line) > PASSAGE_CHARS:
            yield piece
            piece = ""
        piece += line
    if piece:
        yield piece
