"""The server is a Hub to its real clients: only huggingface_hub and datasets are used here."""

from __future__ import annotations

import io
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hubserver.server import HubServer

pytest.importorskip("huggingface_hub")

from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi, HfFileSystem, snapshot_download
from huggingface_hub.errors import (
    BadRequestError,
    GatedRepoError,
    HfHubHTTPError,
    RemoteEntryNotFoundError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)

PARQUET = b"PAR1" + bytes(2000) + b"PAR1"


def api_of(server: HubServer, who: str = "owner") -> HfApi:
    """Return a client of a user; `nobody` has no token."""
    token: Any = {"owner": server.owner_token, "contributor": server.contributor_token, "nobody": False}[who]
    return HfApi(endpoint=server.url, token=token)


def add(**files: bytes) -> list[CommitOperationAdd]:
    """Return operations; `__` in a name stands for a slash, `_` for a dot."""
    names = {name: name.replace("__", "/").replace("_", ".") for name in files}
    return [CommitOperationAdd(names[name], io.BytesIO(data).getvalue()) for name, data in files.items()]


def commit(api: HfApi, repo: str, operations: list[Any], **options: Any) -> Any:
    """Commit to a dataset repository."""
    return api.create_commit(repo, operations, commit_message="change", repo_type="dataset", **options)


def test_accounts_and_repositories(hub_server: HubServer, repo: str) -> None:
    api = api_of(hub_server)
    assert (api.whoami()["name"], api_of(hub_server, "contributor").whoami()["name"]) == ("ada", "bob")
    with pytest.raises(HfHubHTTPError):
        HfApi(endpoint=hub_server.url, token="hf_" + "x" * 20).whoami()
    with pytest.raises(HfHubHTTPError, match="409"):
        api.create_repo(repo, repo_type="dataset")
    assert repo in str(api.create_repo(repo, repo_type="dataset", exist_ok=True))
    with pytest.raises(HfHubHTTPError, match="403"):
        api_of(hub_server, "contributor").create_repo(f"{repo}-x", repo_type="dataset")
    info = api.dataset_info(repo)
    assert [one.rfilename for one in info.siblings or []] == [".gitattributes"]
    api.delete_repo(repo, repo_type="dataset")
    with pytest.raises(RepositoryNotFoundError):
        api.dataset_info(repo)


def test_a_private_repository_is_not_there_for_others(hub_server: HubServer, repo: str) -> None:
    api_of(hub_server).update_repo_settings(repo, visibility="private", repo_type="dataset")
    assert api_of(hub_server).dataset_info(repo).private
    for who in ("contributor", "nobody"):
        with pytest.raises(RepositoryNotFoundError):
            api_of(hub_server, who).dataset_info(repo)


def test_a_gated_repository_lists_and_does_not_give(hub_server: HubServer, repo: str, tmp_path: Path) -> None:
    api, other = api_of(hub_server), api_of(hub_server, "contributor")
    commit(api, repo, add(a_json=b"{}", b_parquet=PARQUET))
    api.update_repo_settings(repo, gated="manual", repo_type="dataset")
    assert len(list(other.list_repo_tree(repo, repo_type="dataset"))) == 3
    with pytest.raises(GatedRepoError):
        other.hf_hub_download(repo, "a.json", repo_type="dataset", cache_dir=tmp_path / "a")
    api.grant_access(repo, "bob", repo_type="dataset")
    assert [one.username for one in api.list_accepted_access_requests(repo, repo_type="dataset")] == ["bob"]
    path = other.hf_hub_download(repo, "b.parquet", repo_type="dataset", cache_dir=tmp_path / "b")
    assert Path(path).read_bytes() == PARQUET


def test_a_commit_is_one_and_asks_in_the_recorded_order(hub_server: HubServer, repo: str) -> None:
    api = api_of(hub_server)
    head = api.dataset_info(repo).sha
    hub_server.log.clear()
    done = commit(
        api, repo, add(README_md=b"---\nlicense: mit\n---\n", d__x_parquet=b"ORDER" + PARQUET), parent_commit=head
    )
    steps = [(one.method, one.path.rsplit("/", 1)[0 if one.method == "PUT" else 1]) for one in hub_server.log]
    assert steps == [
        ("POST", "validate-yaml"), ("POST", "main"), ("POST", "batch"), ("PUT", "/objects"), ("POST", "verify"),
        ("POST", "main"),
    ]  # fmt: skip
    assert api.dataset_info(repo).sha == done.oid
    hub_server.log.clear()
    again = commit(api, repo, add(README_md=b"---\nlicense: mit\n---\n", d__x_parquet=b"ORDER" + PARQUET))
    assert again.oid == done.oid
    assert not hub_server.asked("/commit/")
    with pytest.raises(HfHubHTTPError) as caught:
        commit(api, repo, add(z_json=b"1"), parent_commit=head)
    assert caught.value.response.status_code == 412


