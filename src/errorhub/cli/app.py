"""The application: global options, verbs in their order, and the one place where errors become exit codes."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Annotated

import typer
from typer._click.exceptions import ClickException, NoArgsIsHelpError, UsageError

from errorhub import __version__
from errorhub.cli import (
    card,
    checking,
    diagnosing,
    everyday,
    inducing,
    keeping,
    learning,
    pipeline,
    repairs,
    replaying,
    reviewing,
    taxonomy,
)
from errorhub.cli.frame import Frame, closed_pipe, print_json, warn
from errorhub.cli.help import Verbs
from errorhub.hub.errors import HubError
from errorhub.scrubber.errors import ScrubError

app = typer.Typer(
    cls=Verbs,
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Start here: errorhub demo",
)
_GLOBAL_FLAGS = {"--json", "-q", "--quiet"}
_GLOBAL_OPTIONS = {"--workspace", "--config"}


def _version(context: typer.Context, wanted: bool) -> None:
    if wanted:
        print_json({"version": __version__}) if context.params.get("json") else print(__version__)
        raise typer.Exit


@app.callback()
def errorhub(
    context: typer.Context,
    workspace: Annotated[
        Path | None, typer.Option(help="Folder of stages [default: ./.errorhub]", show_default=False)
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON document on standard output.", is_eager=True)] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print ids only.")] = False,
    config: Annotated[Path | None, typer.Option(help="Settings file [default: ./errorhub.toml]")] = None,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_version)
    ] = False,
) -> None:
    """Turn failed LLM-agent runs into a corpus that teams share, search and learn from.

    Global options may stand before or after the verb.
    """
    context.obj = Frame(workspace_folder=workspace, config=config, json=json, quiet=quiet)


everyday.register(app)
reviewing.register(app)
repairs.register(app)
replaying.register(app)
diagnosing.register(app)
checking.register(app)
pipeline.register(app)
inducing.register(app)
taxonomy.register(app)
learning.register(app)
card.register(app)
keeping.register(app)


def run(arguments: list[str]) -> int:
    """Run a command line and return its exit code; every error leaves through here."""
    arguments = _hoisted(arguments)
    as_json = "--json" in arguments
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = app(arguments, prog_name="errorhub", standalone_mode=False)
        sys.stdout.flush()
        return _interrupted(as_json) if code == 130 else code if isinstance(code, int) else 0
    except NoArgsIsHelpError as problem:
        if as_json:
            return _fail(as_json, 2, "usage", "Missing command.", "errorhub --help")
        print(problem.ctx.get_help() if problem.ctx else problem.format_message())
        return 2
    except ClickException as problem:
        hint = problem.ctx.command_path + " --help" if isinstance(problem, UsageError) and problem.ctx else None
        return _fail(as_json, 2, "usage", problem.format_message(), hint)
    except (KeyboardInterrupt, typer.Abort):
        return _interrupted(as_json)
    except BrokenPipeError:
        return closed_pipe()
    except (HubError, ScrubError) as problem:
        return _fail(as_json, problem.exit_code, problem.code, str(problem), problem.hint)
    except OSError as problem:
        place = f"{problem.filename}: " if problem.filename else ""
        return _fail(as_json, 2, "system", f"{place}{problem.strerror or problem}.", None)


def _interrupted(as_json: bool) -> int:
    return _fail(as_json, 130, "interrupted", "interrupted. Run the same command again to continue.", None)


def _fail(as_json: bool, exit_code: int, code: str, message: str, hint: str | None) -> int:
    if as_json:
        print_json({"error": {"code": code, "message": message, "hint": hint}})
    else:
        warn(f"error: {message}")
        if hint:
            warn(f"hint: {hint}")
    return exit_code


def _hoisted(arguments: list[str]) -> list[str]:
    """Move global options in front of the verb, wherever they were typed; what follows `--` stays."""
    front: list[str] = []
    rest: list[str] = []
    words = iter(arguments)
    for word in words:
        if word == "--":
            rest += [word, *words]
        elif word in _GLOBAL_FLAGS or ("=" in word and word.split("=")[0] in _GLOBAL_OPTIONS):
            front.append(word)
        elif word in _GLOBAL_OPTIONS:
            front += [word, *([value] if (value := next(words, None)) is not None else [])]
        else:
            rest.append(word)
    return front + rest
