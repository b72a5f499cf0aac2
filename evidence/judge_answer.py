"""Read a judge's answer: hypotheses that can be kept as diagnoses, and refusals with a rule for what cannot.

| rule            | what is refused                                                                  |
|-----------------|----------------------------------------------------------------------------------|
| refusal         | the model declines to answer                                                     |
| empty, cut_off  | there is no answer, or it ended before it was complete                           |
| no_json         | no JSON object in the answer                                                     |
| other_run       | the answer says that it is about another run                                     |
| no_hypotheses   | no list of hypotheses                                                            |
| none_found      | the list is empty: the judge finds no error                                      |
| no_quote        | a hypothesis that blames without quoting                                         |
| quote_malformed | a quote without step or words                                                    |
| no_step         | a hypothesis without the number of a step                                        |
| no_agent        | a hypothesis that blames nobody                                                  |
| no_explanation  | a hypothesis that does not say why                                               |
| step_out_of_range, quote_step_out_of_range | a number that no record can hold; others are kept, and rejected |
| not_a_record    | values that no record can hold, such as infinite numbers                         |
"""

from __future__ import annotations

import re
from typing import Any, Final

from pydantic import ValidationError

from errorhub.evidence.diagnose_proposals import Refusal
from errorhub.evidence.replies import Reply, first_answer
from errorhub.hub.bundle import Citation, Correction, Diagnosis
from errorhub.hub.taxonomy import Taxonomy

HIGHEST: Final = 2**31 - 1
"""Highest step number that a shard can hold."""
READ: Final = 5
"""Hypotheses of one answer that are read; a judge is asked for fewer."""

_DECLINES: Final = re.compile(
    r"\b(?:i['’]?m sorry|i (?:can(?:not|['’]t)|won['’]t|am (?:unable|not able)|must decline)|as an ai)\b", re.IGNORECASE
)
_OF_ANOTHER_RUN: Final = "it names another run"


class Unusable(Exception):
    """A hypothesis, or a whole answer, that cannot be kept."""

    def __init__(self, rule: str, detail: str) -> None:
        super().__init__(rule)
        self.refusal = Refusal(rule, detail)


def read_answer(reply: Reply, run_id: str, taxonomy: Taxonomy, author: str) -> list[Diagnosis | Refusal]:
    """Return what each hypothesis of an answer comes to, in the answer's order; at least one entry."""
    try:
        listed = _hypotheses(reply, run_id)
    except Unusable as problem:
        return [problem.refusal]
    return [_one(rank, item, taxonomy, author) for rank, item in enumerate(listed[:READ], 1)]


def _hypotheses(reply: Reply, run_id: str) -> list[Any]:
    answer = first_answer(reply.text)
    if answer is None or reply.refusal:
        raise _no_answer(reply)
    named = answer.get("run")
    if named is not None and str(named).strip() != run_id:
        raise Unusable("other_run", _OF_ANOTHER_RUN)
    listed = answer.get("hypotheses")
    if not isinstance(listed, list):
        raise Unusable("no_hypotheses", "it has no list of hypotheses")
    if not listed:
        raise Unusable("none_found", "it finds no error")
    return listed


def _no_answer(reply: Reply) -> Unusable:
    if reply.refusal or _DECLINES.search(reply.text[:300]):
        return Unusable("refusal", "the model declines")
    if not reply.text.strip():
        return Unusable("empty", "the answer is empty")
    if reply.finish == "length":
        return Unusable("cut_off", "the answer is too long and was cut")
    return Unusable("no_json", "there is no JSON object in it")


def _one(rank: int, item: Any, taxonomy: Taxonomy, author: str) -> Diagnosis | Refusal:
    """Return a hypothesis as a diagnosis, or the rule that it breaks first."""
    place = f"hypothesis {rank}"
    try:
        if not isinstance(item, dict):
            raise Unusable("no_hypotheses", f"{place} is no object")
        quotes = _quotes(item.get("quotes"), place)
        known = _mode(item.get("mode"), taxonomy)
        return Diagnosis(
            evidence=quotes,
            step=_step(item.get("step"), "no_step", "step_out_of_range", place),
            agent=_words(item.get("agent"), "no_agent", place),
            explanation=_words(item.get("explanation"), "no_explanation", place),
            correction=_correction(item.get("correction")),
            mode=known[0],
            novel_mode=known[1],
            confidence=_confidence(item.get("confidence")),
            author=author,
            metadata={"judge": {"rank": rank}},
        )
    except Unusable as problem:
        return problem.refusal
    except ValidationError:
        return Refusal("not_a_record", f"{place} holds values that no record can")


def _quotes(value: Any, place: str) -> tuple[Citation, ...]:
    if not isinstance(value, list) or not value:
        raise Unusable("no_quote", f"{place} quotes nothing")
    found = []
    for one in value:
        if not isinstance(one, dict) or not isinstance(one.get("quote"), str) or not one["quote"].strip():
            raise Unusable("quote_malformed", f"{place} has a quote without words")
        step = _step(one.get("step"), "quote_malformed", "quote_step_out_of_range", place)
        found.append(Citation(step=step, quote=one["quote"].strip()))
    return tuple(dict.fromkeys(found))


def _step(value: Any, missing: str, outside: str, place: str) -> int:
    """Return the number of a step: a whole number, or the digits of one in brackets or not."""
    if isinstance(value, str) and (digits := re.fullmatch(r"\[?(-?\d{1,20})\]?", value.strip())):
        value = int(digits[1])
    if isinstance(value, bool) or not isinstance(value, int):
        raise Unusable(missing, f"{place} does not say which step")
    if not 0 <= value <= HIGHEST:
        raise Unusable(outside, f"{place} names a step that no run has")
    return value


def _words(value: Any, rule: str, place: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise Unusable(rule, f"{place} does not say it")
    return value.strip()


def _correction(value: Any) -> Correction | None:
    if isinstance(value, str):
        return Correction(text=value.strip()) if value.strip() else None
    return None if value is None else Correction(action=value)


def _mode(value: Any, taxonomy: Taxonomy) -> tuple[Any, str | None]:
    """Return (known mode, name of a novel one)."""
    name = value.strip() if isinstance(value, str) else ""
    if not name or name.casefold() in ("null", "none", "other", "unknown"):
        return None, None
    known = taxonomy.find(name)
    return (known.mode, None) if known else (None, name[:100])


def _confidence(value: Any) -> float | None:
    fits = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
    return float(value) if fits else None