def test_many_files_are_one_commit(hub_server: HubServer, repo: str) -> None:
    api = api_of(hub_server)
    files = [CommitOperationAdd(f"log/{number:04}.json", b"%d" % number) for number in range(1200)]
    commit(api, repo, files)
    assert len(hub_server.asked("/preupload/")) == 5
    assert len(hub_server.asked("/commit/")) == 1
    hub_server.log.clear()
    assert len(list(api.list_repo_tree(repo, "log", repo_type="dataset"))) == 1200
    assert len(hub_server.asked("/tree/")) == 2


def test_what_is_refused(hub_server: HubServer, repo: str) -> None:
    api = api_of(hub_server)
    with pytest.raises(ValueError, match="tabs are not allowed"):
        commit(api, repo, add(README_md=b"---\na:\tb\n---\n"))
    with pytest.raises(RemoteEntryNotFoundError):
        commit(api, repo, [CommitOperationDelete("never.json", is_folder=False)])
    with pytest.raises(HfHubHTTPError, match="403"):
        commit(api_of(hub_server, "contributor"), repo, add(a_json=b"1"))
    with pytest.raises(RevisionNotFoundError):
        commit(api, repo, add(a_json=b"1"), revision="nowhere")
    with pytest.raises(HfHubHTTPError, match="401"):
        commit(api_of(hub_server, "nobody"), repo, add(a_json=b"1"))


def test_revisions_branches_tags_and_history(hub_server: HubServer, repo: str) -> None:
    api = api_of(hub_server)
    first = commit(api, repo, add(a_json=b"1")).oid
    second = commit(api, repo, add(a_json=b"2")).oid
    api.create_branch(repo, branch="side", revision=first, repo_type="dataset")
    api.create_tag(repo, tag="v1", revision=first, repo_type="dataset")
    with pytest.raises(HfHubHTTPError, match="409"):
        api.create_tag(repo, tag="v1", revision=first, repo_type="dataset")
    assert {api.dataset_info(repo, revision=name).sha for name in ("side", "v1", first, first[:8])} == {first}
    assert [one.commit_id for one in api.list_repo_commits(repo, repo_type="dataset")][:2] == [second, first]
    refs = api.list_repo_refs(repo, repo_type="dataset")
    assert ({one.name for one in refs.branches}, {one.name for one in refs.tags}) == ({"main", "side"}, {"v1"})
    api.super_squash_history(repo, branch="main", repo_type="dataset")
    assert len(api.list_repo_commits(repo, repo_type="dataset")) == 1
    with pytest.raises(RevisionNotFoundError):
        api.dataset_info(repo, revision="nowhere")


def test_files_are_downloaded_as_they_are(hub_server: HubServer, repo: str, tmp_path: Path) -> None:
    api = api_of(hub_server)
    commit(api, repo, add(a_json=b"{}", d__b_parquet=PARQUET, empty_txt=b""))
    folder = Path(
        snapshot_download(
            repo, repo_type="dataset", endpoint=hub_server.url, cache_dir=tmp_path, token=hub_server.owner_token
        )
    )
    assert (folder / "d" / "b.parquet").read_bytes() == PARQUET
    assert (folder / "empty.txt").read_bytes() == b""
    assert api.file_exists(repo, "a.json", repo_type="dataset")
    assert not api.file_exists(repo, "b.json", repo_type="dataset")
    found = api.get_paths_info(repo, ["a.json", "d/b.parquet", "none"], repo_type="dataset")
    assert {one.path: one.size for one in found} == {"a.json": 2, "d/b.parquet": len(PARQUET)}  # type: ignore[union-attr]
    system = HfFileSystem(endpoint=hub_server.url, token=hub_server.owner_token, skip_instance_cache=True)
    with system.open(f"datasets/{repo}/d/b.parquet", "rb") as file:
        file.seek(-4, 2)
        assert file.read() == b"PAR1"
    api.delete_files(repo, ["d/*"], repo_type="dataset")
    assert not api.file_exists(repo, "d/b.parquet", repo_type="dataset")


