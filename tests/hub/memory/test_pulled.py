"""Cases of a pulled hub: found with where they come from, and gone at once when withdrawn or yanked."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from errorhub.hub.bundle import Bundle, Rights
from errorhub.hub.bundle.canonical import digest
from errorhub.hub.mirrors import mirror_folder, pull_into
from errorhub.hub.publish import publish
from errorhub.hub.recall import look_up, memory
from errorhub.hub.stores import open_store
from errorhub.hub.workspace import Workspace
from errorhub.scrubber import Receipt

Make = Callable[..., Bundle]
STALE = "Trusted a stale .env file: its DATABASE_URL was left over, so the migration ran against the wrong database."
LATER = "Paged through the same search results and never changed the query."


def certified(bundle: Bundle) -> Bundle:
    """Return a bundle that may be published."""
    plain = Bundle(
        trajectory=bundle.trajectory, diagnoses=bundle.diagnoses, rights=Rights(license="MIT"), provenance=bundle.provenance
    )  # fmt: skip
    document = plain.document()
    del document["receipt"]
    receipt = Receipt(policy="strict", policy_digest="0" * 64, scrubber="1", digest=digest(document))
    return Bundle(**(dict(plain) | {"receipt": receipt}))


@pytest.fixture
def pulled(tmp_path: Path, case: Make) -> tuple[Workspace, list[Bundle]]:
    """A workspace that pulled a hub of two cases by one actor."""
    bundles = [certified(case(STALE, "a: 1")), certified(case(LATER, "a: 2", "tool: x"))]
    spec = f"local:{tmp_path / 'hub'}"
    done = publish(
        bundles, open_store(spec, create=True), outbox=tmp_path / "outbox", actor="anon-1", gate=lambda *_: None
    )
    assert done.published == 2
    workspace = Workspace.open(tmp_path / "ws")
    pull_into(workspace, spec)
    return workspace, bundles


def test_a_hit_says_where_it_is_held(pulled: tuple[Workspace, list[Bundle]]) -> None:
    workspace, bundles = pulled
    (hit,) = look_up(workspace, text=STALE).hits
    assert (hit.bundle_id, hit.trust, hit.local) == (bundles[0].bundle_id, "unverified", False)
    assert hit.source.startswith("local:") and hit.revision
    assert memory(workspace).corpus.publishers.tolist() == [1, 1]


def test_a_withdrawal_is_honoured_at_once_in_answers_and_on_disk(pulled: tuple[Workspace, list[Bundle]]) -> None:
    workspace, bundles = pulled
    assert look_up(workspace, text=STALE).hits
    state = mirror_folder(workspace, look_up(workspace, text=STALE).hits[0].source) / "state.json"
    standing = json.loads(state.read_bytes())
    state.write_text(json.dumps(standing | {"tombstones": {bundles[0].bundle_id: "privacy"}}))
    assert not look_up(workspace, text=STALE).hits
    assert look_up(workspace, text=LATER).hits
    assert not any(b"stale .env" in path.read_bytes() for path in workspace.memory.rglob("*") if path.is_file())


def test_ones_own_run_is_not_found_again_in_the_hub(pulled: tuple[Workspace, list[Bundle]], case: Make) -> None:
    workspace, _ = pulled
    workspace.raw.put([case(STALE, "a: 1")])
    hits = look_up(workspace, text=STALE).hits
    assert [hit.local for hit in hits] == [True]
