"""What a student is asked to say: one line of JSON, written exactly one way and read back exactly or not at all.

| view                  | keys, in this order                              |
|-----------------------|--------------------------------------------------|
| `diagnosis_full`      | step, agent, explanation, evidence, correction   |
| `diagnosis_rationale` | step, agent, explanation                         |
| `diagnosis_compact`   | step, agent                                      |

`step` and `evidence` are numbers of steps as the prompt shows them, `[i]`, from 0.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Final

from pydantic import Field, StrictInt, StrictStr, ValidationError

from errorhub.hub.bundle.trajectory import Record
from errorhub.hub.errors import RecordError

KEYS: Final = {
    "diagnosis_full": ("step", "agent", "explanation", "evidence", "correction"),
    "diagnosis_rationale": ("step", "agent", "explanation"),
    "diagnosis_compact": ("step", "agent"),
}
"""View -> keys of its target."""


class Target(Record):
    """One diagnosis in the words of a target. Parts a view does not ask for are None."""

    step: Annotated[StrictInt, Field(ge=0)]
    """The decisive error."""
    agent: StrictStr
    """Who is responsible."""
    explanation: StrictStr | None = None
    """Why."""
    evidence: tuple[Annotated[StrictInt, Field(ge=0)], ...] | None = None
    """Steps that show it."""
    correction: StrictStr | None = None
    """What should have been done."""


def render_target(target: Target, view: str) -> str:
    """Return the one line a view asks for."""
    return json.dumps({key: _plain(getattr(target, key)) for key in KEYS[view]}, ensure_ascii=False)


def parse_target(text: str, view: str) -> Target:
    """Read a line that `render_target` wrote. Raise RecordError for any other text, spaces included."""
    try:
        target = Target.model_validate(json.loads(text))
    except (ValueError, ValidationError, RecursionError):
        raise RecordError(f"not a target of {view}: {text[:60]!r}.") from None
    if render_target(target, view) != text:
        raise RecordError(f"not a target of {view} as it is written: {text[:60]!r}.")
    return target


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
