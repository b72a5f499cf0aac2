"""An OpenAI-compatible server on loopback that answers as a test tells it to, counting what it was asked."""

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

USAGE = {"prompt_tokens": 100, "completion_tokens": 10}


@dataclass
class Model:
    """A server that answers every prompt with what `reply` says: (status, text), or (status, whole document)."""

    reply: Callable[[int, str], tuple[int, Any]]
    """Number of times this prompt was sent, last message -> status, and text or document; None is no JSON."""
    answer: Callable[[dict[str, Any]], tuple[int, Any]] | None = None
    """Takes the place of `reply`, and sees the whole request."""
    url: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)
    """Bodies of all requests."""
    headers: list[dict[str, str]] = field(default_factory=list)
    times: Counter[str] = field(default_factory=Counter)
    """Last message -> how often it was sent."""
    retry_after: str | None = "0"
    """Sent with 429."""
    seconds: float = 0.0
    """Waited before each answer."""
    at_once: int = 0
    most_at_once: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def prompts(self) -> list[str]:
        """The messages of each request as one text."""
        return ["\n".join(one["content"] for one in body["messages"]) for body in self.asked]


@contextmanager
def serving(reply: Callable[[int, str], tuple[int, Any]]) -> Iterator[Model]:
    """Run a model on loopback."""
    held = Model(reply)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(held))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    held.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield held
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _handler(held: Model) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            text = body["messages"][-1]["content"]
            with held.lock:
                held.asked.append(body)
                held.headers.append(dict(self.headers))
                held.times[text] += 1
                held.at_once += 1
                held.most_at_once = max(held.most_at_once, held.at_once)
            time.sleep(held.seconds)
            with held.lock:
                held.at_once -= 1
            self._send(*(held.answer(body) if held.answer else held.reply(held.times[text], text)))

        def _send(self, status: int, said: Any) -> None:
            choice = {"message": {"content": said}, "finish_reason": "stop"}
            document = {"choices": [choice], "usage": USAGE} if isinstance(said, str) else said
            data = json.dumps(document).encode() if document is not None else b"<html>"
            try:
                self.send_response(status)
                self.send_header("content-length", str(len(data)))
                if status == 429 and held.retry_after is not None:
                    self.send_header("retry-after", held.retry_after)
                self.end_headers()
                self.wfile.write(data)
            except (BrokenPipeError, ConnectionResetError):
                pass

        def log_message(self, *_: Any) -> None:
            pass

    return Handler
