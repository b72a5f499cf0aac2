"""Answers of a local model: batched, greedy, left padded. Only imported where a model runs: it loads torch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from errorhub.views.encoding import ids_of


def generate(
    model: Any,
    tokenizer: Any,
    texts: Sequence[str],
    *,
    max_new_tokens: int,
    batch: int = 8,
    progress: Callable[[int], None] = lambda _: None,
) -> list[str]:
    """Return the answer to every rendered prompt, in their order. Prompts of like length are answered together."""
    prompts = [ids_of(tokenizer, text) for text in texts]
    order = sorted(range(len(prompts)), key=lambda place: len(prompts[place]))
    answers = [""] * len(prompts)
    training = model.training
    model.eval()
    for start in range(0, len(order), batch):
        places = order[start : start + batch]
        said = _batch(model, tokenizer, [prompts[place] for place in places], max_new_tokens)
        for place, text in zip(places, said, strict=True):
            answers[place] = text
        progress(len(places))
    model.train(training)
    return answers


def _batch(model: Any, tokenizer: Any, prompts: Sequence[list[int]], max_new_tokens: int) -> list[str]:
    longest = max(map(len, prompts))
    pad = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else tokenizer.eos_token_id
    ids = torch.tensor([[pad] * (longest - len(one)) + one for one in prompts], device=model.device)
    seen = torch.tensor([[0] * (longest - len(one)) + [1] * len(one) for one in prompts], device=model.device)
    with torch.no_grad():
        found = model.generate(
            input_ids=ids, attention_mask=seen, max_new_tokens=max_new_tokens, do_sample=False, num_beams=1,
            temperature=None, top_p=None, top_k=None, pad_token_id=pad, eos_token_id=_stops(model, tokenizer),
            use_cache=True,
        )  # fmt: skip
    return [str(tokenizer.decode(one, skip_special_tokens=True)).strip() for one in found[:, longest:].tolist()]


def _stops(model: Any, tokenizer: Any) -> list[int]:
    """Return every token that ends a turn: the tokenizer's, the model's, and the end of a turn of ChatML."""
    named = model.generation_config.eos_token_id
    known = tokenizer.get_vocab()
    stops = {tokenizer.eos_token_id, *(named if isinstance(named, list) else [named]), known.get("<|im_end|>")}
    return sorted(stop for stop in stops if stop is not None)
