"""The loss of a diagnosis, held to a computation by hand; accumulation and ranks must not change it."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")

ROWS = [
    {"input_ids": [5, 6, 7, 8, 9, 10], "labels": [-100, -100, 7, 8, 9, 10]},
    {"input_ids": [11, 12, 13], "labels": [-100, -100, 13]},
    {"input_ids": list(range(20, 40)), "labels": [-100] * 3 + list(range(23, 40))},
    {"input_ids": [41, 42, 43, 44], "labels": [-100, 42, 43, 44]},
]
"""Targets of 4, 1, 17 and 3 tokens: where a mean over examples and a mean over tokens differ most."""

STEPS = """
import json, sys, torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig
from errorhub.training.loss import DiagnosisTrainer, StudentTrainer
torch.set_num_threads(1)
base, out, rows, plans = sys.argv[1:]
found = {}
for name, (kind, batch, accumulation) in json.loads(plans).items():
    config = SFTConfig(
        output_dir=out + ".part", per_device_train_batch_size=batch, gradient_accumulation_steps=accumulation, max_steps=1,
        learning_rate=1.0, lr_scheduler_type="constant", optim="sgd", max_grad_norm=0.0, weight_decay=0.0, use_cpu=True,
        bf16=False, activation_checkpointing=False, report_to="none", save_strategy="no", max_length=None,
        logging_steps=1, disable_tqdm=True, dataset_kwargs={"skip_prepare_dataset": True},
        dataloader_pin_memory=False, seed=0,
    )
    model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32)
    before = torch.cat([one.detach().flatten().clone() for one in model.parameters()])
    trainer = (DiagnosisTrainer if kind == "example" else StudentTrainer)(
        model=model, args=config, train_dataset=Dataset.from_list(json.loads(rows)),
        processing_class=AutoTokenizer.from_pretrained(base),
    )
    trainer.train()
    after = torch.cat([one.detach().flatten() for one in model.parameters()])
    found[name] = before - after, next(one["loss"] for one in trainer.state.log_history if "loss" in one)
if trainer.is_world_process_zero():
    torch.save(found, out)
"""

Steps = dict[str, tuple[Any, float]]


def by_hand(base: Path) -> tuple[Any, float]:
    """Return the gradient of the mean over examples of the mean over target tokens, and that mean."""
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32)
    means = []
    for row in ROWS:
        ids, labels = torch.tensor([row["input_ids"]]), row["labels"]
        chances = torch.log_softmax(model(ids).logits[0], dim=-1)
        losses = [-chances[place - 1, label] for place, label in enumerate(labels) if place and label != -100]
        means.append(sum(losses) / len(losses))
    loss = sum(means) / len(means)
    loss.backward()
    return torch.cat([one.grad.flatten() for one in model.parameters()]), float(loss.detach())


def stepped(base: Path, out: Path, plans: dict[str, tuple[str, int, int]], ranks: int = 1) -> Steps:
    """Take steps of plain gradient descent in fresh processes; return a gradient and a logged loss for each plan."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    arguments = [sys.executable, "-P", "-c", STEPS, str(base), str(out), json.dumps(ROWS), json.dumps(plans)]
    world = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "WORLD_SIZE": str(ranks)}
    started = [
        subprocess.Popen(
            arguments,
            env=os.environ | {"OMP_NUM_THREADS": "1"} | (world | {"RANK": str(i), "LOCAL_RANK": str(i)} if ranks > 1 else {}),
            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
        )
        for i in range(ranks)
    ]  # fmt: skip
    notes = [process.communicate(timeout=250)[1] for process in started]
    assert [process.returncode for process in started] == [0] * ranks, notes
    return dict(torch.load(out))


@pytest.fixture(scope="module")
def alone(tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> Steps:
    """Steps of both losses in one process, whole and accumulated."""
    plans = {
        f"{kind} {batch}x{4 // batch}": (kind, batch, 4 // batch) for kind in ("example", "token") for batch in (4, 1)
    }
    return stepped(tiny, tmp_path_factory.mktemp("alone") / "steps.pt", plans)


@pytest.mark.slow
@pytest.mark.parametrize("plan", ["example 4x1", "example 1x4"])
def test_each_example_counts_once(plan: str, alone: Steps, tiny: Path) -> None:
    assert_same(alone[plan], by_hand(tiny))


@pytest.mark.slow
def test_ranks_change_nothing(tiny: Path, tmp_path: Path) -> None:
    found = stepped(tiny, tmp_path / "steps.pt", {"both": ("example", 1, 2)}, ranks=2)
    assert_same(found["both"], by_hand(tiny))


@pytest.mark.slow
def test_an_actor_counts_tokens(alone: Steps, tiny: Path) -> None:
    (whole, one), (parts, two), (gradient, loss) = alone["token 4x1"], alone["token 1x4"], by_hand(tiny)
    assert abs(one - two) < 1e-5 and apart(parts, whole) < 1e-5
    assert abs(one - loss) > 1e-4 and apart(gradient, whole) > 0.05


def assert_same(found: tuple[Any, float], wanted: tuple[Any, float]) -> None:
    """Assert that gradient and loss are equal to a part in 100,000."""
    assert abs(found[1] - wanted[1]) < 1e-5 * wanted[1]
    assert apart(found[0], wanted[0]) < 1e-5


def apart(one: Any, other: Any) -> float:
    """Return the distance of two gradients as a share of the second."""
    return float((one - other).norm() / other.norm())
