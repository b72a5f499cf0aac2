"""What a policy says about each place of a document, remembered from one document to the next."""

from __future__ import annotations

import re
from functools import lru_cache

from errorhub.scrubber.caseless import Caseless
from errorhub.scrubber.paths import Machine, Place
from errorhub.scrubber.policy import Policy
from errorhub.scrubber.spans import PLACEHOLDER

ROLES = ("drop", "omit", "opaque", "ids", "prose", "whole")
REMEMBERED = 4096
"""Keys remembered at one place; documents whose keys are data do not fill the memory."""

_TELLING = Caseless(
    r"pass|pwd|secret|token|key|auth|cred|cookie|session|bearer|signature|salt|dsn|conn|name|street|address|city|zip|post"
    r"|dob|birth|ssn|social|licen|national|tax|cvv|cvc|phone|mobile|tel|fax|mail|iban|card|account|acct|routing|host|mac|user|login|owner|author"
    r"|customer|client|patient|person|contact|pin|sid|csrf|otp|webhook|url|uri|line_?\d|born|cell|whatsapp|msisdn"
    r"|medical|mrn|nhs|holder|travel|payee|beneficiary|signatory|tenant|claimant|employee|attendee|mnemonic|wallet"
    r"|psk|pw$|pswd|wort|contrase|senha|wachtw|parola|heslo|hasło|lösen|adgangs|salasana|пароль|geburt|naiss|nacim|nasci"
)
"""Key names that say what their value is. Generous: the detector decides, this only spares it the other keys."""

_PERSONS = re.compile(r"(?i)(?:national|tax(?:payer)?|passport|licen[sc]e|voter|insurance|social|private_?key)_?id$")
"""Identifiers that the owner of a document has, or a part of a credential."""

_COUNTS = re.compile(r"tokens?$|tokens?_?(?:count|usage|used|limit|total|details)|tokens_|key_?count", re.IGNORECASE)
"""Telling names whose small numbers are counts all the same."""

_LONGEST_KEY = 80


class Mode:
    """How a text is read; there is one object for each combination, compared by identity."""

    __slots__ = ("context", "generic", "prose", "small", "whole")

    def __init__(self, generic: bool, prose: bool, whole: bool, context: str) -> None:
        self.generic = generic
        """Entropy, assignment and number rules are on."""
        self.prose = prose
        """Names are looked for."""
        self.whole = whole
        """A repeat of something dropped takes the whole text."""
        self.context = context
        """The key that says what the text is, or nothing."""
        self.small = bool(context) and not _COUNTS.search(context)
        """Even a small number can be a value here, such as a PIN."""

    @property
    def settings(self) -> tuple[bool, bool, bool, str]:
        """What tells this mode from others, also when the plan has forgotten it."""
        return self.generic, self.prose, self.whole, self.context


class Spot:
    """One place, seen from one context: what is done with a value that stands here, and where its children stand."""

    __slots__ = ("_place", "_plan", "drop", "echoes", "mode", "opaque", "plain", "steps")

    def __init__(self, plan: Plan, place: Place, context: str) -> None:
        labels = place.labels
        self._plan = plan
        self._place = place
        self.drop = labels.drop
        self.echoes = labels.echoes
        self.opaque = labels.opaque
        self.plain = labels.drop is None and not labels.opaque
        ids = labels.ids and not _PERSONS.search(context)
        self.mode = plan.mode(not ids, labels.prose, labels.whole, "" if ids else context)
        self.steps: dict[str | int, Spot] = {}

    def step(self, segment: str | int) -> Spot:
        """Return the spot of a child; items of a list keep the context of the list."""
        if isinstance(segment, int) and segment not in self._plan.indices:
            segment = -1
        spot = self.steps.get(segment)
        if spot is None:
            context = self.mode.context if isinstance(segment, int) else self._plan.context(segment)
            if len(self.steps) >= REMEMBERED:
                self.steps.clear()
            spot = self.steps[segment] = self._plan.spot(self._place.child(segment), context)
        return spot

    def named(self, name: str) -> Spot:
        """Return this spot in the context of a name that stands beside the value instead of before it."""
        return self._plan.spot(self._place, self._plan.context(name))


class Plan:
    """All spots of a policy, built as documents reach them."""

    def __init__(self, roles: dict[str, tuple[str, ...]]) -> None:
        self._modes: dict[tuple[bool, bool, bool, str], Mode] = {}
        self._spots: dict[tuple[Place, str], Spot] = {}
        self.keys = Mode(True, False, False, "")
        """How names of members are read; no other text is read in this mode."""
        machine = Machine(roles)
        self.indices = machine.indices
        """List positions that a pattern names; all others are alike."""
        self.root = self.spot(machine.root, "")

    def mode(self, generic: bool, prose: bool, whole: bool, context: str) -> Mode:
        """Return the one mode of these settings."""
        settings = (generic, prose, whole, context)
        mode = self._modes.get(settings)
        if mode is None:
            if len(self._modes) >= 8 * REMEMBERED:
                self._modes.clear()
            mode = self._modes[settings] = Mode(*settings)
        return mode

    def spot(self, place: Place, context: str) -> Spot:
        """Return the one spot of a place and a context."""
        spot = self._spots.get((place, context))
        if spot is None:
            if len(self._spots) >= 8 * REMEMBERED:
                self._spots.clear()
            spot = self._spots[place, context] = Spot(self, place, context)
        return spot

    def context(self, key: str) -> str:
        """Return the key when its name can say what its value is; placeholders in it say nothing."""
        return _telling(key) if len(key) <= _LONGEST_KEY else ""


@lru_cache(maxsize=REMEMBERED)
def _telling(key: str) -> str:
    bare = PLACEHOLDER.sub("", key) if "<" in key else key
    return key if _TELLING.search(bare) else ""


@lru_cache(maxsize=8)
def plan_for(policy: Policy) -> Plan:
    """Return the plan of a policy."""
    return Plan({role: getattr(policy, role) for role in ROLES})


@lru_cache(maxsize=1)
def plain_plan() -> Plan:
    """Return the plan that drops nothing and knows no special place."""
    return Plan({})
