"""Token ids of a row by a tokenizer's own chat template, and which of them carry loss.

The prompt is rendered as it will be at inference, thinking off; what the template adds for the answer is the target, up
to and with its stop token. Nothing is cut here, and no text of a run can pass for a mark of the template.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

from errorhub.hub.errors import RecordError, UsageError

IGNORE: Final = -100
"""Label of a token without loss."""

Messages = Sequence[Mapping[str, Any]]


class Encoded(NamedTuple):
    """A row as a model reads it; `labels` are the ids of the target and IGNORE elsewhere."""

    input_ids: list[int]
    labels: list[int]

    @property
    def target(self) -> list[int]:
        """Ids that carry loss."""
        return [label for label in self.labels if label != IGNORE]


def load_tokenizer(place: Path | str, template: Path | None = None) -> Any:
    """Load the tokenizer of a folder or a model name. Raise UsageError when there is none, or none with a template."""
    try:
        loader = import_module("transformers").AutoTokenizer
    except ModuleNotFoundError:
        raise UsageError(
            "a chat template needs transformers, which is not installed.", hint="pip install 'agent-error-hub[train]'"
        ) from None
    try:
        tokenizer = loader.from_pretrained(str(place))
    except (OSError, ValueError, TypeError) as problem:
        raise UsageError(f"no tokenizer at {place}: {str(problem).splitlines()[0]}") from None
    if template is not None:
        tokenizer.chat_template = template.read_text(encoding="utf-8")
    if not tokenizer.chat_template:
        raise UsageError(f"the tokenizer at {place} has no chat template. Name one with `template` in the recipe.")
    return tokenizer


def tokenizer_digest(tokenizer: Any) -> str:
    """Return the SHA-256 of what a tokenizer does to a conversation: its vocabulary, its rules, its template."""
    held = hashlib.sha256(tokenizer.backend_tokenizer.to_str().encode())
    held.update(str(tokenizer.chat_template).encode())
    return held.hexdigest()


def prompt_text(tokenizer: Any, prompt: Messages) -> str:
    """Return a prompt as the model sees it, ready to be answered."""
    return str(_rendered(tokenizer, _plain(tokenizer, prompt), add_generation_prompt=True))


def ids_of(tokenizer: Any, text: str) -> list[int]:
    """Return the ids of rendered text; the template has written the special tokens already."""
    return list(tokenizer(text, add_special_tokens=False)["input_ids"])


def encode(tokenizer: Any, prompt: Messages, completion: Messages) -> Encoded:
    """Return ids and labels of a row. Raise RecordError for a target that cannot be told from its context."""
    said = [{"role": one["role"], "content": one["content"]} for one in completion]
    if not prompt:
        raise RecordError("the prompt is empty.")
    if not said or not all(one["content"].strip() for one in said):
        raise RecordError("the target is empty.")
    if any(mark in one["content"] for one in said for mark in _marks(tokenizer)):
        raise RecordError("the target holds a special token of the tokenizer.")
    context = prompt_text(tokenizer, prompt)
    whole = str(_rendered(tokenizer, [*_plain(tokenizer, prompt), *said]))
    before, after = ids_of(tokenizer, context), _stopped(tokenizer, ids_of(tokenizer, _answer(whole, context, said)))
    return Encoded([*before, *after], [IGNORE] * len(before) + after)


def shown_tokens(tokenizer: Any, encoded: Encoded) -> list[dict[str, Any]]:
    """Return every token as text with whether it carries loss, in stretches of one kind."""
    stretches: list[tuple[bool, list[int]]] = []
    for token, label in zip(encoded.input_ids, encoded.labels, strict=True):
        if not stretches or stretches[-1][0] != (label != IGNORE):
            stretches.append((label != IGNORE, []))
        stretches[-1][1].append(token)
    return [{"loss": loss, "tokens": len(ids), "text": tokenizer.decode(ids)} for loss, ids in stretches]


def _answer(whole: str, context: str, said: Messages) -> str:
    """Return what a template writes for the answer. A turn of the agent's own before it may be rendered differently."""
    if whole.startswith(context):
        return whole[len(context) :]
    place = whole.rfind(said[0]["content"].strip()) if len(said) == 1 else -1
    if place < 0:
        raise RecordError("the template does not render the answer as it is.")
    return whole[place:]


def _stopped(tokenizer: Any, ids: list[int]) -> list[int]:
    """Return a target up to its stop token; blanks a template writes after it are never generated."""
    special = set(tokenizer.all_special_ids)
    end = len(ids)
    while end and ids[end - 1] not in special and not tokenizer.decode(ids[end - 1 : end]).strip():
        end -= 1
    return ids[:end] if end and ids[end - 1] in special else [*ids[:end], tokenizer.eos_token_id]


def _rendered(tokenizer: Any, messages: Messages, **options: Any) -> Any:
    error = import_module("jinja2").TemplateError
    try:
        return tokenizer.apply_chat_template(messages, tokenize=False, enable_thinking=False, **options)
    except error as problem:
        raise RecordError(f"the chat template refuses the row: {problem}") from None


def _plain(tokenizer: Any, messages: Messages) -> list[dict[str, Any]]:
    """Return messages in which no text reads as a special token: a blank is put after its first character."""
    marks = _marks(tokenizer)
    return [{"role": one["role"], "content": _defused(one["content"], marks)} for one in messages]


def _defused(text: str, marks: Iterable[str]) -> str:
    for mark in marks:
        if mark in text:
            text = text.replace(mark, f"{mark[0]} {mark[1:]}")
    return text


def _marks(tokenizer: Any) -> list[str]:
    added = [one.content for one in tokenizer.added_tokens_decoder.values()]
    return sorted((mark for mark in {*tokenizer.all_special_tokens, *added} if len(mark) > 1), key=len, reverse=True)
