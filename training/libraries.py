"""The model libraries: how many processes they run in, and how they keep quiet."""

from __future__ import annotations

from typing import Any

from errorhub.hub.extras import extra


def processes() -> Any:
    """Return which of the processes of a training this one is, on CPUs too."""
    torch = extra("torch", feature="training", name="train")
    return extra("accelerate", feature="training", name="train").PartialState(cpu=not torch.cuda.is_available())


def quiet() -> None:
    """Keep progress bars and notes of the model libraries off the screen; they know nothing of --json."""
    log = extra("transformers", feature="training", name="train").utils.logging
    log.disable_progress_bar()
    log.set_verbosity_error()
    extra("datasets", feature="training", name="train").disable_progress_bars()
