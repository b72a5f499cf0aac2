"""Rows and students leave in one commit, pinned, without pickles, and only when everything behind them may."""

import json
import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hubserver.model import model
from hubserver.server import HubServer
from row_cases import build_rows, clean_bundle

from errorhub.hub.errors import Blocked, NotFound, UsageError
from errorhub.hub.parcel import PUSHED, Parcel
from errorhub.hub.push import Pushed, inspect, open_place, push
from errorhub.hub.stores import open_store
from errorhub.scrubber import Policy, Vault

POLICY, VAULT = Policy.load("strict"), Vault(bytes(32))
LOAD = """
import json, sys, datasets
name, revision, config = sys.argv[1:]
pinned = {"revision": revision} if revision else {}
counts = {}
for streaming in (False, True):
    found = datasets.load_dataset(name, config, streaming=streaming, **pinned)
    counts = {split: len(list(found[split])) for split in found}
    print(json.dumps([datasets.get_dataset_config_names(name, **pinned), counts]))
"""


def send(folder: Path, spec: str, **options: Any) -> Pushed:
    parcel = Parcel.of(folder)
    return push(parcel, open_place(parcel, spec, create=True), inspect(parcel, POLICY, VAULT), **options)


def test_rows_arrive_in_one_commit_with_their_hashes(place: str, rows: Path) -> None:
    done = send(rows, place)
    tree = open_store(place).tree()
    listed = json.loads(tree.read(PUSHED))
    assert (done.kind, done.licenses, done.revision) == ("views", ("MIT",), tree.revision)
    assert {name: sha256(tree.read(name)).hexdigest() for name in listed["files"]} == listed["files"]
    assert "diagnosis_full/train/rows.parquet" in listed["files"]
    again = send(rows, place)
    assert (again.changed, again.revision) == (0, done.revision)


def test_what_is_gone_from_the_folder_goes_and_what_is_of_others_stays(place: str, rows: Path) -> None:
    first = send(rows, place)
    store = open_store(place)
    store.commit({"NOTES.md": b"ours"}, [], "note", first.revision)
    shutil.rmtree(rows / "diagnosis_compact")
    done = send(rows, place)
    paths = open_store(place).tree().paths()
    assert done.removed == 6
    assert "NOTES.md" in paths
    assert not [path for path in paths if path.startswith("diagnosis_compact")]


def test_one_request_to_commit_and_a_private_dataset(hub_server: HubServer, rows: Path) -> None:
    done = send(rows, "hf:ada/rows-1")
    assert len(hub_server.asked("/commit/", "POST")) == 1
    assert hub_server.world.repos["ada/rows-1"].private
    assert done.load == f'load_dataset("ada/rows-1", "diagnosis_full", revision="{done.revision}")'


@pytest.mark.parametrize("kind", ["local", "hf"])
def test_load_dataset_reads_every_split(kind: str, rows: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    pytest.importorskip("datasets")
    if kind == "hf":
        request.getfixturevalue("hub_server")
    done = send(rows, "hf:ada/rows-2" if kind == "hf" else f"local:{tmp_path / 'place'}")
    arguments = ["ada/rows-2", str(done.revision)] if kind == "hf" else [str(tmp_path / "place"), ""]
    environment = os.environ | {"HF_HOME": str(tmp_path / "home")}
    command = [sys.executable, "-c", LOAD, *arguments, "diagnosis_full"]
    told = subprocess.run(command, env=environment, capture_output=True, text=True)
    splits = json.loads((rows / "build.json").read_text())["views"]["diagnosis_full"]["splits"]
    names = {"train": "train", "val": "validation", "test": "test"}
    wanted = [["diagnosis_compact", "diagnosis_full"], {names[name]: n for name, n in splits.items() if n}]
    assert [json.loads(line) for line in told.stdout.splitlines()] == [wanted, wanted], told.stderr[-2000:]


def test_student_goes_to_a_model_without_pickles_logs_and_checkpoints(hub_server: HubServer, student: Path) -> None:
    done = send(student, "hf:ada/student-1")
    repo = hub_server.world.repos[model("ada/student-1")]
    assert repo.private
    assert set(repo.head.tree) == {
        ".gitattributes", "README.md", "config.json", "model.safetensors", PUSHED, "student.json", "tokenizer.json",
    }  # fmt: skip
    assert {"training_args.bin", "pytorch_model.bin", "checkpoint-5/optimizer.pt"} <= set(done.left_out)
    assert "ada/student-1" not in hub_server.world.repos
    assert done.load == f'AutoModelForCausalLM.from_pretrained("ada/student-1", revision="{done.revision}")'
    assert send(student, "hf:ada/student-1").changed == 0


def test_large_weights_go_in_parts(hub_server: HubServer, student: Path) -> None:
    hub_server.world.part_size = 500
    weights = student / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-9] + b"large one")
    send(student, "hf:ada/student-2")
    blob = hub_server.world.repos[model("ada/student-2")].head.tree["model.safetensors"]
    assert hub_server.world.bytes_of(blob) == weights.read_bytes()
    assert len(hub_server.asked(r"/objects/\w+/\d+", "PUT")) == 2


