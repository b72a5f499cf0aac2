"""Rewrite what is derived from code and kept in Git: the manual and the JSON Schema. `make golden`; review the diff."""

import json
from pathlib import Path
from typing import Any

from typer.main import get_command

from errorhub.cli.app import app
from errorhub.hub.bundle import Bundle

ROOT = Path(__file__).parent.parent
HEAD = """# The command, verb by verb

Written by `make golden` from `--help`. Global options (`--workspace DIR`, `--json`, `-q`, `--config FILE`, `--version`)
may stand before or after the verb. Exit codes: 0 ok · 1 findings or blocked · 2 usage or unreadable · 3 partial success ·
4 remote failure or broken chain · 130 interrupted, resumable. With `--json` an error is
`{"error": {"code", "message", "hint"}}` on standard output.
"""


def manual() -> str:
    """Return docs/cli.md: every verb and flag, as `--help` has them."""
    return HEAD + "".join(_section(command, f"errorhub {name}") for name, command in _verbs(get_command(app)))


def schema() -> str:
    """Return the JSON Schema of the bundle."""
    return json.dumps(Bundle.model_json_schema(), indent=1) + "\n"


def _verbs(group: Any, prefix: str = "") -> list[tuple[str, Any]]:
    verbs = []
    for name in group.list_commands(None):
        command = group.commands[name]
        verbs.append((prefix + name, command))
        if hasattr(command, "commands"):
            verbs += _verbs(command, f"{prefix}{name} ")
    return verbs


def _section(command: Any, name: str) -> str:
    lines = [f"\n## {name}\n", *((command.help or "").strip().split("\n")), ""]
    for parameter in command.params:
        flags = (
            ", ".join(parameter.opts) if parameter.param_type_name == "option" else parameter.metavar or parameter.name
        )
        text = getattr(parameter, "help", None) or ""
        if "--help" not in flags:
            lines.append(f"- `{flags}` {text}".rstrip())
    return "\n".join(line.rstrip() for line in lines).rstrip() + "\n"


if __name__ == "__main__":
    (ROOT / "docs/cli.md").write_text(manual(), encoding="utf-8")
    (ROOT / "docs/schema/bundle-1.json").write_text(schema(), encoding="utf-8")
