"""A decision: what a maintainer answered, as a write-once record named by the digest of its content.

| action | carries |
|---|---|
| accept | the proposal, the mode it becomes |
| reject | the proposals |
| merge | proposals and accepted modes, and the mode they go into: a new or a known one |
| split | a proposal or an accepted mode, and two or more modes with members of their own |
| rename | an accepted mode and its new name, family or description; the id stays |
| undo | the decision that no longer holds, which may itself be an undo |
| assign | diagnoses and the mode they fall under, or none |

`after` names the decisions that this one knowingly replaces: without it, two that contradict are a conflict.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from errorhub.hub.bundle.canonical import canonical, digest
from errorhub.hub.errors import RecordError, SchemaFromFuture
from errorhub.hub.log import Sha, Time

SCHEME = "errorhub"
"""Scheme of accepted modes."""

MAX_MEMBERS = 200_000
"""Most diagnoses that one decision may name."""

Action = Literal["accept", "reject", "merge", "split", "rename", "undo", "assign"]


def settled(text: object) -> object:
    """Return text on one line, without control characters; what is no text passes through."""
    if not isinstance(text, str):
        return text
    plain = "".join(c if c.isprintable() else " " for c in unicodedata.normalize("NFC", text))
    return " ".join(plain.split())


Line = Annotated[str, BeforeValidator(settled), StringConstraints(min_length=1, max_length=80, strict=True)]
"""A name: one line."""
Prose = Annotated[str, BeforeValidator(settled), StringConstraints(max_length=2000, strict=True)]
"""A note or a description."""
Id = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,31}\.[a-z0-9_]{1,64}\z", strict=True)]
"""`family.mode`."""
Family = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,31}\z", strict=True)]
"""First half of an id."""
ProposalId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,127}\z", strict=True)]
"""As the induction names a proposal."""


class Part(BaseModel):
    """A value inside a decision."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Ref(Part):
    """A mode of one version of one scheme; never merged with another by its id alone."""

    scheme: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._-]{1,64}\z", strict=True)]
    """agentdebugx for the seed, errorhub for accepted modes."""
    version: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._-]{1,64}\z", strict=True)]
    """The scheme's version; for accepted modes the fingerprint of what they were made of."""
    id: Id
    """`family.mode`."""

    def __str__(self) -> str:
        return f"{self.id}@{self.version}"


class Answered(Part):
    """A proposal as it was when it was answered."""

    proposal: ProposalId
    """Its id."""
    members: Annotated[tuple[Sha, ...], Field(min_length=1, max_length=MAX_MEMBERS)]
    """Diagnosis ids, sorted."""


class Defined(Part):
    """A mode as a maintainer words it."""

    id: Id
    """`family.mode`; stays when the mode is renamed."""
    name: Line
    """In words."""
    family: Family
    """One of the seed's families, or a new one."""
    description: Prose = ""
    """When it applies."""
    members: Annotated[tuple[Sha, ...], Field(max_length=MAX_MEMBERS)] = ()
    """Diagnoses of one part of a split."""


class Assigned(Part):
    """Diagnoses that fall under a mode."""

    mode: Ref | None
    """None: under no known one."""
    diagnoses: Annotated[tuple[Sha, ...], Field(min_length=1, max_length=MAX_MEMBERS)]
    """Their ids, sorted."""


