"""Pull requests: open, read, comment, close, merge."""

from __future__ import annotations

from typing import Any

from hubserver.http import Reply, Request, answer, error
from hubserver.model import Discussion, Repo

_PAGE = 20


def show(repo: Repo, one: Discussion) -> dict[str, Any]:
    """Return a pull request as listings show it."""
    return {
        "num": one.num, "title": one.title, "status": one.status, "isPullRequest": True,
        "author": {"name": one.author}, "createdAt": one.created, "repo": {"name": repo.id, "type": "dataset"},
    }  # fmt: skip


def list_all(repo: Repo, request: Request) -> Reply:
    found = sorted(repo.discussions.values(), key=lambda one: -one.num)
    if author := request.asked("author"):
        found = [one for one in found if one.author == author]
    if (status := request.asked("status")) and status != "all":
        found = [
            one for one in found if one.status in (("open", "draft") if status == "open" else ("closed", "merged"))
        ]
    start = int(request.asked("p", "0")) * _PAGE
    page = [show(repo, one) for one in found[start : start + _PAGE]]
    return answer({"discussions": page, "count": len(found), "start": start})


def create(repo: Repo, request: Request) -> Reply:
    _require_user(request)
    asked = request.json()
    one = repo.open_discussion(asked["title"], request.user or "", "draft", repo.head.oid)
    repo.refs[one.ref] = repo.head.oid
    _comment(one, request.user or "", asked.get("description", ""))
    return answer({"num": one.num})


def details(repo: Repo, one: Discussion) -> Reply:
    changes = {"base": "refs/heads/main"} | ({"mergeCommitId": one.merge_commit} if one.merge_commit else {})
    more = {"events": one.events, "filesWithConflicts": [], "changes": changes, "diffUrl": f"/diff/{one.num}"}
    return answer(show(repo, one) | more | {"diff": ""})


def comment(one: Discussion, request: Request) -> Reply:
    _require_user(request)
    return answer({"newMessage": _comment(one, request.user or "", request.json()["comment"])})


def set_status(repo: Repo, one: Discussion, request: Request) -> Reply:
    if request.user not in (repo.owner, one.author):
        raise error(403, "You don't have the rights to change the status of this discussion")
    asked = request.json()
    if asked.get("comment"):
        _comment(one, request.user or "", asked["comment"])
    one.status = asked["status"]
    return answer({"newStatus": one.add("status-change", request.user or "", status=one.status)})


def merge(repo: Repo, one: Discussion, request: Request) -> Reply:
    if request.user != repo.owner:
        raise error(403, "You don't have the rights to merge this pull request")
    if one.status != "open":
        raise error(400, f"This pull request is {one.status}")
    base, theirs, ours = repo.commits[one.base].tree, repo.commits[repo.refs[one.ref]].tree, dict(repo.head.tree)
    for path in base.keys() | theirs.keys():
        if theirs.get(path) == base.get(path):
            continue
        if ours.get(path) not in (base.get(path), theirs.get(path)):
            raise error(409, f"Merge conflict in {path}")
        if path in theirs:
            ours[path] = theirs[path]
        else:
            ours.pop(path, None)
    made = repo.commit("refs/heads/main", ours, f"{one.title} (#{one.num})", request.user or "", parent=repo.head.oid)
    one.status, one.merge_commit = "merged", made.oid
    one.add("status-change", request.user or "", status="merged")
    return answer({})


def _comment(one: Discussion, author: str, text: str) -> dict[str, Any]:
    latest = {"raw": text, "html": text, "updatedAt": one.created, "author": {"name": author}}
    return one.add("comment", author, latest=latest, edited=False, hidden=False)


def _require_user(request: Request) -> None:
    if request.user is None:
        raise error(401, "Invalid username or password.")
