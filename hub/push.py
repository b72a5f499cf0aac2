"""Push: rows of views, or a student, to a repository of their own. One commit, every file with its SHA-256.

The gate is that of publishing: the rows come from scrubbed bundles under a licence that a person accepted, or that a
hub published; every text is read again for credentials. A student is held to the bundles it was trained on.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from errorhub.cards import ViewFacts, views_readme
from errorhub.hub.bundle.canonical import canonical
from errorhub.hub.errors import Blocked, NotFound, UsageError
from errorhub.hub.outbox import Spool
from errorhub.hub.parcel import PUSHED, Parcel
from errorhub.hub.stores import Store, Tree, open_store
from errorhub.hub.workspace import VERSION
from errorhub.scrubber import Policy, Vault, find, reread

FORMAT = "errorhub.push/1"


@dataclass(frozen=True)
class Pushed:
    """What a push did."""

    kind: str
    files: int
    changed: int
    """0 when all of it was there already: then nothing was committed."""
    removed: int
    left_out: tuple[str, ...]
    revision: str | None
    url: str
    load: str
    licenses: tuple[str, ...]


def open_place(parcel: Parcel, spec: str, *, create: bool = False, cache: Path | None = None) -> Store:
    """Open where a parcel goes: on the Hugging Face Hub a dataset for rows, a model for a student."""
    if parcel.kind == "student" and spec.startswith("hf:"):
        from errorhub.hub.stores.huggingface import ModelStore

        return ModelStore(spec.removeprefix("hf:"), create=create, cache=cache, revision=None)
    return open_store(spec, create=create, cache=cache)


def inspect(
    parcel: Parcel, policy: Policy, vault: Vault, *, may_leave: Callable[[str], bool] = lambda _: True
) -> tuple[str, ...]:
    """Return the licences of what a parcel was made of. Raise Blocked for the first thing that must not leave."""
    bundles, licenses = _origins(parcel)
    if waiting := sorted(name for name in bundles if not may_leave(name)):
        raise Blocked(
            f"{len(waiting)} of {len(bundles)} bundles behind it were neither accepted nor published, "
            f"for example {waiting[0][:12]}.",
            hint="errorhub review list",
        )
    secrets = Policy.load("internal")
    for name, document in parcel.texts():
        if kinds := {one.kind for one in (*reread(document, policy, vault), *find(document, secrets, vault))}:
            raise Blocked(f"leak in {name}: {', '.join(sorted(kinds))}. Nothing was sent.")
    return tuple(sorted(licenses))


def push(
    parcel: Parcel, store: Store, licenses: Iterable[str], *, message: str = "", author: str = "errorhub"
) -> Pushed:
    """Bring a place to what the folder holds, in one commit, and say under which revision it can be pinned.

    Files that an earlier push left and the folder no longer has are removed; files of others stay. Raise UsageError
    when a hub lives there.
    """
    licenses = tuple(licenses)
    files = parcel.digests()
    card = {} if parcel.kind == "student" else {"README.md": _card(parcel, store, licenses).encode()}
    tree = _tree(store)
    if tree and "hub.json" in tree.paths("hub.json"):
        raise UsageError(f"a hub lives at {store.spec}. Push rows and students to a repository of their own.")
    before = _before(tree)
    told = _listing(parcel, files, licenses)
    changed = [name for name, digest in files.items() if before.get(name) != digest]
    held = {**card, PUSHED: told}
    fresh = {name: data for name, data in held.items() if tree is None or not _holds(tree, name, data)}
    gone = sorted(set(before) - set(files) - set(held))
    revision = tree.revision if tree else None
    if changed or fresh or gone:
        first = store.extras if tree is None or tree.revision is None else {}
        add = Spool({**first, **fresh}, {name: parcel.folder / name for name in changed})
        title = message or f"Push {parcel.kind}: {len(files)} files"
        revision = store.commit(add, gone, title, revision, author=author)
    return Pushed(
        parcel.kind, len(files) + len(held), len(changed) + len(fresh), len(gone), parcel.left_out, revision, store.url,
        _load(parcel, store, revision), licenses,
    )  # fmt: skip


def _origins(parcel: Parcel) -> tuple[set[str], set[str]]:
    """Return the bundles and licences behind a parcel. Raise Blocked where one is missing."""
    if parcel.kind == "student":
        held = parcel.manifest
        made = [{str(one) for one in held.get(name) or [] if one} for name in ("bundles", "licenses")]
        if not all(made):
            raise Blocked("student.json does not say which bundles and licences the student was made of.")
        return made[0], made[1]
    found: Counter[str] = Counter()
    names, licenses = set[str](), set[str]()
    for row in parcel.rows(("bundle_id", "license", "scrub_policy")):
        names.add(str(row["bundle_id"]))
        licenses.add(str(row["license"]))
        found["unscrubbed"] += not row["scrub_policy"]
        found["without a licence"] += not row["license"]
    if not names:
        raise Blocked("no row in it: there is nothing to push.", hint="errorhub views show DIR")
    for what, number in found.items():
        if number:
            raise Blocked(f"{number} rows come from bundles that are {what}.", hint="errorhub scrub")
    return names, licenses


def _listing(parcel: Parcel, files: dict[str, str], licenses: tuple[str, ...]) -> bytes:
    document = {"format": FORMAT, "kind": parcel.kind, "tool": VERSION, "licenses": list(licenses), "files": files}
    return canonical(document) + b"\n"


def _tree(store: Store) -> Tree | None:
    try:
        return store.tree()
    except NotFound:
        if store.head() is None:
            return None
        raise


def _before(tree: Tree | None) -> dict[str, str]:
    """Return what an earlier push left that is still there."""
    if tree is None or PUSHED not in tree.paths(PUSHED):
        return {}
    try:
        held = json.loads(tree.read(PUSHED))
        files = dict(held["files"]) if held["format"] == FORMAT else {}
    except (ValueError, KeyError, TypeError):
        return {}
    here = set(tree.paths())
    return {str(name): str(digest) for name, digest in files.items() if name in here}


def _holds(tree: Tree, name: str, data: bytes) -> bool:
    return tree.holds(name, data) or (name in tree.paths(name) and tree.read(name) == data)


def _card(parcel: Parcel, store: Store, licenses: tuple[str, ...]) -> str:
    held: dict[str, dict[str, int]] = {}
    for view, told in parcel.manifest.get("views", {}).items():
        held[str(view)] = {str(name): int(number) for name, number in told.get("splits", {}).items()}
    return views_readme(ViewFacts(held, licenses, int(parcel.manifest.get("bundles", 0)), store.location))


def _load(parcel: Parcel, store: Store, revision: str | None) -> str:
    """Return the line of Python that loads it, pinned where the place has a name everywhere."""
    name = getattr(store, "location", None)
    at = f", revision={json.dumps(revision)}" if name and revision else ""
    if parcel.kind == "student":
        adapters = "adapter_config.json" in parcel.paths
        call = "AutoPeftModelForCausalLM" if adapters else "AutoModelForCausalLM"
        return f"{call}.from_pretrained({json.dumps(name or 'path/to/clone')}{at})"
    view = next((one for one, told in parcel.manifest.get("views", {}).items() if told.get("rows")), "")
    return f"load_dataset({json.dumps(name or 'path/to/clone')}, {json.dumps(view)}{at})"


def document(done: Pushed, spec: str) -> dict[str, Any]:
    """Return the JSON result."""
    return {
        "kind": done.kind, "files": done.files, "changed": done.changed, "removed": done.removed,
        "left_out": list(done.left_out), "revision": done.revision, "url": done.url, "load": done.load,
        "licenses": list(done.licenses), "spec": spec,
    }  # fmt: skip