class Decision(Part):
    """One answer of one maintainer."""

    format: Literal["errorhub.decision/1"] = "errorhub.decision/1"
    """Version of the record."""
    action: Action
    """What was decided."""
    at: Time
    """UTC, microseconds."""
    by: Annotated[str, BeforeValidator(settled), StringConstraints(min_length=1, max_length=64, strict=True)]
    """Who: a name or pseudonym, scrubbed."""
    note: Prose = ""
    """Why, scrubbed."""
    answers: Annotated[tuple[Answered, ...], Field(max_length=1000)] = ()
    """Proposals that are answered."""
    sources: Annotated[tuple[Ref, ...], Field(max_length=1000)] = ()
    """Accepted modes that are merged, split or renamed."""
    defines: Annotated[tuple[Defined, ...], Field(max_length=100)] = ()
    """Modes that come to be; for rename the new words."""
    into: Ref | None = None
    """The known mode that a merge goes into."""
    target: Sha | None = None
    """The decision that is undone."""
    assigned: Annotated[tuple[Assigned, ...], Field(max_length=10_000)] = ()
    """Diagnoses and their modes."""
    method: Annotated[str, StringConstraints(max_length=200)] = ""
    """How a program arrived at an assignment; empty when a person did."""
    after: Annotated[tuple[Sha, ...], Field(max_length=1000)] = ()
    """Decisions that this one knowingly replaces."""

    @cached_property
    def id(self) -> str:
        """Digest of the whole record."""
        return digest(self.document())

    @cached_property
    def members(self) -> frozenset[str]:
        """Diagnoses of all answered proposals."""
        return frozenset(name for one in self.answers for name in one.members)

    def document(self) -> dict[str, object]:
        """Return the record as stored: members that say nothing are left out."""
        return self.model_dump(mode="json", exclude_defaults=True) | {"format": self.format}

    @property
    def data(self) -> bytes:
        """Its canonical bytes."""
        return canonical(self.document())

    def ref(self, defined: Defined) -> Ref:
        """Return the mode that a definition of this decision makes."""
        members = sorted(defined.members or self.members or {str(one) for one in self.sources})
        return Ref(scheme=SCHEME, version=digest([defined.id, members])[:12], id=defined.id)

    @model_validator(mode="after")
    def _carries_what_its_action_needs(self) -> Decision:
        if not _SHAPES[self.action](self):
            raise ValueError(f"a decision to {self.action} does not carry what it needs, or carries more")
        for ids in (*(one.members for one in self.answers), *(one.members for one in self.defines)):
            if list(ids) != sorted(set(ids)):
                raise ValueError("members are not sorted, or repeat")
        return self


def _counts(one: Decision) -> tuple[int, int, int, int, bool, bool]:
    into, target = one.into is not None, one.target is not None
    return len(one.answers), len(one.sources), len(one.defines), len(one.assigned), into, target


def _is_split(one: Decision) -> bool:
    answers, sources, defines, assigned, into, target = _counts(one)
    parts = [set(part.members) for part in one.defines]
    apart = sum(map(len, parts)) == len(frozenset[str]().union(*parts)) and all(parts)
    inside = not one.answers or all(part <= one.members for part in parts)
    return answers + sources == 1 and defines >= 2 and apart and inside and not (assigned or into or target)


_SHAPES: dict[Action, Callable[[Decision], object]] = {
    "accept": lambda one: _counts(one) == (1, 0, 1, 0, False, False) and not one.defines[0].members,
    "reject": lambda one: one.answers and _counts(one)[1:] == (0, 0, 0, False, False),
    "merge": lambda one: (
        len(one.answers) + len(one.sources) >= 1
        and (len(one.defines), one.into is not None) in ((1, False), (0, True))
        and not any(part.members for part in one.defines)
        and not (one.assigned or one.target)
    ),
    "split": _is_split,
    "rename": lambda one: _counts(one) == (0, 1, 1, 0, False, False) and one.defines[0].id == one.sources[0].id,
    "undo": lambda one: _counts(one) == (0, 0, 0, 0, False, True),
    "assign": lambda one: one.assigned and (_counts(one)[:3], *_counts(one)[4:]) == ((0, 0, 0), False, False),
}


def parse_decision(document: object) -> Decision:
    """Read a decision. Raise RecordError when it is none, SchemaFromFuture when it is of a newer version."""
    text = str(document.get("format", "")) if isinstance(document, dict) else ""
    refuse_newer("errorhub.decision", text)
    try:
        return Decision.model_validate(document)
    except ValidationError as problem:
        first = problem.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"][:6])
        raise RecordError(f"not a decision: {place or 'as a whole'}: {first['msg'].rstrip('.')}.") from None


def read_decision(data: bytes) -> Decision:
    """Read the bytes of a decision."""
    try:
        return parse_decision(json.loads(data))
    except (ValueError, RecursionError):
        raise RecordError("not a decision: not JSON.") from None


def refuse_newer(name: str, text: str, known: int = 1) -> None:
    """Raise SchemaFromFuture for `NAME/N` with N above what is known."""
    prefix, _, number = text.rpartition("/")
    if prefix == name and number.isdecimal() and int(number[:9]) > known:
        raise SchemaFromFuture(f"{name} of version {number[:9]}: this errorhub reads up to {known}. Upgrade errorhub.")


def mode_id(family: str, name: str) -> str:
    """Return `family.slug` of a name; a name without Latin letters gets a slug from its digest."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    words = re.findall(r"[a-z0-9]+", plain.removeprefix(f"{family}."))
    return f"{family}.{'_'.join(words)[:64].strip('_') or 'mode_' + digest(name)[:8]}"


def sorted_ids(names: Iterable[str]) -> tuple[str, ...]:
    """Return ids as records hold them."""
    return tuple(sorted(set(names)))
