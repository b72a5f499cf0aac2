"""The trainer of students: TRL's, with the loss of a diagnosis and a look at the validation split.

Only imported where training happens: it loads torch and TRL.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from trl import SFTTrainer

from errorhub.hub.errors import Blocked
from errorhub.views.encoding import IGNORE

Judge = Callable[[Any], dict[str, float]]
"""Model -> scores on the validation split, their names starting with `eval_`."""


class NotFinite(Blocked):
    """The loss is no number; training stopped before the weights were spoilt."""

    code = "not_finite"


def token_losses(model: Any, inputs: dict[str, Any]) -> tuple[Any, Any]:
    """Return the loss of every token, zero where there is no label, and where labels are.

    The one place that knows the fused head of TRL 1.16; `tests/training/test_loss.py` holds it to a loss by hand.
    """
    found = model(**inputs, fused_lm_head=True)
    return -found.log_probs, found.label_mask


class StudentTrainer(SFTTrainer):  # type: ignore[misc]
    """TRL's trainer, the token mean of an actor by default."""

    judge: Judge | None = None
    """Scores the model at every evaluation."""

    def training_step(self, *args: Any, **kwargs: Any) -> Any:
        """Take one step. Raise NotFinite before the optimizer moves on a loss that is no number."""
        loss = super().training_step(*args, **kwargs)
        if not torch.isfinite(loss):
            step = self.state.global_step + 1
            raise NotFinite(f"the loss is {loss.item()} at step {step}. Lower learning_rate, or look at the rows.")
        return loss

    def evaluation_loop(self, *args: Any, **kwargs: Any) -> Any:
        """Evaluate, and let the judge score the answers of the model beside the loss."""
        found = super().evaluation_loop(*args, **kwargs)
        if self.judge:
            found.metrics.update(self.judge(self.accelerator.unwrap_model(self.model)))
        return found

    def create_model_card(self, *args: Any, **kwargs: Any) -> None:
        """Write nothing: a student has a card of its own."""


class DiagnosisTrainer(StudentTrainer):
    """Mean over examples of the mean over their target tokens (AED, losses): each case counts once.

    The examples of the whole optimizer step are counted, over accumulation and ranks, so that neither changes the loss.
    """

    def _get_num_items_in_batch(self, batch_samples: list[Any], device: Any) -> Any:
        rows = [batch["labels"][:, 1:].ne(IGNORE).any(dim=1).sum() for batch in batch_samples]
        count = sum(rows, torch.tensor(0)).to(device)
        return self.accelerator.gather(count).sum() if self.args.world_size > 1 else count

    def compute_loss(
        self, model: Any, inputs: dict[str, Any], return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        """Return the loss of a micro-batch, as its share of the mean over the examples of the step."""
        losses, mask = token_losses(model, inputs)
        tokens = mask.sum(dim=1)
        examples = losses.sum(dim=1) / tokens.clamp(min=1)
        count = (tokens > 0).sum() if num_items_in_batch is None else num_items_in_batch
        loss = examples.sum() / torch.as_tensor(count).clamp(min=1)
        # DDP averages gradients over ranks; the count is of all ranks, so the sum over ranks is what is wanted.
        loss = loss if num_items_in_batch is None else loss * self.accelerator.num_processes
        return (loss, None) if return_outputs else loss