def test_pull_requests_open_discuss_merge_and_close(hub_server: HubServer, repo: str) -> None:
    api, other = api_of(hub_server), api_of(hub_server, "contributor")
    commit(api, repo, add(a_json=b"1"))
    made = commit(other, repo, add(x_parquet=PARQUET), create_pr=True)
    assert (made.pr_num, made.pr_revision) == (1, "refs/pr/1")
    commit(other, repo, add(y_json=b"1"), revision="refs/pr/1")
    commit(api, repo, add(a_json=b"2"))
    [listed] = api.get_repo_discussions(repo, repo_type="dataset", discussion_type="pull_request")
    assert (listed.author, listed.status, listed.num) == ("bob", "open", 1)
    paths = {one.path for one in api.list_repo_tree(repo, revision="refs/pr/1", repo_type="dataset")}
    assert {"x.parquet", "y.json"} < paths
    api.comment_discussion(repo, 1, "thanks", repo_type="dataset")
    with pytest.raises(HfHubHTTPError, match="403"):
        other.merge_pull_request(repo, 1, repo_type="dataset")
    api.merge_pull_request(repo, 1, repo_type="dataset")
    told = api.get_discussion_details(repo, 1, repo_type="dataset")
    assert told.status == "merged"
    assert [event.type for event in told.events] == ["commit", "commit", "comment", "status-change"]
    assert {one.path for one in api.list_repo_tree(repo, repo_type="dataset")} >= {"x.parquet", "y.json", "a.json"}
    draft = other.create_pull_request(repo, "draft", repo_type="dataset")
    with pytest.raises(BadRequestError):
        api.merge_pull_request(repo, draft.num, repo_type="dataset")
    other.change_discussion_status(repo, draft.num, "closed", repo_type="dataset")
    refs = api.list_repo_refs(repo, repo_type="dataset", include_pull_requests=True)
    assert [one.ref for one in refs.pull_requests or []] == ["refs/pr/1", "refs/pr/2"]


def test_a_conflicting_merge_is_refused(hub_server: HubServer, repo: str) -> None:
    api, other = api_of(hub_server), api_of(hub_server, "contributor")
    commit(api, repo, add(a_json=b"1"))
    commit(other, repo, add(a_json=b"2"), create_pr=True)
    commit(api, repo, add(a_json=b"3"))
    with pytest.raises(HfHubHTTPError, match="409"):
        api.merge_pull_request(repo, 1, repo_type="dataset")


def test_purging_stored_files_leaves_the_refs_to_look_at(hub_server: HubServer, repo: str) -> None:
    api = api_of(hub_server)
    commit(api, repo, add(x_parquet=b"PURGE" + PARQUET))
    commit(api_of(hub_server, "contributor"), repo, add(y_json=b"1"), create_pr=True)
    [stored] = api.list_lfs_files(repo, repo_type="dataset")
    assert stored.filename == "x.parquet"
    api.permanently_delete_lfs_files(repo, [stored], repo_type="dataset")
    assert not api.file_exists(repo, "x.parquet", repo_type="dataset")
    assert not list(api.list_lfs_files(repo, repo_type="dataset"))
    assert len(api.list_repo_refs(repo, repo_type="dataset", include_pull_requests=True).pull_requests or []) == 1


def test_reads_are_tried_again_and_commits_are_not(hub_server: HubServer, repo: str) -> None:
    api = api_of(hub_server)
    hub_server.fail("status", path="/tree/", status=503)
    hub_server.fail("status", path="/preupload/", status=429, headers={"RateLimit": '"api";r=0;t=0'})
    assert len(list(api.list_repo_tree(repo, repo_type="dataset"))) == 1
    commit(api, repo, add(a_json=b"1"))
    hub_server.fail("status", path="/commit/", method="POST", status=502)
    with pytest.raises(HfHubHTTPError, match="502"):
        commit(api, repo, add(a_json=b"2"))
    assert len(hub_server.asked("/commit/", "POST")) == 2


def test_a_reply_can_be_lost_before_and_after(hub_server: HubServer, repo: str) -> None:
    api = api_of(hub_server)
    for action, grown in (("lost", 1), ("drop", 0)):
        before = len(api.list_repo_commits(repo, repo_type="dataset"))
        hub_server.fail(action, path="/commit/", method="POST")
        with pytest.raises(Exception, match=r"disconnected|reset|closed") as caught:
            commit(api, repo, add(a_json=action.encode()))
        assert type(caught.value).__module__.startswith("httpx2")
        assert len(api.list_repo_commits(repo, repo_type="dataset")) == before + grown


