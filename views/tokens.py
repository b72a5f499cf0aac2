"""How many tokens a text has, for any tokenizer of the Hugging Face kind, or by a bound without one."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Protocol

from errorhub.hub.errors import UsageError

MESSAGE_TOKENS = 8
"""What a chat template adds to a message at most; counted for every message."""


class Counter(Protocol):
    """Counts tokens."""

    name: str
    """Digest of the tokenizer, or how the count is made."""

    def count(self, text: str) -> int:
        """Return how many tokens a text has."""
        ...


class ByteBound:
    """A count without a tokenizer: one token for every three bytes, which English stays below."""

    name = "bytes/3"

    def count(self, text: str) -> int:
        """Return the bytes of a text over three, rounded up."""
        return -(-len(text.encode()) // 3)


class Tokenizer:
    """Counts with a tokenizer.json; texts seen before are not counted again."""

    def __init__(self, path: Path) -> None:
        self._path = path
        file = path / "tokenizer.json" if path.is_dir() else path
        if not file.is_file():
            raise UsageError(f"no tokenizer at {path}: a tokenizer.json, or a folder that holds one, is expected.")
        try:
            loaded = import_module("tokenizers").Tokenizer.from_file(str(file))
        except ModuleNotFoundError:
            raise UsageError(
                "counting tokens needs tokenizers, which is not installed.", hint="pip install 'agent-error-hub[train]'"
            ) from None
        except Exception as problem:  # noqa: BLE001 - the library raises Exception itself for a file it cannot read
            raise UsageError(f"not a tokenizer: {file}: {problem}.") from None
        self.name = hashlib.sha256(file.read_bytes()).hexdigest()
        self.count = lru_cache(maxsize=20_000)(lambda text: len(loaded.encode(text, add_special_tokens=False).ids))

    def __reduce__(self) -> tuple[Callable[[Path], Tokenizer], tuple[Path]]:
        """Travel to another process as a place; there it is read once."""
        return _loaded, (self._path,)


@lru_cache(maxsize=1)
def _loaded(path: Path) -> Tokenizer:
    return Tokenizer(path)


def counter(path: Path | None) -> Counter:
    """Return the counter of a tokenizer, or the bound without one."""
    return Tokenizer(path) if path else ByteBound()
