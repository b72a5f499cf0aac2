"""Packages of an extra, imported where they are used; when one is missing, a sentence with the command."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from errorhub.hub.errors import UsageError


def extra(module: str, *, feature: str, name: str) -> Any:
    """Return a module of an optional package. Raise UsageError with the pip command when it is not installed."""
    try:
        return import_module(module)
    except ModuleNotFoundError as problem:
        if problem.name is None or not module.startswith(problem.name.split(".")[0]):
            raise
        raise UsageError(
            f"{feature} needs {module.split('.')[0]}, which is not installed.",
            hint=f"pip install 'agent-error-hub[{name}]'",
        ) from None


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
