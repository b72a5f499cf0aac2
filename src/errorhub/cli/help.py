"""The help page: everyday verbs first, the rest under headings, whole sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from typer.core import TyperGroup

if TYPE_CHECKING:
    from typer._click import Context, HelpFormatter

HEADINGS: Final = {
    "Everyday": "share demo import annotate repair review publish pull similar",
    "Pipeline": "formats collect diagnose check replay scrub scan list show stats verify export fixture index "
    "induce taxonomy",
    "Learning": "views train predict evaluate push card",
    "Keeping": "inbox workflow mcp skill",
}


class Verbs(TyperGroup):
    """Lists verbs in the order people meet them."""

    def list_commands(self, ctx: Context) -> list[str]:
        """Return the verbs, those without a heading last."""
        known = [name for names in HEADINGS.values() for name in names.split()]
        return sorted(self.commands, key=lambda name: known.index(name) if name in known else len(known))

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write one section a heading."""
        for heading, names in HEADINGS.items():
            rows = [(name, self.commands[name].get_short_help_str(limit=96)) for name in names.split()]
            with formatter.section(heading):
                formatter.write_dl(rows)