def test_pickle_under_another_name_and_links_are_left_out(student: Path) -> None:
    (student / "recipe.toml").write_bytes(b"\x80\x04pickled")
    (student / "vocab.txt").symlink_to("/etc/passwd")
    assert {"recipe.toml", "vocab.txt"} <= set(Parcel.of(student).left_out)
    (student / "model.safetensors").write_bytes(b"PK\x03\x04torch")
    with pytest.raises(Blocked, match="safetensors"):
        Parcel.of(student)


def test_leak_in_a_row_blocks(tmp_path: Path) -> None:
    secret = "AKIA" + "QX7RT2ZLMP4WNB6K"
    rows = build_rows(tmp_path / "rows", [clean_bundle(n, text=f"login with {secret} failed") for n in range(5)])
    with pytest.raises(Blocked, match="leak in ") as told:
        inspect(Parcel.of(rows), POLICY, VAULT)
    assert secret not in str(told.value)


def test_bundles_nobody_accepted_block(rows: Path, student: Path) -> None:
    for folder in (rows, student):
        with pytest.raises(Blocked, match="neither accepted nor published"):
            inspect(Parcel.of(folder), POLICY, VAULT, may_leave=lambda _: False)


def test_student_of_unknown_origin_blocks(student: Path) -> None:
    (student / "student.json").write_text('{"schema": "errorhub.student/1", "licenses": []}')
    with pytest.raises(Blocked, match="which bundles and licences"):
        inspect(Parcel.of(student), POLICY, VAULT)


def test_other_folders_and_hubs_are_refused(tmp_path: Path, rows: Path) -> None:
    with pytest.raises(UsageError, match="neither rows nor"):
        Parcel.of(tmp_path)
    store = open_store(f"local:{tmp_path / 'hub'}", create=True)
    store.commit({"hub.json": b"{}"}, [], "a hub", None)
    with pytest.raises(UsageError, match="a hub lives at"):
        send(rows, f"local:{tmp_path / 'hub'}")


def test_repository_is_only_made_when_asked(hub_server: HubServer, rows: Path) -> None:
    parcel = Parcel.of(rows)
    with pytest.raises(NotFound):
        push(parcel, open_place(parcel, "hf:ada/rows-3"), ("MIT",))


def test_command_stops_at_review_and_pushes_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], hub_server: HubServer
) -> None:
    from errorhub.cli.app import run
    from errorhub.examples import write

    monkeypatch.setenv("ERRORHUB_CONFIG_DIR", str(tmp_path / "config"))
    write(tmp_path / "logs")

    def told(*arguments: str) -> tuple[int, Any]:
        code = run(["--workspace", str(tmp_path / "ws"), "--json", *arguments])
        return code, json.loads(capsys.readouterr().out)

    assert told("import", str(tmp_path / "logs" / "who-and-when"), "--license", "MIT")[0] == 0
    told("check")
    told("scrub", "--policy", "share")
    built = told("views", "build", "diagnosis_compact", "--out", str(tmp_path / "rows"))[1]
    assert built["views"]["diagnosis_compact"]["rows"] > 0
    assert told("push", str(tmp_path / "rows"), "--to", "hf:ada/rows-4", "--create")[0] == 1
    told("review", "accept", "--all", "--attest", "I read them")
    code, plan = told("push", str(tmp_path / "rows"), "--to", "hf:ada/rows-4", "--create", "--dry-run")
    assert (code, "build.json" in plan["paths"], "ada/rows-4" in hub_server.world.repos) == (0, True, False)
    code, done = told("push", str(tmp_path / "rows"), "--to", "hf:ada/rows-4", "--create")
    assert (code, done["kind"], done["licenses"]) == (0, "views", ["MIT"])
