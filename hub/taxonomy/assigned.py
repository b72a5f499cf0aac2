"""Which mode each diagnosis stands under: a person's word before a program's, the newest word before older ones."""

from __future__ import annotations

from collections.abc import Iterable

from errorhub.hub.taxonomy.decision import Decision, Ref
from errorhub.hub.taxonomy.modes import Conflict

Said = tuple[Decision, Ref | None]


def settle_assignments(live: Iterable[Decision]) -> tuple[dict[str, tuple[Ref | None, str]], list[Conflict]]:
    """Return diagnosis -> (mode or None, decision), and where two people differ without knowing of each other."""
    said: dict[str, list[Said]] = {}
    for one in live:
        for group in one.assigned:
            for name in group.diagnoses:
                said.setdefault(name, []).append((one, group.mode))
    assigned: dict[str, tuple[Ref | None, str]] = {}
    conflicts: list[Conflict] = []
    for name, words in sorted(said.items()):
        people = [word for word in words if not word[0].method] or words
        known = {before for one, _ in people for before in one.after}
        heads = [word for word in people if word[0].id not in known] or people
        decision, mode = heads[-1]
        assigned[name] = (mode, decision.id)
        if not decision.method and len({str(ref) for _, ref in heads}) > 1:
            conflicts.append(Conflict("assignments", name, tuple(one.id for one, _ in reversed(heads))))
    return assigned, conflicts
