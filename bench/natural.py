"""How often real diagnoses, error steps and logs are answered, where other cases fail in the same way.

Nothing here is invented. Each labelled run asks the others in four forms, its own left out; related is what shares its
AgentRx category with a case of another run. Who&When has no categories here: 130 runs of a few systems, asked against
the rest. Beside them: the unrelated texts and logs. All of it was in view while the floor was set, so two more prints
tell how much hangs on that: random halves of a corpus asked by the other half, and the shares for other values of the
number that decides most, how many of the probes may be answered.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

from abstention import Question, Sets, Tally, open_memory
from bars import Bars
from labelled import Labelled

from errorhub.hub.memory import Query, floor
from errorhub.hub.memory.window import flatten, window_text

OTHER_SHARES = (0.06, 0.09, 0.15, 0.18)
"""Other values of `floor.ANSWERED`."""
HALVES = 5
"""Random halves of each corpus."""

Cases = Sequence[Labelled]


def natural(corpora: Mapping[str, Cases], unlike: Sets, bars: Bars) -> None:
    """Print the answered shares, corpus by corpus and form by form, and hold them to the bars."""
    for name, cases in corpora.items():
        print(f"natural: answered, of {len(cases)} cases of {name}")
        for kind, asked in zip(("related", "unrelated"), _answered(cases, cases, unlike), strict=True):
            for form, found in asked.items():
                print(f"  {kind:<10} {form:<20} {Tally(len(found), sum(found), 0)}")
            most = kind == "unrelated"
            bars.check(f"{name}, {kind} answered", _share(asked), "abstention.real", f"{kind}_answered", most=most)
        for number in range(HALVES):
            chosen = set(random.Random(number).sample(range(len(cases)), len(cases) // 2))
            one, other = ([case for at, case in enumerate(cases) if (at in chosen) is held] for held in (True, False))
            print(f"  a random half, asked by the other: {_told(one, other, unlike)}")
        in_use = floor.ANSWERED
        for share in OTHER_SHARES:
            floor.ANSWERED = share
            print(f"  if {share:.0%} of the probes may be answered: {_told(cases, cases, unlike)}")
        floor.ANSWERED = in_use


def _told(cases: Cases, asking: Cases, unlike: Sets) -> str:
    like, others = _answered(cases, asking, unlike)
    return f"related {_share(like):.1%}, unrelated {_share(others):.1%}"


def _share(asked: Mapping[str, Iterable[bool]]) -> float:
    found = list(chain.from_iterable(asked.values()))
    return sum(found) / len(found)


def _answered(cases: Cases, asking: Cases, unlike: Sets) -> list[dict[str, list[bool]]]:
    """Return by form whether each related and each unrelated query is answered."""
    with tempfile.TemporaryDirectory() as place:
        memory = open_memory([one.bundle for one in cases], Path(place) / "memory")
        return [
            {form: [bool(memory.similar(one.query).hits) for one in ones] for form, ones in asked.items()}
            for asked in (_related(cases, asking), unlike)
        ]


def _related(cases: Cases, asking: Cases) -> Sets:
    asked: dict[str, list[Question]] = {}
    for case in asking:
        if any(other.mode == case.mode and other.group != case.group for other in cases):
            run, found = case.bundle.trajectory, case.bundle.diagnoses[0]
            step = run.steps[found.step]
            forms = {
                "explanation": Query.from_text(found.explanation),
                "raw error step": Query.from_text(flatten(step.output) or flatten(step.input)),
                "error window": Query.from_text(window_text(run, found.step)),
                "log": Query.from_log(run),
            }
            for form, query in forms.items():
                asked.setdefault(form, []).append(Question(replace(query, trajectory_id=run.trajectory_id), case.mode))
    return asked
