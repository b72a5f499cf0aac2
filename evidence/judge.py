"""The judge: a model that must quote before it blames, and sees what a student sees unless the conditions say more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from errorhub.evidence.chat import Chat, Message, Usage
from errorhub.evidence.diagnose_proposals import Proposals, Refusal, Seen, distinct
from errorhub.evidence.judge_answer import read_answer
from errorhub.evidence.judge_prompt import PROMPT, again, messages, run_id
from errorhub.hub.bundle import Diagnosis
from errorhub.hub.bundle.canonical import digest
from errorhub.hub.bundle.grounding import ground
from errorhub.hub.taxonomy import Taxonomy

_FINAL: Final = frozenset({"refusal", "none_found"})
"""Answers that asking again does not mend."""


@dataclass(frozen=True)
class Judge:
    """Asks a model once, and at most once more when the answer cannot be used."""

    chat: Chat
    taxonomy: Taxonomy
    """Modes the judge may name."""
    most_characters: int = 120_000
    """Of a run that are shown; the middles of its longest steps go first."""

    @property
    def author(self) -> str:
        """Who the diagnoses are by."""
        return f"judge:{self.chat.endpoint.model}"

    @property
    def settings(self) -> dict[str, Any]:
        """What an answer depends on, beside the run."""
        modes = digest([str(one.ref) for one in self.taxonomy.modes])[:12]
        return self.chat.endpoint.settings | {"prompt": PROMPT, "shown": self.most_characters, "modes": modes}

    async def propose(self, seen: Seen) -> Proposals:
        """Return the judge's hypotheses, those of a first answer that had to be mended included."""
        prompt = messages(seen, self.taxonomy, self.most_characters)
        if prompt is None:
            return Proposals(refused=(Refusal("over_budget", "the run has too many steps to be shown"),))
        asked, cut = prompt
        first, faults, usage, text = await self._ask(asked, seen, 1, cut)
        if not _to_mend(first, faults):
            return _proposals(first, usage)
        second, _, more, _ = await self._ask(again(asked, text, faults), seen, 2, cut)
        kept = [one for one in first if isinstance(one, Diagnosis)]
        return _proposals([*second, *kept], usage + more)

    async def _ask(
        self, asked: list[Message], seen: Seen, turn: int, cut: int
    ) -> tuple[list[Diagnosis | Refusal], tuple[Refusal, ...], Usage, str]:
        """Return what an answer comes to, what is wrong with it, what it cost and its text."""
        reply = await self.chat.ask(asked)
        found = read_answer(reply, run_id(seen), self.taxonomy, self.author)
        found = [_marked(one, turn, cut) for one in found]
        return found, tuple(_faults(found, seen)), Usage.of(reply), reply.text


def _marked(found: Diagnosis | Refusal, turn: int, cut: int) -> Diagnosis | Refusal:
    if isinstance(found, Refusal):
        return found
    metadata = {"judge": {**found.metadata["judge"], "answer": turn}}
    return found.replace(metadata=metadata, conditions={"steps_cut": cut} if cut else {})


def _faults(found: list[Diagnosis | Refusal], seen: Seen) -> list[Refusal]:
    """Return, for each hypothesis that does not hold, the rule and where."""
    faults = []
    for rank, one in enumerate(found, 1):
        if isinstance(one, Refusal):
            faults.append(one)
        elif (verdict := ground(seen.run, one)).grade == "rejected":
            faults.append(Refusal(verdict.rule, f"hypothesis {rank}, {verdict.detail}"))
    return faults


def _to_mend(found: list[Diagnosis | Refusal], faults: tuple[Refusal, ...]) -> bool:
    """An answer is mended when its first hypothesis does not hold, unless the model has made itself clear."""
    if not faults or (len(found) == 1 and faults[0].rule in _FINAL):
        return False
    return isinstance(found[0], Refusal) or faults[0].detail.startswith("hypothesis 1,")


def _proposals(found: list[Diagnosis | Refusal], usage: Usage) -> Proposals:
    return Proposals(
        diagnoses=distinct([one for one in found if isinstance(one, Diagnosis)]),
        refused=tuple(one for one in found if isinstance(one, Refusal)),
        usage=usage,
    )
