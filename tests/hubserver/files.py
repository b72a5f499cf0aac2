"""Reading and writing files: preupload, LFS, commit, tree, resolve."""

from __future__ import annotations

import base64
import json
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qs, unquote

from hubserver.http import Reply, Request, answer, error, paged
from hubserver.model import Blob, Commit, Repo, World
from hubserver.xet import fetch

LFS_JSON = "application/vnd.git-lfs+json"
PAGE = 1000
_LFS_SUFFIXES = (".parquet", ".zst", ".gz", ".safetensors")


def revision_of(repo: Repo, revision: str) -> Commit:
    """Return a commit, or refuse with RevisionNotFound."""
    found = repo.find(unquote(revision))
    if found is None:
        raise error(404, f"Invalid rev id: {unquote(revision)}", "RevisionNotFound")
    return found


def preupload(world: World, repo: Repo, request: Request, revision: str) -> Reply:
    commit = revision_of(repo, revision)
    if request.user is None:
        raise error(401, "Invalid username or password.")
    files = []
    for one in request.json()["files"]:
        sample = base64.b64decode(one["sample"])
        large = b"\0" in sample or one["path"].endswith(_LFS_SUFFIXES) or one["size"] > 10 * 2**20
        known = commit.tree.get(one["path"])
        files.append({"path": one["path"], "uploadMode": "lfs" if large and one["size"] else "regular",
                      "shouldIgnore": False, "oid": known.content_id if known else None})  # fmt: skip
    return answer({"files": files, "commitOid": commit.oid})


def lfs_batch(world: World, repo: Repo, request: Request, storage: str) -> Reply:
    asked = request.json()
    upload = asked["operation"] == "upload"
    if upload and request.user is None:
        raise error(401, "Invalid username or password.")
    if not upload and not repo.may_download(request.user):
        raise error(403, "Access to this dataset is restricted.", "GatedRepo")
    objects = []
    for one in asked["objects"]:
        here = one["oid"] in world.objects
        told = {"oid": one["oid"], "size": one["size"]}
        href = f"{storage}/objects/{one['oid']}"
        if upload and not here:
            verify = f"{request.base}/{request.path.split('.git/')[0].lstrip('/')}.git/info/lfs/verify"
            told["actions"] = {"upload": _upload(world, one, href), "verify": {"href": verify, "header": {}}}
        elif not upload and here:
            told["actions"] = {"download": {"href": href, "header": {}, "expires_in": 3600}}
        elif not upload:
            told["error"] = {"code": 404, "message": "Object does not exist"}
        objects.append(told)
    return answer({"transfer": "basic", "objects": objects}, kind=LFS_JSON)


