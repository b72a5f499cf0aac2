"""How often real diagnoses, error steps and logs are answered, where other cases fail in the same way.

Nothing here is invented, and all of it was in view while the floor was set, so there are no bars. Each labelled run
asks the others in four forms, its own left out; related is what shares its AgentRx category with a case of another run.
Who&When has no categories here: 130 runs of a few systems, asked against the rest. Beside them: the unrelated texts.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from abstention import Question, Sets, Tally, open_memory
from labelled import Labelled

from errorhub.hub.memory import Query
from errorhub.hub.memory.window import flatten, window_text


def natural(sets: Mapping[str, Sequence[Labelled]], unlike: Sets) -> None:
    """Print the answered shares, corpus by corpus and form by form."""
    for name, cases in sets.items():
        print(f"natural: answered, of {len(cases)} cases of {name}")
        with tempfile.TemporaryDirectory() as place:
            memory = open_memory([one.bundle for one in cases], Path(place) / "memory")
            for kind, asked in (("related", _own(cases)), ("unrelated", unlike)):
                found = {form: [bool(memory.similar(one.query).hits) for one in ones] for form, ones in asked.items()}
                for form, answered in [*found.items(), ("all", [one for ones in found.values() for one in ones])]:
                    print(f"  {kind:<10} {form:<20} {Tally(len(answered), sum(answered), 0)}")


def _own(cases: Sequence[Labelled]) -> Sets:
    asked: dict[str, list[Question]] = {}
    for case in cases:
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
