"""Rows as `views build` writes them, a student as `train` leaves it, and an empty place of every kind."""

import json
import struct
import subprocess
from pathlib import Path

import pytest
from hubserver.fixture import hub_server, hub_server_process, new_name
from row_cases import build_rows, clean_bundle

__all__ = ["hub_server", "hub_server_process"]


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Give a folder of rows of thirty bundles."""
    return build_rows(tmp_path / "rows", [clean_bundle(number) for number in range(30)])


@pytest.fixture
def student(tmp_path: Path) -> Path:
    """Give a student's folder, with everything a trainer leaves beside it."""
    folder = tmp_path / "student"
    (folder / "log").mkdir(parents=True)
    (folder / "checkpoint-5").mkdir()
    head = json.dumps({"w": {"dtype": "F32", "shape": [200], "data_offsets": [0, 800]}}).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(head)) + head + bytes(800))
    manifest = {"schema": "errorhub.student/1", "kind": "diagnosis", "bundles": ["a" * 64], "licenses": ["MIT"]}
    texts = {
        "student.json": json.dumps(manifest), "config.json": "{}", "tokenizer.json": '{"vocab": {}}',
        "README.md": "# A student\n",
    }  # fmt: skip
    for name, text in texts.items():
        (folder / name).write_text(text)
    for name in (
        "training_args.bin",
        "checkpoint-5/optimizer.pt",
        "pytorch_model.bin",
        "log/events.out.tfevents.1.host",
    ):
        (folder / name).write_bytes(b"\x80\x04pickled")
    return folder


@pytest.fixture(params=["local", "git", "hf"])
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Give the SPEC of an empty place."""
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    if request.param == "hf":
        request.getfixturevalue("hub_server")
        return f"hf:{new_name()}"
    if request.param == "local":
        return f"local:{tmp_path / 'place'}"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(tmp_path / "place.git")], check=True)
    return f"git:{(tmp_path / 'place.git').as_uri()}"
