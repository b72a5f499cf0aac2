"""Keys without a shape of their own, known by the service that the text names before them."""

from __future__ import annotations

from errorhub.scrubber.rules import token_checks as checks
from errorhub.scrubber.rules.rule import Rule
from errorhub.scrubber.rules.wordlists import VENDORS

_NAMES = sorted(VENDORS)
_GROUP = 30

_GAP = r"[\w .\-]{0,40}[\"'`\])]{0,2}[ \t]{0,3}(?:=>|\?=|:{1,3}=|={1,2}|:|\|\||>|,|\s|\()[\s\"'`=]{0,5}"
_VALUE = r"([A-Za-z0-9_+/~][A-Za-z0-9_\-.+/=~:]{13,200})"


def _row(number: int, names: list[str]) -> Rule:
    words = "|".join(name.replace(".", r"\.") for name in names)
    return Rule(
        f"vendor-key-{number}",
        "API_KEY",
        rf"(?i)(?:^|[^a-z])(?:{words}){_GAP}{_VALUE}",
        tuple(names),
        check=checks.vendor_value,
        generic=True,
    )


RULES: tuple[Rule, ...] = (
    *(_row(i // _GROUP + 1, _NAMES[i : i + _GROUP]) for i in range(0, len(_NAMES), _GROUP)),
    Rule(
        "named-key",
        "API_KEY",
        r"(?:[a-z0-9_\-](?:[Kk]ey|[Pp]at|[Pp]wd)|[A-Z0-9_](?:KEY|PAT))[\"'`]?\]?\s{0,3}(?:=>|:=|=|:)\s{0,3}[\"'`]?"
        r"([A-Za-z0-9_\-+/=~]{20,200})",
        ("key", "pat", "pwd"),
        check=checks.random_key,
        generic=True,
    ),
)