def test_a_phantom_writer_and_an_older_head(hub_server: HubServer, repo: str) -> None:
    api = api_of(hub_server)
    first = commit(api, repo, add(a_json=b"1")).oid
    hub_server.fail("race", path="/commit/", method="POST", times=2)
    for _ in range(2):
        with pytest.raises(HfHubHTTPError, match="412"):
            commit(api, repo, add(a_json=b"2"), parent_commit=api.dataset_info(repo).sha)
    commit(api, repo, add(a_json=b"2"), parent_commit=api.dataset_info(repo).sha)
    hub_server.fail("stale", path="/revision/main", revision=first)
    assert api.dataset_info(repo, revision="main").sha == first


def test_bodies_can_be_cut_changed_and_slow(hub_server: HubServer, repo: str, tmp_path: Path) -> None:
    api = api_of(hub_server)
    commit(api, repo, add(x_parquet=b"BODY" + PARQUET))
    hub_server.fail("tamper", path="/objects/", method="GET")
    path = api.hf_hub_download(repo, "x.parquet", repo_type="dataset", cache_dir=tmp_path / "a")
    assert Path(path).read_bytes() != b"BODY" + PARQUET, "the client checks sizes only"
    hub_server.fail("truncate", path="/objects/", method="GET")
    path = api.hf_hub_download(repo, "x.parquet", repo_type="dataset", cache_dir=tmp_path / "b")
    assert Path(path).read_bytes() == b"BODY" + PARQUET, "the client resumes"
    hub_server.fail("delay", path="/revision/", seconds=0.3)
    start = time.monotonic()
    api.dataset_info(repo, revision="main")
    assert time.monotonic() - start >= 0.3


LOAD = """
import sys, datasets
for streaming in (False, True):
    rows = list(datasets.load_dataset(sys.argv[1], split="train", streaming=streaming))
    print(sorted(row["x"] for row in rows))
"""


def test_datasets_loads_and_streams(hub_server: HubServer, repo: str, tmp_path: Path) -> None:
    pytest.importorskip("datasets")
    import pyarrow as pa
    import pyarrow.parquet as pq

    files = {}
    for number in (1, 2):
        buffer = io.BytesIO()
        pq.write_table(pa.table({"x": [number, number + 10]}), buffer)
        files[f"in/v1/{number}/t.parquet"] = buffer.getvalue()
    card = b"---\nconfigs:\n- config_name: all\n  data_files:\n  - split: train\n    path: in/v1/**/*.parquet\n---\n"
    operations = [CommitOperationAdd(path, data) for path, data in (files | {"README.md": card}).items()]
    commit(api_of(hub_server), repo, operations)
    done = subprocess.run([sys.executable, "-c", LOAD, repo], capture_output=True, text=True)
    assert done.stdout.split("\n")[:2] == ["[1, 2, 11, 12]"] * 2, done.stderr[-2000:]


def test_large_objects_come_in_parts(hub_server: HubServer, repo: str) -> None:
    hub_server.world.part_size = 700
    data = PARQUET + bytes(range(256))
    commit(api_of(hub_server), repo, [CommitOperationAdd("a.parquet", data)])
    assert len(hub_server.asked(r"/objects/\w+/\d+", "PUT")) == -(-len(data) // 700)
    assert len(hub_server.asked("/complete", "POST")) == 1
    blob = hub_server.world.repos[repo].head.tree["a.parquet"]
    assert hub_server.world.bytes_of(blob) == data


def test_part_that_is_lost_is_no_object(hub_server: HubServer, repo: str) -> None:
    hub_server.world.part_size = 700
    hub_server.fail("status", path=r"/complete", status=400, times=1)
    with pytest.raises((BadRequestError, RuntimeError)):
        commit(api_of(hub_server), repo, [CommitOperationAdd("a.parquet", b"LOST" + PARQUET)])
    assert "a.parquet" not in hub_server.world.repos[repo].head.tree


def test_models_have_their_own_names(hub_server: HubServer, repo: str) -> None:
    api = api_of(hub_server)
    api.create_repo(repo, repo_type="model", visibility="private")
    weights = [CommitOperationAdd("model.safetensors", b"\0" * 900), CommitOperationAdd("config.json", b"{}")]
    api.create_commit(repo, weights, commit_message="weights")
    assert {one.rfilename for one in api.model_info(repo).siblings or []} >= {"model.safetensors", "config.json"}
    assert "model.safetensors" not in {one.rfilename for one in api.dataset_info(repo).siblings or []}
    assert Path(api.hf_hub_download(repo, "model.safetensors")).stat().st_size == 900
