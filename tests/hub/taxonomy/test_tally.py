"""Counting by mode: a label's own scheme, a maintainer's word where there is no label, and never two schemes as one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from decided_cases import case
from decisions import proposal, propose

from errorhub.hub.bundle import Bundle
from errorhub.hub.bundle.diagnosis import Mode
from errorhub.hub.corpus import corpus
from errorhub.hub.errors import ChainBroken
from errorhub.hub.stats import count
from errorhub.hub.taxonomy import load_taxonomy
from errorhub.hub.taxonomy.maintainer import Maintainer
from errorhub.hub.taxonomy.tally import rows_of_stage
from errorhub.hub.taxonomy.words import slug
from errorhub.hub.workspace import Workspace


def labelled(number: int, scheme: str, version: str | None = None) -> Bundle:
    """Return a run whose author names a mode of some scheme."""
    bundle = case(f"It went wrong {number}.", number)
    mode = Mode(scheme=scheme, version=version, id="planning.waits")
    return bundle.replace(diagnoses=(bundle.diagnoses[0].replace(mode=mode),), groundings=())


def test_labels_of_two_schemes_with_one_id_are_counted_apart(
    workspace: Workspace, maintain: Callable[..., Maintainer]
) -> None:
    runs = [case("The planner waits.", 1), case("The coder waits.", 2), case("Something else.", 3)]
    workspace.raw.put([*runs, labelled(4, "mast", "1"), labelled(5, "mast", "2"), labelled(6, "agentdebugx", "0.5.2")])
    workspace.clean.put(runs)
    members = sorted(name for bundle in runs[:2] for name in bundle.diagnosis_ids)
    (one,) = propose(workspace, proposal("waits", []) | {"id": "waits-cluster", "members": members})
    version = maintain().accept(one).modes[0].version
    table = count(rows_of_stage(workspace, "raw"), ["mode"])["table"]
    assert {row["mode"]: row["runs"] for row in table} == {
        f"errorhub:planning.waits@{version}": 2, "mast:planning.waits@1": 1, "mast:planning.waits@2": 1,
        "agentdebugx:planning.waits@0.5.2": 1, None: 1,
    }  # fmt: skip
    clean = count(rows_of_stage(workspace, "clean"), ["mode"])["table"]
    assert {row["mode"]: row["runs"] for row in clean} == {"planning.waits": 2, None: 1}


def test_a_maintainers_word_goes_before_a_label_and_a_name_leads_to_its_mode(
    workspace: Workspace, maintain: Callable[..., Maintainer]
) -> None:
    named = case("The coder waits.", 2)
    named = named.replace(diagnoses=(named.diagnoses[0].replace(novel_mode="Waits"),), groundings=())
    runs = [case("The planner waits.", 1), named, *(labelled(number, "mast", "1") for number in (3, 4, 5))]
    workspace.clean.put(runs)
    (one,) = propose(workspace, proposal("waits", []) | {"id": "waits-cluster", "members": list(runs[0].diagnosis_ids)})
    mode = maintain().accept(one).modes[0]
    maintain().assign({mode.ref: runs[2].diagnosis_ids, None: runs[3].diagnosis_ids})
    table = count(rows_of_stage(workspace, "clean"), ["mode"])["table"]
    assert {row["mode"]: row["runs"] for row in table} == {
        f"errorhub:planning.waits@{mode.version}": 3, "mast:planning.waits@1": 1, None: 1
    }  # fmt: skip


def test_the_corpus_is_what_was_accepted(workspace: Workspace) -> None:
    workspace.clean.put([case("Pending.", 1)])
    assert list(corpus(workspace)) == []


@pytest.mark.parametrize(
    ("family", "said"),
    [("planning", "planning"), ("Multi Agent", "multi_agent"), ("死锁", "other"), ("", "other"), ("9lives", "lives"), ("é-x", "e_x")],
    ids=["known", "words", "letters", "empty", "digit", "accent"],
)  # fmt: skip
def test_families_become_words(family: str, said: str) -> None:
    assert slug(family) == said


def test_a_damaged_copy_of_a_hubs_taxonomy_says_what_to_do(workspace: Workspace, tmp_path: Path) -> None:
    from decisions import accepted

    from errorhub.hub.mirrors import pull_into
    from errorhub.hub.taxonomy.ledger import record
    from errorhub.hub.taxonomy.using import send

    spec = f"local:{tmp_path / 'hub'}"
    record(workspace, [accepted("loop", range(6), 1)])
    send(workspace, spec, by="ada")
    pull_into(workspace, spec)
    (kept,) = workspace.mirrors.rglob("taxonomy/v1/*.json")
    kept.write_bytes(b"{}")
    with pytest.raises(ChainBroken, match="another format") as caught:
        load_taxonomy(workspace)
    assert caught.value.hint == f"errorhub pull {spec}"
    pull_into(workspace, spec)
    assert load_taxonomy(workspace).accepted
