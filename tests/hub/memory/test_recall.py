"""What reaches the memory: one's own runs at once, pulled hubs, and nothing that was withdrawn."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from decisions import decided

from errorhub.hub.bundle import Bundle, Diagnosis
from errorhub.hub.errors import NotFound
from errorhub.hub.memory import Memory, Pile, Place, Query, quoted
from errorhub.hub.recall import find_anywhere, hints, look_up
from errorhub.hub.taxonomy.ledger import record
from errorhub.hub.taxonomy.seed import SCHEME, VERSION
from errorhub.hub.workspace import Workspace

Make = Callable[..., Bundle]
Hold = Callable[..., tuple[Bundle, Place]]
STALE = "Trusted a stale .env file: its DATABASE_URL was left over, so the migration ran against the wrong database."
LATER = "Paged through the same search results and never changed the query."


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.open(tmp_path / "ws")


def test_every_diagnosis_of_the_workspace_is_found_at_once(workspace: Workspace, case: Make) -> None:
    bundle = case(STALE, origin_key="k1")
    workspace.raw.put([bundle])
    assert look_up(workspace, text=STALE).hits
    assert not look_up(workspace, text=LATER).hits
    added = Diagnosis(step=0, agent="assistant", explanation=LATER, author="me")
    both = (*bundle.diagnoses, added)
    workspace.raw.put([Bundle(trajectory=bundle.trajectory, diagnoses=both, provenance=bundle.provenance)])
    (hit,) = look_up(workspace, text=LATER).hits
    assert hit.explanation == LATER and hit.local
    assert look_up(workspace, text=STALE).hits[0].bundle_id == hit.bundle_id


def test_what_is_removed_is_gone_from_the_answers_and_the_disk(workspace: Workspace, case: Make) -> None:
    workspace.raw.put([case(STALE, origin_key="k1"), case(LATER, "a: x", origin_key="k2")])
    assert look_up(workspace, text=STALE).hits
    workspace.raw.remove({"k1"})
    assert not look_up(workspace, text=STALE).hits and look_up(workspace, text=LATER).hits
    assert not any(b"stale .env" in path.read_bytes() for path in workspace.memory.rglob("*") if path.is_file())


def test_what_may_leave_the_machine_is_made_of_scrubbed_runs(workspace: Workspace, case: Make) -> None:
    workspace.raw.put([case(f"{STALE} Host db7.internal.", origin_key="k1")])
    assert not look_up(workspace, text=STALE, raw=False).hits
    workspace.clean.put([case(f"{STALE} Host <HOST_1>.", origin_key="k1")])
    (hit,) = look_up(workspace, text=STALE, raw=False).hits
    assert "<HOST_1>" in str(hit.explanation) and hit.local
    log = case(None, "a: stale .env", f"tool: {STALE}", "a: z").trajectory
    assert "db7.internal" not in hints(workspace, log).text and hints(workspace, log).cases
    assert "db7.internal" in hints(workspace, log, raw=True).text
    raw_id = next(workspace.raw.bundles()).bundle_id
    assert find_anywhere(workspace, raw_id, raw=False) == next(workspace.clean.bundles())
    assert find_anywhere(workspace, raw_id) == next(workspace.raw.bundles())
    with pytest.raises(NotFound):
        find_anywhere(workspace, "0" * 12)


def test_a_hit_names_the_mode_that_maintainers_put_it_under(workspace: Workspace, case: Make) -> None:
    raw, clean = case(f"{STALE} Host db7.", origin_key="k1"), case(f"{STALE} Host <HOST_1>.", origin_key="k1")
    workspace.raw.put([raw, case(LATER, origin_key="k2")])
    workspace.clean.put([clean])
    assert look_up(workspace, text=STALE).hits[0].assigned is None
    mode = {"scheme": SCHEME, "version": VERSION, "id": "memory.retrieval_failure"}
    record(workspace, [decided("assign", 1, assigned=[{"mode": mode, "diagnoses": list(clean.diagnosis_ids)}])])
    for own in (True, False):
        (hit,) = look_up(workspace, text=STALE, raw=own).hits
        assert hit.assigned == "memory.retrieval_failure" and hit.mode is None
        assert "put under: memory.retrieval_failure" in quoted(hit)
    assert look_up(workspace, text=LATER).hits[0].assigned is None


def test_a_new_state_reads_only_what_is_new(tmp_path: Path, case: Make, held: Hold) -> None:
    class Counting(Pile):
        read_now = 0

        def read(self, bundle_ids: object) -> object:  # type: ignore[override]
            found = list(super().read(bundle_ids))  # type: ignore[arg-type]
            self.read_now += len(found)
            return iter(found)

    words = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath", "inlet", "jetty"]
    shelf = Counting(
        held(case(f"{a} {b} {c} went astray", f"a: {a}{b}{c}")) for a in words for b in words for c in "xy"
    )
    Memory.open(tmp_path, shelf, "0")
    assert shelf.read_now == 200
    for number in range(1, 21):
        shelf.held.append(held(case(f"{STALE} {number}", f"a: {number}")))
        Memory.open(tmp_path, shelf, str(number))
    assert shelf.read_now == 220
    assert len(list(tmp_path.glob("part-*"))) <= 6
    memory = Memory.open(tmp_path, shelf, "20")
    assert memory.documents == 420 and memory.similar(Query.from_text(STALE)).hits
    afresh = Memory.open(tmp_path, shelf, "20", rebuild=True).similar(Query.from_text("amber birch x went astray"), 3)
    joined = memory.similar(Query.from_text("amber birch x went astray"), 3)
    assert [hit.bundle_id for hit in joined.hits] == [hit.bundle_id for hit in afresh.hits]


def test_a_look_up_imports_neither_pandas_nor_scipy(workspace: Workspace, case: Make) -> None:
    workspace.raw.put([case(STALE)])
    assert look_up(workspace, text=STALE).hits
    script = (
        "import sys; from pathlib import Path; from errorhub.hub.recall import look_up; "
        "from errorhub.hub.workspace import Workspace; "
        "assert look_up(Workspace.open(Path(sys.argv[1])), text=sys.argv[2]).hits; "
        "print([name for name in ('pandas', 'scipy', 'bm25s', 'torch', 'datasets') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(workspace.folder), STALE], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
