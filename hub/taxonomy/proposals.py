"""The proposals of the last induction, as they lie in the workspace."""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError

from errorhub.hub.errors import NotFound, RecordError
from errorhub.hub.log import Sha
from errorhub.hub.taxonomy.decision import ProposalId, refuse_newer, settled
from errorhub.hub.workspace import MIN_PREFIX, Workspace

FORMAT = "errorhub.proposals/1"
FILE = "proposals.json"

Words = Annotated[str, BeforeValidator(settled)]


class Proposal(BaseModel):
    """A cluster of failures that may become a mode. What else the induction writes is kept, not read."""

    model_config = ConfigDict(frozen=True, extra="allow")

    id: ProposalId
    """Digest of its members."""
    members: tuple[Sha, ...] = Field(min_length=1)
    """Diagnosis ids."""
    name: Words = ""
    """Suggested."""
    family: Words = ""
    """Suggested."""
    named_by: str = "terms"
    """label, terms, or the model that named it."""
    description: Words = ""
    """A model's sentence, or the words of a case."""
    terms: tuple[Words, ...] = ()
    """What sets it apart, most telling first."""
    support: int = 0
    """Distinct trajectories."""
    nearest: Any = None
    """The known mode that is most like it."""
    similarity: float | None = None
    """How much, 0 to 1."""
    stability: float | None = None
    """How often it is found again in part of the data, 0 to 1."""
    status: str = "proposed"
    """proposed, unstable, duplicate or decided."""
    examples: tuple[Any, ...] = ()
    """The most typical member first."""
    xy: tuple[float, float] | None = None
    """Its place on a map."""

    @property
    def title(self) -> str:
        """Its name, else its terms, else its id."""
        return self.name or ", ".join(self.terms[:3]) or self.id[:12]

    @property
    def worded(self) -> bool:
        """Whether a model described it in a sentence."""
        return bool(self.description) and self.named_by not in ("label", "terms")

    @property
    def summary(self) -> str:
        """What may stand in a taxonomy: a model's sentence, else its terms. A case's own words stay with the case."""
        if self.worded:
            return self.description
        return f"Words that set it apart: {', '.join(self.terms[:8])}." if self.terms else ""


_LIST: TypeAdapter[list[Proposal]] = TypeAdapter(list[Proposal])


def load_proposals(workspace: Workspace) -> list[Proposal]:
    """Return the proposals of the last induction, none when there was none. Raise RecordError for a damaged file."""
    path = workspace.folder / FILE
    try:
        document: Any = json.loads(path.read_bytes())
    except FileNotFoundError:
        return []
    except (ValueError, RecursionError):
        raise _damaged("not JSON") from None
    text = str(document.get("format", "")) if isinstance(document, dict) else ""
    refuse_newer("errorhub.proposals", text)
    if text != FORMAT:
        raise _damaged("another format")
    try:
        return _LIST.validate_python(document.get("proposals"))
    except ValidationError as problem:
        raise _damaged(problem.errors(include_input=False, include_url=False)[0]["msg"]) from None


def pick(proposals: list[Proposal], prefix: str) -> Proposal | None:
    """Return the proposal whose id begins so, None when there is none. Raise NotFound for several."""
    found = [one for one in proposals if one.id.startswith(prefix)] if len(prefix) >= MIN_PREFIX else []
    exact = [one for one in found if one.id == prefix]
    if len(found) > 1 and not exact:
        raise NotFound(f"{len(found)} proposals have the id {prefix}. Type more of it.")
    return next(iter(exact or found), None)


def _damaged(why: str) -> RecordError:
    return RecordError(f"{FILE} of the workspace cannot be read: {why}.", hint="errorhub induce")
