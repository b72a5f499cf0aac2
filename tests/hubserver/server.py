"""A Hugging Face Hub on the loopback interface: real clients talk to it, tests look inside and make it fail.

with HubServer() as hub:
    HfApi(endpoint=hub.url, token=hub.owner_token).create_repo("ada/errors", repo_type="dataset")
"""

from __future__ import annotations

import re
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from urllib.parse import unquote, urlsplit

from hubserver import files, pulls, repos, xet
from hubserver.faults import Fault, Seen
from hubserver.http import Refused, Reply, Request, answer, error
from hubserver.model import Blob, Repo, World, model

OWNER, CONTRIBUTOR = "ada", "bob"
_REPO = re.compile(
    r"/(?:(?:api/)?datasets/|(?P<model>api/models/|(?!api/)))(?P<repo>[\w.-]+/[\w.-]+?)(?P<git>\.git)?(?P<rest>/.*)?"
)
_Route = Callable[["HubServer", Repo, Request, re.Match[str]], Reply]


class HubServer:
    """The server, what it holds, what it was asked and what goes wrong in it."""

    def __init__(self) -> None:
        self.owner_token = "hf_" + "ownerowner" * 3
        self.contributor_token = "hf_" + "contribute" * 3
        self.world = World({self.owner_token: OWNER, self.contributor_token: CONTRIBUTOR})
        self.faults: list[Fault] = []
        self.log: list[Seen] = []
        self.lock = threading.RLock()
        handler = type("Handler", (_Handler,), {"hub": self})
        self._server = _Server(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self.storage = f"http://localhost:{self._server.server_port}"

    def __enter__(self) -> HubServer:
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, one: BaseException | None, where: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def fail(self, action: str, **options: object) -> Fault:
        """Add a fault and return it; it counts what it matched."""
        fault = Fault(action, **options)  # type: ignore[arg-type]
        self.faults.append(fault)
        return fault

    def heal(self) -> None:
        """Forget all faults."""
        self.faults.clear()

    def asked(self, pattern: str, method: str = ".*") -> list[Seen]:
        """Return the requests whose path matches."""
        return [one for one in self.log if re.search(pattern, one.path) and re.fullmatch(method, one.method)]

    def intrude(self, name: str, path: str, data: bytes | None) -> None:
        """Change one file of a repository's main behind everybody's back."""
        repo = self.world.repos[name]
        with self.lock:
            tree = dict(repo.head.tree)
            if data is None:
                del tree[path]
            elif path.endswith(".parquet"):
                tree[path] = Blob.pointer(self.world.store(data), len(data))
            else:
                tree[path] = Blob(data)
            repo.commit("refs/heads/main", tree, "phantom", "phantom", parent=repo.head.oid)

    def handle(self, request: Request) -> Reply:
        """Answer one request."""
        try:
            with self.lock:
                return self._route(request)
        except Refused as refused:
            return refused.reply

    def _route(self, request: Request) -> Reply:
        path, method = request.path, request.method
        if found := re.fullmatch(r"/objects/([0-9a-f]{64})", path):
            act = files.put_object if method == "PUT" else files.get_object
            return act(self.world, request, found[1])
        if found := re.fullmatch(r"/objects/([0-9a-f]{64})/(\d+|complete)", path):
            if found[2] == "complete":
                return files.complete(self.world, request, found[1])
            return files.put_part(self.world, request, found[1], int(found[2]))
        token = request.headers.get("authorization", "")
        if token and token.removeprefix("Bearer ") not in self.world.users:
            raise error(401, "Invalid credentials in Authorization header")
        if (method, path) in _FIXED:
            return _FIXED[method, path](self, request)
        if not (found := _REPO.fullmatch(path)):
            raise error(404, "Not found")
        repo = self.world.repos.get(found["repo"] if found["model"] is None else model(found["repo"]))
        if repo is None or not repo.may_read(request.user):
            raise error(401 if request.user is None else 404, "Repository not found", "RepoNotFound")
        rest = (".git" if found["git"] else "") + (found["rest"] or "")
        for wanted, pattern, act in _ROUTES:
            if re.fullmatch(wanted, method) and (match := re.fullmatch(pattern, rest)):
                return act(self, repo, request, match)
        raise error(404, f"Not found: {method} {path}")


_FIXED: dict[tuple[str, str], Callable[[HubServer, Request], Reply]] = {
    ("GET", "/api/whoami-v2"): lambda hub, r: repos.whoami(r),
    ("POST", "/api/repos/create"): lambda hub, r: repos.create(hub.world, r),
    ("DELETE", "/api/repos/delete"): lambda hub, r: repos.delete(hub.world, r),
    ("POST", "/api/validate-yaml"): lambda hub, r: _validate_yaml(r),
}


def _validate_yaml(request: Request) -> Reply:
    head = request.json()["content"].split("---")
    bad = len(head) > 2 and "\t" in head[1]
    told = answer({"errors": [{"message": "YAML: tabs are not allowed"}] if bad else [], "warnings": []})
    return replace(told, status=400 if bad else 200)


def _discussion(repo: Repo, match: re.Match[str]) -> pulls.Discussion:
    if int(match["num"]) not in repo.discussions:
        raise error(404, "Discussion not found")
    return repo.discussions[int(match["num"])]


_NUM = r"/discussions/(?P<num>\d+)"
_ROUTES: tuple[tuple[str, str, _Route], ...] = (
    ("GET", r"", lambda hub, repo, r, m: repos.info(repo, r, "main")),
    ("GET", r"/revision/(.+)", lambda hub, repo, r, m: repos.info(repo, r, m[1])),
    ("PUT", r"/settings", lambda hub, repo, r, m: repos.settings(repo, r)),
    ("GET", r"/user-access-request/(\w+)", lambda hub, repo, r, m: repos.access_list(repo, r, m[1])),
    ("POST", r"/user-access-request/handle", lambda hub, repo, r, m: repos.access_set(repo, r, grant=False)),
    ("POST", r"/user-access-request/grant", lambda hub, repo, r, m: repos.access_set(repo, r, grant=True)),
    ("GET", r"/refs", lambda hub, repo, r, m: repos.refs(repo, r)),
    ("GET", r"/commits/(.+)", lambda hub, repo, r, m: repos.commits(repo, r, m[1])),
    ("POST", r"/branch/(.+)", lambda hub, repo, r, m: repos.make_ref(
        repo, r, f"refs/heads/{unquote(m[1])}", r.json().get("startingPoint") or "main")),
    ("POST", r"/tag/(.+)", lambda hub, repo, r, m: repos.make_ref(repo, r, f"refs/tags/{r.json()['tag']}", m[1])),
    ("POST", r"/super-squash/(.+)", lambda hub, repo, r, m: repos.squash(repo, r, m[1])),
    ("POST", r"/preupload/(.+)", lambda hub, repo, r, m: files.preupload(hub.world, repo, r, m[1])),
    ("POST", r"/commit/(.+)", lambda hub, repo, r, m: files.commit(hub.world, repo, r, m[1])),
    ("POST", r"\.git/info/lfs/objects/batch", lambda hub, repo, r, m: files.lfs_batch(hub.world, repo, r, hub.storage)),
    ("POST", r"\.git/info/lfs/verify", lambda hub, repo, r, m: files.lfs_verify(hub.world, r)),
    ("GET", r"/xet-(write|read)-token/(.+)", lambda hub, repo, r, m: xet.token(hub.world.xet, r, m[1])),
    ("GET", r"/tree/([^/]+)(?:/(.+))?", lambda hub, repo, r, m: files.listing(repo, r, m[1], unquote(m[2] or ""))),
    ("POST", r"/paths-info/(.+)", lambda hub, repo, r, m: files.paths_info(repo, r, m[1])),
    ("GET|HEAD", r"/resolve/([^/]+)/(.+)", lambda hub, repo, r, m: files.resolve(
        hub.world, repo, r, m[1], unquote(m[2]), hub.storage)),
    ("GET", r"/discussions", lambda hub, repo, r, m: pulls.list_all(repo, r)),
    ("POST", r"/discussions", lambda hub, repo, r, m: pulls.create(repo, r)),
    ("GET", _NUM, lambda hub, repo, r, m: pulls.details(repo, _discussion(repo, m))),
    ("POST", rf"{_NUM}/comment", lambda hub, repo, r, m: pulls.comment(_discussion(repo, m), r)),
    ("POST", rf"{_NUM}/status", lambda hub, repo, r, m: pulls.set_status(repo, _discussion(repo, m), r)),
    ("POST", rf"{_NUM}/merge", lambda hub, repo, r, m: pulls.merge(repo, _discussion(repo, m), r)),
    ("GET", r"/lfs-files", lambda hub, repo, r, m: repos.lfs_files(repo, r)),
    ("POST", r"/lfs-files/batch", lambda hub, repo, r, m: repos.purge(hub.world, repo, r)),
)  # fmt: skip


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: clients that are killed hang up."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    hub: HubServer

    def log_message(self, *_: object) -> None:
        pass

    def _serve(self) -> None:
        url = urlsplit(self.path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        body, hub = self._body(), self.hub
        user = hub.world.users.get(headers.get("authorization", "").removeprefix("Bearer "))
        request = Request(self.command, url.path, url.query, headers, body, user, hub.url)
        with hub.lock:
            struck = [fault for fault in hub.faults if fault.strikes(self.command, url.path)]
        reply = self._first(request, struck) or hub.handle(request)
        hub.log.append(Seen(self.command, url.path, url.query, headers.get("host", ""), headers.get("authorization"),
                            sha256(body).hexdigest(), reply.status))  # fmt: skip
        if any(fault.action in ("lost", "drop") for fault in struck):
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        self._send(reply, {fault.action for fault in struck})

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = _serve

    def _first(self, request: Request, struck: list[Fault]) -> Reply | None:
        """Do what faults do before the request is applied; a reply ends it."""
        for fault in struck:
            if fault.action == "delay":
                time.sleep(fault.seconds)
            elif fault.action == "race" and (found := _REPO.fullmatch(request.path)):
                name = found["repo"]
                self.hub.intrude(name, ".github/phantom", str(fault.seen).encode())
            elif fault.action == "stale" and (found := _REPO.fullmatch(request.path)):
                return self.hub.handle(
                    Request(request.method, request.path.replace("/main", f"/{fault.revision}"), request.query,
                            request.headers, request.body, request.user, request.base)
                )  # fmt: skip
            elif fault.action == "status":
                return Reply(fault.status, b'{"error": "injected"}', fault.headers)
            elif fault.action == "drop":
                return Reply(599)
        return None

    def _send(self, reply: Reply, actions: set[str]) -> None:
        body = reply.body
        if "tamper" in actions and body:
            body = body[: len(body) // 2] + bytes([body[len(body) // 2] ^ 1]) + body[len(body) // 2 + 1 :]
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body[: len(body) // 2] if "truncate" in actions else body)
        if "truncate" in actions:
            self.close_connection = True

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        chunks = []
        while size := int(self.rfile.readline(), 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks)
