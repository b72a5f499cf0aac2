"""How often the memory answers questions it knows something about, and how often it keeps silent about others.

Corpora of three sizes: each related case alone, all invented cases, and those beside 130 real ones. The floor was set
on the sets called calibration and seen; those called fresh were written and committed before they were first scored,
and some changes since had their scores in view. An invented question tells of a failure in another setting and in other
words than its case, on purpose: it shows where words end. So of these sets only the unrelated carry a bar; the related
have theirs on real cases (`natural`).
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from bars import Bars
from labelled import (
    Half,
    Labelled,
    docstrings,
    foreign_logs,
    harness_logs,
    pairs,
    questions,
    related,
    strangers,
    unrelated,
    who_and_when,
)

from errorhub.hub.bundle import Bundle, Trajectory
from errorhub.hub.memory import Memory, Pile, Place, Query
from errorhub.hub.memory.window import step_text

PACKAGES: Mapping[Half, tuple[str, ...]] = {
    "calibration": (),
    "seen": (
        *("pydantic", "rich", "typer", "jinja2", "huggingface_hub", "git", "pyarrow", "datasets"),
        *("click", "urllib3", "tqdm", "jsonschema", "fsspec"),
    ),
    "fresh": ("joblib", "networkx", "h11", "pygments", "starlette"),
}
"""Whose docstrings are asked; of the standard library when none is named."""
DOCSTRINGS: Mapping[Half, int] = {"calibration": 300, "seen": 300, "fresh": 60}
"""How many of them; of the fresh ones no more than of the other kinds together."""


class Tally(NamedTuple):
    """Of some queries, how many were answered, and how many with the case they are about."""

    asked: int
    answered: int
    found: int

    def __str__(self) -> str:
        found = f", {self.found / self.asked:>6.1%} with its case" if self.found else ""
        return f"{self.answered:>4} of {self.asked:<4} {self.answered / self.asked:>6.1%}{found}"


class Question(NamedTuple):
    """A query and, when it is related, the mode of the case it should find."""

    query: Query
    mode: str = ""


Sets = Mapping[str, Sequence[Question]]


def open_memory(bundles: Iterable[Bundle], folder: Path) -> Memory:
    """Index bundles as one's own."""
    return Memory.open(folder, Pile((one, Place(True, True, "mine", "bench")) for one in bundles), "bench")


def abstention(data: Path, halves: Sequence[Half], bars: Bars) -> None:
    """Print how often related and unrelated queries are answered; only the fresh ones are held to the bars."""
    known = [*related("calibration"), *related("seen"), *pairs()[0], *pairs("held_out")[0]]
    invented = [*known, *related("fresh")]
    real = who_and_when(data / "who-and-when")
    for half in halves:
        like, unlike = _related(half), unrelated_sets(half, data)
        _alone(half, [*related(half)], like, unlike, bars)
        for name, cases in (("tens", invented), ("hundreds", [*real, *invented])):
            print(f"{half}: answered, of {len(cases)} cases")
            _ask(name, half, cases, like, unlike, bars)
    print(f"fresh, without their cases: answered, of {len(known)} cases")
    _ask("", "fresh", known, {}, _related("fresh"), bars)


def _ask(size: str, half: Half, cases: Sequence[Labelled], like: Sets, unlike: Sets, bars: Bars) -> None:
    modes = {one.bundle.bundle_id: one.mode for one in cases}
    with tempfile.TemporaryDirectory() as place:
        memory = open_memory([one.bundle for one in cases], Path(place) / "memory")
        _judge(size, half, [(memory, modes, like, unlike)], bars)


def _alone(half: Half, cases: Sequence[Labelled], like: Sets, unlike: Sets, bars: Bars) -> None:
    """Ask each case alone: its own questions, and every unrelated one."""
    print(f"{half}: answered, of one case ({len(cases)} corpora)")
    rounds = []
    with tempfile.TemporaryDirectory() as place:
        for number, case in enumerate(cases):
            memory = open_memory([case.bundle], Path(place) / str(number))
            own = {name: [one for one in asked if one.mode == case.mode] for name, asked in like.items()}
            rounds.append((memory, {case.bundle.bundle_id: case.mode}, own, unlike))
        _judge("alone", half, rounds, bars)


def _judge(size: str, half: Half, rounds: Sequence[tuple[Memory, Mapping[str, str], Sets, Sets]], bars: Bars) -> None:
    shares = {}
    for kind, place in (("related", 2), ("unrelated", 3)):
        tallies: Counter[tuple[str, str]] = Counter()
        for memory, modes, *sets in rounds:
            for name, asked in sets[place - 2].items():
                for one in asked:
                    hits = [modes[hit.bundle_id] for hit in memory.similar(one.query).hits]
                    tallies[name, "asked"] += 1
                    tallies[name, "answered"] += bool(hits)
                    tallies[name, "found"] += bool(one.mode) and one.mode in hits
        names = list(dict.fromkeys(name for name, _ in tallies))
        made = {name: Tally(*(tallies[name, what] for what in Tally._fields)) for name in names}
        for name, tally in made.items():
            print(f"  {kind:<10} {name:<20} {tally}")
        if made:
            shares[kind] = sum(one.answered for one in made.values()) / sum(one.asked for one in made.values())
            print(f"  {kind:<10} {'all':<20} {shares[kind]:>20.1%}")
    if half == "fresh" and size:
        bars.check("unrelated answered", shares["unrelated"], "abstention.invented", "unrelated_answered", most=True)


def _related(half: Half) -> Sets:
    sets: dict[str, list[Question]] = {}
    for mode, texts, log in questions(half):
        queries = {form: Query.from_text(text) for form, text in texts.items()}
        for form, query in (queries | {"end of log, pasted": as_text(log), "log": Query.from_log(log)}).items():
            sets.setdefault(form, []).append(Question(query, mode))
    for name in ("pairs", "held_out") if half == "calibration" else ():
        cases, logs = pairs(name)
        both = list(zip(cases, logs, strict=True))
        sets[f"{name}, log"] = [Question(Query.from_log(log), case.mode) for case, log in both]
        sets[f"{name}, pasted"] = [Question(as_text(log), case.mode) for case, log in both]
    return sets


def unrelated_sets(half: Half, data: Path) -> dict[str, Sequence[Question]]:
    """Return what has nothing to do with any case, by kind."""
    sets: dict[str, list[Query]] = {}
    for kind, one in strangers(half):
        sets.setdefault(kind, []).append(Query.from_text(one) if isinstance(one, str) else Query.from_log(one))
    if half == "calibration":
        texts, logs = unrelated()
        sets |= {"prose": list(map(Query.from_text, texts)), "short logs": list(map(Query.from_log, logs))}
        sets |= {f"{name} logs": list(map(Query.from_log, runs)) for name, runs in foreign_logs(data).items()}
    if half == "seen":
        sets |= {f"{name} logs": list(map(Query.from_log, runs)) for name, runs in harness_logs(data).items()}
    sets["docstrings"] = list(map(Query.from_text, docstrings(PACKAGES[half], DOCSTRINGS[half])))
    return {name: [*map(Question, queries)] for name, queries in sets.items()}


def as_text(run: Trajectory) -> Query:
    """Ask with the end of a log, pasted."""
    return Query.from_text("\n".join(map(step_text, run.steps[-3:])))
