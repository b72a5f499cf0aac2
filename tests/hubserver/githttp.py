"""`git http-backend` on loopback behind Basic authentication: a private Git remote for tests."""

from __future__ import annotations

import base64
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

USER, WORD = "robot", "pass" + "phrase-7"
READER = "reader"
"""Has the same password, and may not push."""


@contextmanager
def serving(root: Path) -> Iterator[str]:
    """Serve the bare repositories below a folder and give host:port."""
    handler = type("Handler", (_Handler,), {"root": root})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    """Hands each request to the backend."""

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
        known = {"Basic " + base64.b64encode(f"{name}:{WORD}".encode()).decode(): name for name in (USER, READER)}
        user = known.get(self.headers.get("Authorization", ""))
        if user is None:
            self._answer(401, [("WWW-Authenticate", "Basic realm=test")], b"")
            return
        url = urlsplit(self.path)
        if user == READER and "receive-pack" in self.path:
            self._answer(403, [], b"")
            return
        environment = os.environ | {
            "GIT_PROJECT_ROOT": str(self.root), "GIT_HTTP_EXPORT_ALL": "1", "PATH_INFO": url.path,
            "QUERY_STRING": url.query, "REQUEST_METHOD": self.command, "REMOTE_USER": user, "REMOTE_ADDR": "127.0.0.1",
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
