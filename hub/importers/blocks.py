"""Message content of chat APIs: texts, visible reasoning, and stand-ins for images and other bytes."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
from dataclasses import dataclass, field
from typing import Any

from errorhub.hub.importers.draft import Draft
from errorhub.hub.importers.shapes import text_or_none, type_of

_DATA_URL = re.compile(r"data:([^;,]*)(?:;[^,]*)?;base64,(.*)", re.DOTALL)
_TEXT = frozenset({"text", "input_text", "output_text", "summary_text", "refusal"})
_MEDIA = {"image": "image", "image_url": "image", "input_image": "image", "input_audio": "audio", "audio": "audio",
          "document": "file", "file": "file", "input_file": "file", "video": "video"}  # fmt: skip
_HIDDEN = frozenset({"redacted_thinking", "encrypted_content"})


@dataclass
class Content:
    """What one message says."""

    texts: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    parts: list[Any] = field(default_factory=list)
    """Everything that is neither: stand-ins, references, unknown blocks."""

    @property
    def empty(self) -> bool:
        """Whether it says nothing."""
        return not (any(self.texts) or self.reasoning or self.parts)

    @property
    def text(self) -> str:
        """The texts, one after the other."""
        return "\n".join(self.texts)

    def value(self) -> Any:
        """Return plain text or the one part there is; an object with `text`, `reasoning`, `parts` for anything more."""
        if not self.reasoning and not self.parts:
            return self.text
        if not self.reasoning and not self.texts and len(self.parts) == 1:
            return self.parts[0]
        value: dict[str, Any] = {"text": self.text}
        if self.reasoning:
            value["reasoning"] = "\n".join(self.reasoning)
        if self.parts:
            value["parts"] = self.parts
        return value


def content_of(value: Any, draft: Draft) -> Content:
    """Read the `content` of a message: text, a list of blocks or texts, null, or any other JSON value."""
    content = Content()
    if isinstance(value, str):
        content.texts.append(value)
    elif isinstance(value, list):
        for block in value:
            read_block(block, content, draft)
    elif value is not None:
        content.parts.append(value)
    return content


def read_block(block: Any, content: Content, draft: Draft) -> None:
    """Add one block to the content; signatures and hidden reasoning are counted and left out."""
    if isinstance(block, str):
        content.texts.append(block)
        return
    if not isinstance(block, dict):
        content.parts.append(block)
        return
    kind = type_of(block)
    text = block.get("text", block.get("content", block.get("refusal")))
    if kind in _TEXT and isinstance(text, str):
        content.texts.append(text)
    elif kind == "thinking" and isinstance(block.get("thinking"), str):
        if block["thinking"]:
            content.reasoning.append(block["thinking"])
        if block.get("signature") or block.get("thinkingSignature"):
            draft.lose("signature")
    elif kind in _HIDDEN:
        draft.lose(kind)
    elif kind in _MEDIA:
        content.parts.append(_media(block, _MEDIA[kind]))
    else:
        draft.lose(f"block.{kind}" if kind else "block")
        content.parts.append(without_bytes(block))


def arguments_of(value: Any) -> tuple[Any, dict[str, Any]]:
    """Return the arguments of a call, and a mark when their text is not a JSON object. Nothing is invented."""
    if not isinstance(value, str):
        return value, {}
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        return value, {"arguments": "text"}
    return (parsed, {}) if isinstance(parsed, dict) else (value, {"arguments": "text"})


def stand_in(kind: str, media_type: str | None, data: str) -> dict[str, Any]:
    """Return what is kept of bytes: their type, size and digest."""
    try:
        raw = base64.b64decode(data, validate=False)
    except (binascii.Error, ValueError):
        raw = data.encode("utf-8", "surrogatepass")
    return {"type": kind, "media_type": media_type, "bytes": len(raw), "sha256": hashlib.sha256(raw).hexdigest()}


def without_bytes(value: Any) -> Any:
    """Return a JSON value with every data URL and base64 source replaced by its stand-in."""
    if isinstance(value, str):
        found = _DATA_URL.match(value) if value.startswith("data:") else None
        return stand_in("data", found[1] or None, found[2]) if found else value
    if isinstance(value, list):
        return [without_bytes(item) for item in value]
    if isinstance(value, dict):
        if value.get("type") == "base64" and isinstance(value.get("data"), str):
            return stand_in("data", text_or_none(value.get("media_type")), value["data"])
        return {name: without_bytes(item) for name, item in value.items()}
    return value


def _media(block: dict[str, Any], kind: str) -> Any:
    source = block.get("source") or block.get("image_url") or block.get("input_audio") or block.get("file") or block
    if isinstance(source, dict):
        data = source.get("data") or source.get("file_data")
        url = source.get("url")
        media_type = source.get("media_type") or source.get("mimeType") or source.get("format")
        if isinstance(data, str) and not data.startswith("data:"):
            return stand_in(kind, media_type if isinstance(media_type, str) else None, data)
        source = data or url
    found = _DATA_URL.match(source) if isinstance(source, str) else None
    if found:
        return stand_in(kind, found[1] or None, found[2])
    return without_bytes(block)
