"""A published tree is a dataset as it is: for datasets, for polars, from a folder and from a clone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from errorhub.hub.bundle import Bundle

Make = Callable[..., Bundle]


LOAD = """
import json, sys, datasets
for place in sys.argv[1:]:
    configs = datasets.get_dataset_config_names(place)
    for config in configs:
        for streaming in (False, True):
            rows = list(datasets.load_dataset(place, config, split="train", streaming=streaming))
            print(json.dumps([configs, sorted(row["bundle_id"] for row in rows), rows[0]["steps"][0]["agent"]]))
"""


def test_load_dataset_reads_the_hub_in_every_config_normal_and_streaming(hub: Any, make: Make, tmp_path: Path) -> None:
    """What `load` prints is run in a process of its own, from the folder, the clone or the Hub."""
    pytest.importorskip("datasets")
    hub.publish(make(1), make(2))
    done = hub.publish(make(3))
    place = hub.spec.removeprefix("hf:") if hub.kind == "hf" else str(hub.checkout())
    if hub.kind == "hf":
        assert done.load == f'load_dataset("{place}")'
        assert f'load_dataset("{place}", split="train")'.encode() in hub.open().tree().read("README.md")
    environment = os.environ | {"HF_HOME": str(tmp_path / "home")}
    told = subprocess.run([sys.executable, "-c", LOAD, place], env=environment, capture_output=True, text=True)
    names = sorted(make(number).bundle_id for number in (1, 2, 3))
    assert [json.loads(line) for line in told.stdout.splitlines()] == [[["bundles"], names, "planner"]] * 2, (
        told.stderr[-2000:]
    )


def test_polars_scans_the_folder(hub: Any, make: Make) -> None:
    polars = pytest.importorskip("polars")
    hub.publish(make(1), make(2))
    hub.publish(make(3, model="model-b"))
    frame = polars.scan_parquet(str(hub.checkout() / "inbox" / "v1" / "**" / "*.parquet"))
    counts = frame.group_by("policy").len().collect()
    assert dict(counts.iter_rows()) == {"model-a": 2, "model-b": 1}