def _upload(world: World, one: dict[str, Any], href: str) -> dict[str, Any]:
    """Say where an object goes: whole, or in parts that are put together when all have come."""
    size = world.part_size
    if size is None or one["size"] <= size:
        return {"href": href, "header": {}}
    parts = {f"{number:05}": f"{href}/{number}" for number in range(1, -(-one["size"] // size) + 1)}
    return {"href": f"{href}/complete", "header": {"chunk_size": str(size), **parts}}


def put_part(world: World, request: Request, oid: str, number: int) -> Reply:
    if "authorization" in request.headers:
        raise error(400, "Only one auth mechanism allowed")
    etag = sha256(request.body).hexdigest()[:32]
    world.parts.setdefault(oid, {})[number] = (etag, request.body)
    return Reply(200, b"", {"ETag": f'"{etag}"'})


def complete(world: World, request: Request, oid: str) -> Reply:
    held, asked = world.parts.pop(oid, {}), request.json()["parts"]
    numbers = [one["partNumber"] for one in asked]
    if numbers != sorted(held) or any(held[one["partNumber"]][0] != one["etag"].strip('"') for one in asked):
        raise error(400, "Parts are missing or have another ETag")
    data = b"".join(held[number][1] for number in numbers)
    if sha256(data).hexdigest() != oid:
        raise error(400, "The SHA-256 you specified did not match the calculated checksum")
    world.objects[oid] = data
    return answer({}, kind=LFS_JSON)


def lfs_verify(world: World, request: Request) -> Reply:
    one = request.json()
    if request.user is None:
        raise error(401, "Invalid username or password.")
    if len(world.objects.get(one["oid"], b"")) != one["size"]:
        raise error(404, "Object does not exist")
    return answer({}, kind=LFS_JSON)


def put_object(world: World, request: Request, oid: str) -> Reply:
    if "authorization" in request.headers:
        raise error(400, "Only one auth mechanism allowed")
    if sha256(request.body).hexdigest() != oid:
        raise error(400, "The SHA-256 you specified did not match the calculated checksum")
    world.objects[oid] = request.body
    return Reply(200, b"", {"ETag": f'"{oid}"'})


def commit(world: World, repo: Repo, request: Request, revision: str) -> Reply:
    lines = [json.loads(line) for line in request.body.splitlines() if line.strip()]
    header = lines[0]["value"]
    if request.user is None:
        raise error(401, "Invalid username or password.")
    create_pr = request.asked("create_pr") == "1"
    ref = unquote(revision)
    base = revision_of(repo, header.get("parentCommit", ref) if create_pr else ref)
    target = next((one for one in repo.discussions.values() if one.ref == ref), None)
    if not create_pr and request.user != repo.owner and (target is None or target.author != request.user):
        raise error(403, "Forbidden: pass `create_pr=1` as a query parameter to create a Pull Request")
    if not create_pr and not base.oid.startswith(header.get("parentCommit", base.oid)):
        raise error(412, "A commit has happened since. Please refresh and try again.")
    tree = _changed(world, base.tree, [(line["key"], line["value"]) for line in lines[1:]])
    title, message = header["summary"], header.get("description", "")
    told = {"success": True, "hookOutput": ""}
    if create_pr:
        target = repo.open_discussion(title, request.user, "open", base.oid)
        ref = target.ref
        told["pullRequestUrl"] = f"{request.base}/datasets/{repo.id}/discussions/{target.num}"
    ref = ref if ref.startswith("refs/") else f"refs/heads/{ref}"
    made = repo.commit(ref, tree, title, request.user, message, base.oid)
    if target:
        target.add("commit", request.user, subject=title, oid=made.oid)
    return answer(told | {"commitOid": made.oid, "commitUrl": f"{request.base}/datasets/{repo.id}/commit/{made.oid}"})


def _changed(world: World, before: dict[str, Blob], operations: list[tuple[str, dict[str, Any]]]) -> dict[str, Blob]:
    tree = dict(before)
    for key, value in operations:
        path = value["path"]
        if ".." in path.split("/") or path.startswith("/"):
            raise error(400, f"Invalid path: {path}")
        if key == "file":
            tree[path] = Blob(base64.b64decode(value["content"]))
        elif key == "lfsFile":
            if value["oid"] not in world.objects and not _from_xet(world, value["oid"], int(value["size"])):
                raise error(400, f"LFS pointer pointed to a file that does not exist: {path}")
            tree[path] = Blob.pointer(value["oid"], len(world.objects[value["oid"]]))
        elif key == "deletedFile":
            if path not in tree:
                raise error(404, "A file with this name doesn't exist", "EntryNotFound")
            del tree[path]
        elif key == "deletedFolder":
            tree = {name: blob for name, blob in tree.items() if not name.startswith(path.rstrip("/") + "/")}
        else:
            raise error(400, f"unknown operation {key}")
    return tree


def _from_xet(world: World, oid: str, size: int) -> bool:
    """Take over an object that was uploaded to the xet storage."""
    data = fetch(world.xet, oid, size) if world.xet else None
    return data is not None and world.store(data) == oid


def entry(path: str, blob: Blob) -> dict[str, object]:
    """Return a file as listings show it."""
    told: dict[str, object] = {"type": "file", "path": path, "size": blob.size, "oid": blob.oid}
    if blob.lfs:
        told["lfs"] = {"oid": blob.lfs.oid, "size": blob.lfs.size, "pointerSize": len(blob.data)}
    return told


def listing(repo: Repo, request: Request, revision: str, folder: str) -> Reply:
    commit = revision_of(repo, revision)
    prefix = f"{folder}/" if folder else ""
    inside = {path: blob for path, blob in sorted(commit.tree.items()) if path.startswith(prefix)}
    if folder and not inside:
        raise error(404, f"{folder} does not exist on {revision}", "EntryNotFound", **{"X-Repo-Commit": commit.oid})
    items: dict[str, dict[str, object]] = {}
    for path, blob in inside.items():
        parts = path[len(prefix) :].split("/")
        for depth in range(1, len(parts)):
            name = prefix + "/".join(parts[:depth])
            items.setdefault(name, {"type": "directory", "path": name, "size": 0, "oid": "0" * 40})
        items[path] = entry(path, blob)
    if request.asked("recursive", "false") != "true":
        items = {path: one for path, one in items.items() if "/" not in path[len(prefix) :]}
    return paged(request, list(items.values()), PAGE)


def paths_info(repo: Repo, request: Request, revision: str) -> Reply:
    commit = revision_of(repo, revision)
    form = "json" not in request.headers.get("content-type", "")
    asked = parse_qs(request.body.decode()).get("paths", []) if form else request.json()["paths"]
    return answer([entry(path, commit.tree[path]) for path in asked if path in commit.tree])


def resolve(world: World, repo: Repo, request: Request, revision: str, path: str, storage: str) -> Reply:
    if not repo.may_download(request.user):
        raise error(
            403, f"Access to dataset {repo.id} is restricted and you are not in the authorized list.", "GatedRepo"
        )
    commit = revision_of(repo, revision)
    here = {"X-Repo-Commit": commit.oid, "Accept-Ranges": "bytes"}
    blob = commit.tree.get(path)
    if blob is None:
        raise error(404, "Entry not found", "EntryNotFound", **here)
    if blob.lfs:
        linked = {"X-Linked-Etag": f'"{blob.lfs.oid}"', "X-Linked-Size": str(blob.lfs.size)}
        return Reply(302, b"", here | linked | {"Location": f"{storage}/objects/{blob.lfs.oid}"})
    return ranged(request, blob.data, here | {"ETag": f'"{blob.oid}"'})


def get_object(world: World, request: Request, oid: str) -> Reply:
    if oid not in world.objects:
        raise error(404, "Not found")
    return ranged(request, world.objects[oid], {"ETag": f'"{oid}"', "Accept-Ranges": "bytes"})


def ranged(request: Request, data: bytes, headers: dict[str, str]) -> Reply:
    """Return a body, or the part of it that was asked for."""
    asked = request.headers.get("range", "")
    if not asked.startswith("bytes="):
        return Reply(200, data, headers)
    first, _, last = asked.removeprefix("bytes=").partition("-")
    start = int(first) if first else max(0, len(data) - int(last))
    end = min(int(last), len(data) - 1) if first and last else len(data) - 1
    if start >= len(data):
        raise error(416, "Requested range not satisfiable", **{"Content-Range": f"bytes */{len(data)}"})
    return Reply(206, data[start : end + 1], headers | {"Content-Range": f"bytes {start}-{end}/{len(data)}"})
