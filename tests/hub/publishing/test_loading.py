"""A published tree is a dataset as it is: for datasets, for polars, from a folder and from a clone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from errorhub.hub.bundle import Bundle

Make = Callable[..., Bundle]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("streaming", [False, True], ids=["normal", "streaming"])
def test_load_dataset_reads_the_folder(
    hub: Any, make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, streaming: bool
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets")
    hub.publish(make(1), make(2))
    hub.publish(make(3))
    loaded = datasets.load_dataset(
        str(hub.checkout()), split="train", cache_dir=str(tmp_path / "cache"), streaming=streaming
    )  # fmt: skip
    rows = list(loaded)
    assert {row["bundle_id"] for row in rows} == {make(number).bundle_id for number in (1, 2, 3)}
    assert rows[0]["steps"][0]["agent"] == "planner"
    assert datasets.get_dataset_config_names(str(hub.checkout())) == ["bundles"]


def test_polars_scans_the_folder(hub: Any, make: Make) -> None:
    polars = pytest.importorskip("polars")
    hub.publish(make(1), make(2))
    hub.publish(make(3, model="model-b"))
    frame = polars.scan_parquet(str(hub.checkout() / "inbox" / "v1" / "**" / "*.parquet"))
    counts = frame.group_by("policy").len().collect()
    assert dict(counts.iter_rows()) == {"model-a": 2, "model-b": 1}
