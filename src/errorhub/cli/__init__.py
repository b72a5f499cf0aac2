"""The command line: one file a group of verbs, no logic of its own."""

from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and exit with its code."""
    try:
        from errorhub.cli.app import run
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(run(list(sys.argv[1:] if arguments is None else arguments)))
