"""Accounts, repositories, settings, access, refs, history, purging."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import unquote

from hubserver.files import revision_of
from hubserver.http import Refused, Reply, Request, answer, error, paged
from hubserver.model import Blob, Commit, Repo, World, model

_PAGE = 50


def whoami(request: Request) -> Reply:
    if request.user is None:
        raise error(401, "Invalid username or password.")
    token = {"displayName": "test", "role": "write"}
    return answer({"type": "user", "name": request.user, "fullname": request.user.title(), "orgs": [],
                   "auth": {"type": "access_token", "accessToken": token}})  # fmt: skip


def create(world: World, request: Request) -> Reply:
    asked = request.json()
    owner = asked.get("organization") or request.user
    if request.user is None:
        raise error(401, "Invalid username or password.")
    if owner != request.user:
        raise error(403, f"You don't have the rights to create a dataset under the namespace {owner}")
    name = f"{owner}/{asked['name']}"
    key = name if asked.get("type") == "dataset" else model(name)
    url = f"{request.base}/{'datasets/' if key == name else ''}{name}"
    if key in world.repos:
        refused = error(409, "You already created this dataset repo")
        raise Refused(replace(refused.reply, body=answer({"error": "exists", "url": url}).body))
    private = asked.get("visibility") == "private" or asked.get("private") is True
    world.create(name, owner, private=private, key=key)
    return answer({"url": url, "name": name, "id": name})


def delete(world: World, request: Request) -> Reply:
    asked = request.json()
    name = f"{asked.get('organization') or request.user}/{asked['name']}"
    repo = world.repos.get(name)
    if repo is None or not repo.may_read(request.user):
        raise error(404, "Repository not found", "RepoNotFound")
    if request.user != repo.owner:
        raise error(403, "You don't have the rights to delete this repository")
    del world.repos[name]
    return answer({})


def info(repo: Repo, request: Request, revision: str) -> Reply:
    commit = revision_of(repo, revision)
    blobs = request.asked("blobs") in ("1", "true", "True")
    siblings = [
        {"rfilename": path} | ({"size": blob.size, "blobId": blob.oid} if blobs else {})
        for path, blob in sorted(commit.tree.items())
    ]
    return answer({"_id": "0" * 24, "id": repo.id, "author": repo.owner, "sha": commit.oid, "lastModified": commit.date,
                   "createdAt": commit.date, "private": repo.private, "gated": repo.gated, "disabled": False, "tags": [],
                   "downloads": 0, "likes": 0, "siblings": siblings})  # fmt: skip


def settings(repo: Repo, request: Request) -> Reply:
    require_owner(repo, request)
    asked = request.json()
    if "gated" in asked:
        repo.gated = asked["gated"]
    if "visibility" in asked or "private" in asked:
        repo.private = asked.get("visibility") == "private" or asked.get("private") is True
    return answer(asked)


def access_list(repo: Repo, request: Request, status: str) -> Reply:
    require_owner(repo, request)
    found = [
        {"requestId": f"{user:>024}", "status": status, "timestamp": "2025-01-01T00:00:00.000Z",
         "user": {"user": user, "fullname": user, "email": f"{user}@example.invalid"}}
        for user, held in sorted(repo.access.items()) if held == status
    ]  # fmt: skip
    return paged(request, found, _PAGE)


def access_set(repo: Repo, request: Request, *, grant: bool) -> Reply:
    require_owner(repo, request)
    asked = request.json()
    repo.access[asked["user"]] = "accepted" if grant else asked["status"]
    return answer({})


def refs(repo: Repo, request: Request) -> Reply:
    def of(prefix: str) -> list[dict[str, str]]:
        names = [name for name in repo.refs if name.startswith(prefix)]
        return [{"name": one.removeprefix(prefix), "ref": one, "targetCommit": repo.refs[one]} for one in names]

    told: dict[str, Any] = {"branches": of("refs/heads/"), "tags": of("refs/tags/"), "converts": of("refs/convert/")}
    return answer(told | ({"pullRequests": of("refs/pr/")} if request.asked("include_prs") else {}))


def commits(repo: Repo, request: Request, revision: str) -> Reply:
    found, one = [], revision_of(repo, revision)
    while True:
        found.append({"id": one.oid, "title": one.title, "message": one.message, "authors": [{"user": one.author}],
                      "date": one.date})  # fmt: skip
        if one.parent is None:
            return paged(request, found, _PAGE)
        one = repo.commits[one.parent]


def make_ref(repo: Repo, request: Request, ref: str, start: str) -> Reply:
    require_owner(repo, request)
    if ref in repo.refs:
        raise error(409, "Reference already exists")
    repo.refs[ref] = revision_of(repo, start).oid
    return answer({})


def squash(repo: Repo, request: Request, branch: str) -> Reply:
    require_owner(repo, request)
    tree = revision_of(repo, branch).tree
    repo.commit(f"refs/heads/{unquote(branch)}", tree, request.json().get("message") or "Super-squash", repo.owner)
    return answer({})


def lfs_files(repo: Repo, request: Request) -> Reply:
    require_owner(repo, request)
    found = {
        blob.lfs.oid: {"fileOid": blob.oid, "filename": path, "oid": blob.lfs.oid, "size": blob.lfs.size,
                       "pushedAt": one.date, "ref": "refs/heads/main"}
        for one in repo.commits.values() for path, blob in one.tree.items() if blob.lfs
    }  # fmt: skip
    return paged(request, list(found.values()), _PAGE)


def purge(world: World, repo: Repo, request: Request) -> Reply:
    require_owner(repo, request)
    wanted = set(request.json()["deletions"]["sha"])

    def gone(blob: Blob) -> bool:
        return blob.lfs is not None and (blob.oid in wanted or blob.lfs.oid in wanted)

    for oid, one in list(repo.commits.items()):
        world.objects = {name: data for name, data in world.objects.items()
                         if name not in {b.lfs.oid for b in one.tree.values() if b.lfs and gone(b)}}  # fmt: skip
        kept = {path: blob for path, blob in one.tree.items() if not gone(blob)}
        repo.commits[oid] = Commit(oid, one.parent, kept, one.title, one.message, one.author, one.date)
    return answer({})


def require_owner(repo: Repo, request: Request) -> None:
    """Refuse everybody else."""
    if request.user != repo.owner:
        raise error(401 if request.user is None else 403, "You don't have the rights to do this")
