"""A private copy of a document in which texts are listed once and replaced wherever they stand."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from errorhub.scrubber.members import members_of, rename_members, tells_of_another
from errorhub.scrubber.nodes import Embedded, Entry, Node, Place
from errorhub.scrubber.paths import KEY
from errorhub.scrubber.plan import Plan, Spot
from errorhub.scrubber.vault import Vault
from errorhub.scrubber.walk import Walk


class Draft(Walk):
    """Tell where the texts of a document stand, and put others in their places."""

    def __init__(self, document: Any, plan: Plan, vault: Vault, *, every_number: bool = False) -> None:
        super().__init__(document, plan, vault, every_number=every_number)
        self._renamed: dict[str, str] = {}
        self._index: dict[str, list[Node]] = {}
        self._indexed = 0
        self.restructured = False
        """A key or a name beside a value changed, so places may read differently now."""

    @property
    def entries(self) -> list[Entry]:
        """All keys and texts that the document has now."""
        return [*((name, self._plan.keys) for name in self._originals), *self._alive(self._listed)]

    def _alive(self, entries: list[Entry]) -> list[Entry]:
        return list(dict.fromkeys(entry for entry in entries if entry not in self._gone)) if self._gone else entries

    def originals(self, entry: Entry) -> list[str]:
        """Return how the name of members stood in the original; nothing for other texts."""
        return self._originals[entry[0]] if entry[1] is self._plan.keys else []

    def take_fresh(self) -> list[Entry]:
        """Return the entries that are new since the last call, in document order."""
        fresh, self._fresh = self._fresh, []
        return self._alive(fresh)

    def places(self, entries: Collection[Entry]) -> dict[Entry, list[Place]]:
        """Return where each of some entries stands now."""
        found: dict[Entry, list[Place]] = {}
        texts, numbers = {text for text, _ in entries}, {entry[0] for entry in entries if entry in self._numbers}
        nodes = {entry: dict.fromkeys(self._texts[entry[1]].get(entry[0], ())) for entry in entries}
        holders = dict.fromkeys(node for held in nodes.values() for node in held if not node.dead)
        members = {node: members_of(node.container, texts, numbers) for node in holders}
        for entry in entries:
            text, mode = entry
            places = [
                Place(node, segment, self._spot(node, segment))
                for node in nodes[entry]
                for segment in members.get(node, {}).get(text, ())
            ]
            found[entry] = [place for place in places if place.spot.mode.settings == mode.settings]
            found[entry] += [Place(node, KEY, node.spot) for node in self._holders(entry) if not node.dead]
        return found

    def replace(self, entry: Entry, text: str, places: list[Place]) -> None:
        """Put another text in the places of an entry."""
        old, mode = entry
        self._gone.add(entry)
        if mode is self._plan.keys:
            self._rename(old, text, places)
            return
        self._texts[mode].pop(old, None)
        for node, segment, spot in places:
            if not node.dead:
                node.container[segment] = self._string(text, node, segment, spot, node.depth)
                node.mark_dirty()
                self._spots[node, segment] = spot
                self.restructured |= tells_of_another(old, node.container, segment)

    def as_text(self, embedded: Embedded) -> None:
        """Treat a string that holds JSON as plain text from now on."""
        text, spot = embedded.current(), embedded.spot
        embedded.dead = True
        embedded.parent.container[embedded.segment] = self._register(text, embedded.parent, spot.mode)
        self._spots[embedded.parent, embedded.segment] = spot

    def _spot(self, node: Node, segment: str | int) -> Spot:
        """Return what the plan says of a place, as it was when the place was read."""
        return self._spots.get((node, segment)) or (node.spot if node.holds else node.spot.step(segment))

    def finish(self) -> Any:
        """Return the document as it is now; the draft is used up."""
        if self._renamed:
            for node in self._nodes:
                if type(node.container) is dict:
                    rename_members(node.container, self._renamed)
        self.write_strings()
        return self._root.container[0]

    def write_strings(self) -> None:
        """Write the strings that hold changed JSON anew, inner ones first."""
        for embedded in reversed(self.embedded):
            if embedded.dirty and not embedded.dead:
                embedded.parent.container[embedded.segment] = embedded.current()

    def _holders(self, entry: Entry) -> list[Node]:
        """Return the objects that have a member of this name; the index is built when the first one is asked for."""
        originals = self.originals(entry)
        for node in self._nodes[self._indexed :] if originals else ():
            for key in node.container if type(node.container) is dict else ():
                self._index.setdefault(key, []).append(node)
            self._indexed += 1
        return [node for key in originals for node in self._index.get(key, ())]

    def _rename(self, name: str, text: str, places: list[Place]) -> None:
        self.restructured = True
        originals = self._originals.pop(name)
        self._originals.setdefault(text, []).extend(originals)
        self._renamed |= dict.fromkeys(originals, text)
        for place in places:
            place.node.mark_dirty()
        self._gone.discard((text, self._plan.keys))
        self._fresh.append((text, self._plan.keys))
