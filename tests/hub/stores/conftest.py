"""Empty places for a store: a folder, a bare repository by file://, and one behind an authenticated HTTP server."""

from __future__ import annotations

import base64
import os
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from hubserver.fixture import hub_server, hub_server_process, new_name

__all__ = ["hub_server", "hub_server_process"]

USER, WORD = "robot", "pass" + "phrase-7"


def git(*arguments: str, cwd: Path | None = None) -> str:
    """Run real git."""
    return subprocess.run(["git", *arguments], cwd=cwd, check=True, capture_output=True, text=True).stdout


class _Handler(BaseHTTPRequestHandler):
    """`git http-backend` behind Basic authentication."""

    protocol_version = "HTTP/1.1"
    root: Path

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def log_message(self, *_: object) -> None:
        pass

    def _serve(self) -> None:
        body = self._body()
        wanted = "Basic " + base64.b64encode(f"{USER}:{WORD}".encode()).decode()
        if self.headers.get("Authorization") != wanted:
            self._answer(401, [("WWW-Authenticate", "Basic realm=test")], b"")
            return
        url = urlsplit(self.path)
        environment = os.environ | {
            "GIT_PROJECT_ROOT": str(self.root), "GIT_HTTP_EXPORT_ALL": "1", "PATH_INFO": url.path,
            "QUERY_STRING": url.query, "REQUEST_METHOD": self.command, "REMOTE_USER": USER, "REMOTE_ADDR": "127.0.0.1",
            "CONTENT_TYPE": self.headers.get("Content-Type", ""), "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
        }  # fmt: skip
        done = subprocess.run(["git", "http-backend"], input=body, env=environment, capture_output=True, check=True)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        fields = [tuple(line.split(": ", 1)) for line in head.decode().split("\r\n")]
        status = next((int(value.split()[0]) for name, value in fields if name == "Status"), 200)
        self._answer(status, [(name, value) for name, value in fields if name != "Status"], content)

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        chunks = []
        while size := int(self.rfile.readline(), 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks)

    def _answer(self, status: int, fields: list[tuple[str, str]], content: bytes) -> None:
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@pytest.fixture(autouse=True)
def quiet_git(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the machine's own git settings out."""
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "stranger")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "stranger@example.invalid")


@pytest.fixture
def http_remote(tmp_path: Path) -> Iterator[str]:
    """Give host:port/repo.git of an empty bare repository behind a password."""
    git("init", "-q", "--bare", "-b", "main", str(tmp_path / "repo.git"))
    handler = type("Handler", (_Handler,), {"root": tmp_path})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield f"127.0.0.1:{server.server_port}/repo.git"
        server.shutdown()
        thread.join()


@pytest.fixture(params=["local", "git-file", "git-http", "hf"])
def spec(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Give the SPEC of an empty place in every kind of store."""
    if request.param == "local":
        return f"local:{tmp_path / 'store'}"
    if request.param == "git-http":
        return f"git:http://{USER}:{WORD}@{request.getfixturevalue('http_remote')}"
    if request.param == "hf":
        request.getfixturevalue("hub_server")
        return f"hf:{new_name()}"
    git("init", "-q", "--bare", "-b", "trunk", str(tmp_path / "repo.git"))
    return f"git:{(tmp_path / 'repo.git').as_uri()}"
