"""Text to terms: what the lexical leg counts.

English is stemmed and its stop words dropped; identifiers count whole and in parts (`FileNotFoundError` → itself,
file, found, error); scripts without spaces become pairs of characters; other scripts keep their words. What differs
between two runs of the same failure is no term at all: numbers (but three-digit codes: 404, 127), hashes, blobs,
scrubbers' placeholders, and names: whom a run was about is its topic, and one copy of it has them while another was
scrubbed. A name is a capitalised word within an English line; where all nouns have capitals, none is one.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from functools import cache, lru_cache
from hashlib import blake2b
from http import HTTPStatus
from importlib.util import find_spec
from pathlib import Path
from runpy import run_path
from typing import Any

MAX_TERM = 40
"""Longer words are blobs."""

_PLACEHOLDER = re.compile(r"<[A-Z][A-Z_]*(?:_\d+)?>")
_ENGLISH = re.compile(r"\b(?:the|and|of|to|that)\b")
_PHRASES = {word for status in HTTPStatus for word in status.phrase.split() if word.isalpha()}
_OF_ERRORS = "|".join(sorted(_PHRASES | {"Exception", "Warning", "Denied", "Refused"}))
"""Words that are written with capitals and name nobody: Internal Server Error."""
_CAPITALISED = "[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]+"
_NAME = re.compile(rf"(?<=[a-z,;)] )(?!(?:{_OF_ERRORS})\b){_CAPITALISED}(?:[-'’]{_CAPITALISED})*\b")
_WIDE = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_MARKED = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0dff"
_WORD = re.compile(rf"[{_WIDE}]+|(?:(?![{_WIDE}])[\w{_MARKED}])+")
_ASCII_WORD = re.compile(r"[A-Za-z0-9_]+")
_SPACELESS = re.compile(f"[{_WIDE}]")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_CODE = re.compile(r"[1-5]\d\d")
_MANY_DIGITS = re.compile(r"\d.*\d.*\d.*\d")


def terms(text: str) -> list[str]:
    """Return the terms of a text, in order and with repeats."""
    return [term for word in _words(text) for term in word_terms(word)]


def spelled(text: str) -> dict[str, str]:
    """Return the terms of a text, each with the first word it was made from."""
    found: dict[str, str] = {}
    for word in _words(text):
        made = word_terms(word)
        for term in made:
            found.setdefault(term, word if len(made) == 1 else term)
    return found


def keys(text: str) -> array[int]:
    """Return the terms of a text as `key` numbers them, in order and with repeats."""
    return array("q", [number for word in _words(text) for number in _word_keys(word)])


@lru_cache(maxsize=200_000)
def key(term: str) -> int:
    """Return the number of a term: 64 bits of its hash, the same on every machine, so that indexes can be joined."""
    return int.from_bytes(blake2b(term.encode(errors="replace"), digest_size=8).digest(), "little", signed=True)


@lru_cache(maxsize=200_000)
def _word_keys(word: str) -> tuple[int, ...]:
    return tuple(map(key, word_terms(word)))


def _words(text: str) -> list[str]:
    plain = _PLACEHOLDER.sub(" ", "\n".join(map(_nameless, text.split("\n"))))
    if plain.isascii():
        return _ASCII_WORD.findall(plain)
    return _WORD.findall(unicodedata.normalize("NFKC", plain))


def _nameless(line: str) -> str:
    return _NAME.sub(" ", line) if _ENGLISH.search(line) else line


@lru_cache(maxsize=200_000)
def word_terms(word: str) -> tuple[str, ...]:
    """Return the terms of one word."""
    if _SPACELESS.match(word):
        return tuple(word[at : at + 2] for at in range(max(1, len(word) - 1)))
    if word.isdigit():
        return (word,) if _CODE.fullmatch(word) else ()
    parts = _PART.findall(word) if word.isascii() else [word]
    whole = word.strip("_")
    if len(parts) > 1 and not _blob(whole):
        parts.insert(0, whole)
    elif len(parts) == 1 and not _blob(whole):
        parts = [whole]
    elif _blob(whole):
        return ()
    return tuple(term for part in parts if (term := _stem(part.casefold())))


def _blob(word: str) -> bool:
    return len(word) > MAX_TERM or _MANY_DIGITS.search(word) is not None


def _stem(word: str) -> str:
    if word in _stop_words() or (len(word) < 2 and word.isascii()):
        return ""
    return str(_stemmer().stemWord(word)) if word.isascii() else word


@cache
def _stemmer() -> Any:
    import Stemmer

    return Stemmer.Stemmer("english", 0)


@cache
def _stop_words() -> frozenset[str]:
    """Return bm25s's stop words, read from its file alone: importing the package takes half as long as a look-up."""
    package = find_spec("bm25s")
    folder = (package.submodule_search_locations if package else None) or [""]
    return frozenset(run_path(str(Path(folder[0]) / "stopwords.py"))["STOPWORDS_EN_PLUS"])
