"""The tools the scrub benchmark measures side by side: each becomes a function from a document to a redacted one."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple

Redact = Callable[[Any], Any]
Spans = Iterable[tuple[int, int]]
MASK = "<X>"


class Tool(NamedTuple):
    """A tool that is installed."""

    name: str
    redact: Redact
    slow: bool = False
    """Reads less than a megabyte a second, so it gets a part of the traces."""
    anew: Callable[[], Redact] | None = None
    """Makes one that remembers nothing of what it has read."""


def ours(*, names: bool = False, rereads: bool = False) -> Redact:
    """Return this project's scrub under policy share."""
    from errorhub.scrubber import Policy, Vault, reread, scrub

    policy, vault = Policy.load("share"), Vault(secrets.token_bytes(32))  # a new key, so that nothing is remembered
    policy = policy if names else policy.without_names()

    def redact(document: Any) -> Any:
        clean = scrub(document, policy, vault).document
        if rereads:
            reread(clean, policy, vault)
        return clean

    return redact


def _presidio() -> Redact:
    """Presidio's own recognisers, threshold 0.4, without a model and without its look-up of domain suffixes."""
    import spacy
    import tldextract
    from presidio_analyzer import AnalyzerEngine
    from presidio_analyzer.nlp_engine import NerModelConfiguration, SpacyNlpEngine

    vars(tldextract)["extract"] = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)
    engine = SpacyNlpEngine(models=[], ner_model_configuration=NerModelConfiguration(labels_to_ignore=[]))
    vars(engine)["nlp"] = {"en": spacy.blank("en")}
    analyze = AnalyzerEngine(nlp_engine=engine, supported_languages=["en"]).analyze
    return _on_leaves(lambda text: ((one.start, one.end) for one in analyze(text, "en", score_threshold=0.4)))


def _agentdebugx() -> Redact:
    from agentdebug.hub.scrub import Scrubber, ScrubReport

    scrubber = Scrubber()
    return lambda document: scrubber.scrub_value(document, ScrubReport())


def _detect_secrets() -> Redact:
    from detect_secrets.core.scan import scan_line
    from detect_secrets.settings import default_settings

    def spans(text: str) -> Spans:
        at = 0
        for line in text.splitlines(keepends=True):
            for found in scan_line(line):
                value = found.secret_value or ""
                place = line.find(value) if value else -1
                if place >= 0:
                    yield at + place, at + place + len(value)
            at += len(line)

    redact = _on_leaves(spans)

    def inside(document: Any) -> Any:
        with default_settings():
            return redact(document)

    return inside


def _kingfisher() -> Redact:
    from kingfisher_sdk import Rules, Scanner

    scanner = Scanner(Rules(confidence="medium"), base64=True)

    def spans(text: str) -> Spans:
        data = text.encode("utf-8", "surrogatepass")
        for hit in scanner.scan(data):
            start, end = hit.location["start_offset"], hit.location["end_offset"]
            first = len(data[:start].decode("utf-8", "replace"))
            yield first, first + len(data[start:end].decode("utf-8", "replace"))

    return _on_leaves(spans)


def _redact_secret() -> Redact:
    from redact_secret import scan

    return _on_leaves(lambda text: ((one.start, one.end) for one in scan(text)))


def _dataclaw() -> Redact:
    from dataclaw.secrets import redact_text

    return _walk(lambda text: redact_text(text)[0])


PEERS: dict[str, tuple[str, Callable[[], Redact], bool]] = {
    "presidio": ("presidio-analyzer", _presidio, True),
    "agentdebugx hub": ("agentdebugx", _agentdebugx, False),
    "detect-secrets": ("detect-secrets", _detect_secrets, True),
    "kingfisher SDK": ("kingfisher-secret-scanner", _kingfisher, False),
    "redact-secret": ("redact-secret", _redact_secret, False),
    "dataclaw": ("dataclaw", _dataclaw, False),
}
"""Name -> distribution, how it is made, whether it is slow."""


def installed(names: Iterable[str] = PEERS) -> tuple[list[Tool], list[str]]:
    """Return the peers that are here, and a line for each that is not."""
    tools, absent = [], []
    for name in names:
        package, make, slow = PEERS[name]
        try:
            tools.append(Tool(f"{name} {version(package)}", make(), slow))
        except (ImportError, PackageNotFoundError):
            absent.append(f"{name}: not installed (pip install {package})")
    return tools, absent


def _on_leaves(find: Callable[[str], Spans]) -> Redact:
    """Mask the spans that a scanner finds in each string."""

    def redact(text: str) -> str:
        parts, at = [], 0
        for start, end in sorted(find(text)):
            if end > at:
                parts += [text[at:start], MASK] if start >= at else []
                at = end
        return "".join((*parts, text[at:]))

    return _walk(redact)


def _walk(redact: Callable[[str], str]) -> Redact:
    """Give a tool every string, and every key and large number once, as a careful user would."""
    seen: dict[str, str] = {}

    def once(text: str) -> str:
        if text not in seen:
            seen[text] = redact(text)
        return seen[text]

    def walk(value: Any) -> Any:
        if isinstance(value, str):
            return redact(value)
        if isinstance(value, dict):
            return {once(key): walk(item) for key, item in value.items()}
        if isinstance(value, list):
            return [walk(item) for item in value]
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**6:
            changed = once(str(value))
            return value if changed == str(value) else changed
        return value

    return walk
