"""card: what a hub, its taxonomy or a student is, as Markdown and Croissant."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from errorhub.cli.frame import frame, say


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("card")(card)


def card(
    context: typer.Context,
    of: Annotated[
        str,
        typer.Argument(metavar="SPEC|DIR", help="A hub (local:DIR, git:URL, hf:OWNER/NAME), or a student's folder."),
    ],
    out: Annotated[Path | None, typer.Option("--out", help="Folder for the files. [default: card]")] = None,
    form: Annotated[str, typer.Option("--form", help="Of the pictures: svg or png.")] = "svg",
) -> None:
    """Write the cards of a hub (dataset, Croissant, failure modes with pictures), or of a student.

    Example: errorhub card local:./error-hub --out card/
    """
    from errorhub.hub.errors import UsageError

    call = frame(context)
    if form not in ("svg", "png"):
        raise UsageError(f"no such form of pictures: {form}. Use svg or png.")
    folder = Path(of)
    student = folder.is_dir() and not (folder / "hub.json").exists()
    spec = "" if student else f"local:{of}" if folder.is_dir() else of
    paths = _hub(call.settings.workspace, spec, out or Path("card"), form) if spec else _student(folder, out or folder)
    names = [str(path) for path in paths]
    after = f"errorhub verify {spec}" if spec else f"errorhub push {of} --to hf:OWNER/NAME"
    call.emit({"paths": names, "next_command": after}, lambda: say("\n".join(names)), ids=lambda: names)


def _hub(workspace: Path, spec: str, out: Path, form: str) -> list[Path]:
    from errorhub.hub.hubcards import write_hub_cards

    return write_hub_cards(workspace, spec, out, form)


def _student(folder: Path, out: Path) -> list[Path]:
    from errorhub.hub.durable import write_file
    from errorhub.training import student_card

    text = student_card(folder)
    out.mkdir(parents=True, exist_ok=True)
    write_file(out / "README.md", text.encode(), mode=0o644)
    return [out / "README.md"]
