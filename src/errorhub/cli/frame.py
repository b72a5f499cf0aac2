"""The frame of a command: settings, workspace, output in two shapes, progress, errors."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from errorhub.cli.settings import Settings
    from errorhub.hub.workspace import Workspace
    from errorhub.scrubber import Policy


@dataclass
class Frame:
    """What every verb of one call shares."""

    workspace_folder: Path | None = None
    config: Path | None = None
    json: bool = False
    quiet: bool = False
    _settings: Settings | None = field(default=None, repr=False)

    @property
    def settings(self) -> Settings:
        """Settings in order of precedence: flags, ERRORHUB_* environment, errorhub.toml."""
        if self._settings is None:
            from errorhub.cli.settings import load

            self._settings = load(self.config, workspace=self.workspace_folder)
        return self._settings

    def workspace(self) -> Workspace:
        """Open the workspace, making it when it is new."""
        from errorhub.hub.workspace import Workspace

        return Workspace.open(self.settings.workspace)

    def author(self, by: str | None, workspace: Workspace) -> str:
        """Return who acts: the name given, the one in the settings, or the workspace's pseudonym."""
        return by or self.settings.by or workspace.actor

    def policy(self, name: str | None) -> Policy:
        """Load the scrub policy named on the line, else in the settings."""
        from errorhub.scrubber import Policy

        return Policy.load(name or self.settings.policy)

    def emit(self, result: dict[str, Any], human: Callable[[], None], *, ids: Callable[[], list[str]] = list) -> None:
        """Print a result: one JSON document with --json, one id a line with -q, else for a person."""
        command = str(result.get("next_command") or "")
        if self.workspace_folder and command.startswith("errorhub "):
            result = result | {"next_command": f"{command} --workspace {shlex.quote(str(self.workspace_folder))}"}
        try:
            self._print(result, human, ids)
            sys.stdout.flush()
        except BrokenPipeError:
            raise typer.Exit(closed_pipe()) from None

    def _print(self, result: dict[str, Any], human: Callable[[], None], ids: Callable[[], list[str]]) -> None:
        if self.json:
            print_json(result)
        elif self.quiet:
            for one in ids():
                print(one)
        else:
            human()
            if command := result.get("next_command"):
                say(f"\nnext: {command}")

    @contextmanager
    def progress(self, label: str) -> Iterator[Callable[[int], None]]:
        """Give a function that moves a progress bar; silent unless standard error is a terminal."""
        if self.quiet or self.json or not sys.stderr.isatty():
            yield lambda _: None
            return
        from rich.console import Console
        from rich.progress import Progress

        with Progress(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(label, total=None)
            yield lambda step: bar.advance(task, step)


def frame(context: typer.Context) -> Frame:
    """Return the frame of a call."""
    found = context.find_object(Frame)
    return found or Frame()


def closed_pipe() -> int:
    """Answer a reader that closed early, as `| head -1` does: print nothing more, which is no failure."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def print_json(value: Any) -> None:
    """Print one JSON document on standard output."""
    import json

    print(json.dumps(value, ensure_ascii=False, indent=2))


def say(text: str) -> None:
    """Print a line for a person; control characters from foreign text are escaped."""
    print("\n".join(plain(line) for line in text.split("\n")))


def warn(text: str) -> None:
    """Print a line on standard error."""
    print(plain(text), file=sys.stderr)


def number(count: int, noun: str) -> str:
    """Return `1 bundle`, `2 bundles`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def plain(text: str) -> str:
    """Escape control characters, so that text from a bundle cannot drive a terminal."""
    return "".join(c if c.isprintable() or c == "\t" else f"\\x{ord(c):02x}" for c in text)


def table(headers: list[str], rows: list[list[Any]]) -> None:
    """Print a table for a person: aligned columns, long cells cut; nothing when it has no rows."""
    if not rows:
        return
    cells = [[_cell(value) for value in row] for row in rows]
    widths = [max(len(row[i]) for row in [headers, *cells]) for i in range(len(headers))]
    for row in [headers, *cells]:
        print("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip())


def _cell(value: Any) -> str:
    text = "" if value is None else ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    text = plain(text.replace("\n", " "))
    return text if len(text) <= 60 else text[:59] + "…"
