"""Real diagnoses: the shared Who&When and AgentRx runs."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from errorhub.hub.intake import intake
from errorhub.hub.taxonomy import Taxonomy
from errorhub.induction import Finding, findings, propose

pytestmark = pytest.mark.shared


@pytest.fixture
def data() -> Path:
    """The shared data folder."""
    folder = Path(os.environ.get("ERRORHUB_SHARED_DATA", Path(__file__).parents[3] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("no shared data: set ERRORHUB_SHARED_DATA")
    return folder


def clusters(found: list[Finding], taxonomy: Taxonomy) -> dict[str, str]:
    return {one.diagnosis_id: one.cluster for one in propose(found, taxonomy=taxonomy).assignments}


def test_most_reasons_of_who_and_when_find_company_again_and_again(data: Path, seed: Taxonomy) -> None:
    from sklearn.metrics import adjusted_rand_score

    found = list(findings(bundle for bundle, _ in intake([data / "who-and-when"], None).bundles))
    result = propose(found, taxonomy=seed)
    assert result == propose(found[::-1], taxonomy=seed)
    assert result.unclustered < 0.55 * len(found)
    assert all(one.tasks <= one.support for one in result.proposals)
    whole, rng, agreed = clusters(found, seed), np.random.default_rng(0), []
    for _ in range(10):
        part = clusters([found[at] for at in rng.choice(len(found), 104, replace=False)], seed)
        agreed.append(adjusted_rand_score([whole[name] for name in part], list(part.values())))
    assert np.mean(agreed) >= 0.85


def test_clusters_of_agentrx_agree_with_its_categories_better_than_agents_do(data: Path, seed: Taxonomy) -> None:
    from sklearn.metrics import adjusted_mutual_info_score

    folder = data / "agentrx" / "tau_retail"
    read = intake([folder / "failed_runs.json"], None, labels=folder / "ground_truth.json")
    found = list(findings(bundle for bundle, _ in read.bundles))
    labels = [one.mode.id for one in found if one.mode]
    unnamed = [replace(one, mode=None) for one in found]
    ended = clusters(unnamed, seed)
    ours = adjusted_mutual_info_score(labels, [ended[one.diagnosis_id] for one in unnamed])
    assert ours > adjusted_mutual_info_score(labels, [one.agent for one in unnamed])
