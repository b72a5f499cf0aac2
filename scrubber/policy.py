"""What is looked for, what is dropped and what may stay: a policy is data, loaded from TOML."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from errorhub.scrubber.canonical import digest
from errorhub.scrubber.errors import PolicyError
from errorhub.scrubber.paths import parse

PRESETS = ("internal", "share", "strict")
NAME_KINDS = frozenset({"PERSON", "LOCATION", "ORGANIZATION"})
KIND = r"^[A-Z][A-Z0-9_]*$"


class PatternEntry(BaseModel):
    """A detector of the user's own."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    """Name of the rule in findings."""
    regex: str
    """RE2 pattern; group 1 is the value when there is one."""
    kind: str = Field("CUSTOM", pattern=KIND)
    """Word in the placeholder."""


class AllowEntry(BaseModel):
    """A value that may stay, with the reason why; known values never may."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    reason: str = Field(min_length=3)
    """Why this is no secret, for the next reader of the policy."""
    exact: str | None = None
    """The value itself."""
    pattern: str | None = None
    """RE2 pattern that the whole value matches."""

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if (self.exact is None) == (self.pattern is None):
            raise ValueError("give either exact or pattern")
        return self


class DenyEntry(BaseModel):
    """A pattern that refuses the whole document."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    """What is told when it matches; the match itself is not."""
    regex: str
    """RE2 pattern, searched in every string and key."""


class Policy(BaseModel):
    """Say how to scrub. Values are immutable; `with_paths` adds what a schema knows about its own paths."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    """Name in receipts."""
    off: tuple[str, ...] = ()
    """Kinds that are not looked for."""
    names: bool = True
    """Read names of people, places and organisations in prose, when the `[ner]` model is installed."""
    names_threshold: float = Field(0.6, ge=0, le=1)
    """Lowest score of a name that is replaced."""
    names_entities: tuple[str, ...] = ("PERSON", "LOCATION", "ORGANIZATION")
    """Entities of presidio that count as names."""
    drops_inputs: bool = False
    """Whether the paths a schema hands over as inputs are dropped wholesale; `drop` written in a policy always is."""
    drop: tuple[str, ...] = ()
    """Paths that become null."""
    omit: tuple[str, ...] = ()
    """Paths that become null, but whose repeats elsewhere may stay: copies of what the document holds anyway."""
    whole: tuple[str, ...] = ()
    """Paths whose string becomes `<DROPPED>` when it repeats something dropped; elsewhere only the repeat goes."""
    repeat: int = Field(20, ge=8)
    """Shortest run of characters that counts as a repeat of something dropped."""
    ids: tuple[str, ...] = ()
    """Paths of identifiers: entropy, assignment and number rules are off there, everything else holds."""
    prose: tuple[str, ...] = ()
    """Paths where people and models write sentences; names are looked for only there."""
    opaque: tuple[str, ...] = ()
    """Paths of signatures and encrypted payloads, replaced by type, size and keyed hash."""
    pattern: tuple[PatternEntry, ...] = ()
    """Detectors of the user's own."""
    allow: tuple[AllowEntry, ...] = ()
    """Values that may stay."""
    deny_case: tuple[DenyEntry, ...] = ()
    """Patterns that refuse the whole document."""

    @field_validator("drop", "omit", "whole", "ids", "prose", "opaque")
    @classmethod
    def _paths_parse(cls, patterns: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in patterns:
            try:
                parse(pattern)
            except PolicyError as error:
                raise ValueError(str(error)) from None
        return patterns

    @field_validator("off")
    @classmethod
    def _kinds_exist(cls, kinds: tuple[str, ...]) -> tuple[str, ...]:
        if not kinds:
            return kinds
        from errorhub.scrubber.rules import RULES

        known = {rule.kind for rule in RULES} | NAME_KINDS
        for kind in kinds:
            if kind not in known:
                near = get_close_matches(kind, known, 1)
                raise ValueError(f"unknown kind {kind!r}" + (f", did you mean {near[0]!r}" if near else ""))
        return kinds

    @model_validator(mode="after")
    def _patterns_compile(self) -> Self:
        for name, regex in [(entry.name, entry.regex) for entry in self.pattern] + [
            (entry.name, entry.regex) for entry in self.deny_case
        ]:
            compile_pattern(regex, name)
        for allowed in self.allow:
            if allowed.pattern is not None:
                compile_pattern(allowed.pattern, f"allow: {allowed.reason}")
        return self

    @classmethod
    def load(cls, source: str | Path) -> Self:
        """Load a preset by name or a TOML file; raise PolicyError naming the key or pattern that is wrong."""
        if isinstance(source, str) and source in PRESETS:
            text = resources.files(__package__).joinpath("policies", f"{source}.toml").read_text("utf-8")
        else:
            text = _read(Path(source))
        try:
            fields = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise PolicyError(f"policy {str(source)!r} is not TOML: {error}.") from None
        policy = cls.of(fields, str(source))
        if policy.name in PRESETS and policy.name != source:
            raise PolicyError(f"policy {str(source)!r} is named like a preset. Set a name of its own in it.")
        return policy

    @classmethod
    def of(cls, fields: dict[str, Any], source: str = "policy") -> Self:
        """Build a policy from plain fields; `extends = "share"` starts from a preset and adds to its lists."""
        base = fields.pop("extends", None)
        if base is not None:
            if base not in PRESETS:
                raise PolicyError(f"policy {source!r} extends {base!r}. Presets are {', '.join(PRESETS)}.")
            fields = _extend(cls.load(base).model_dump(), fields)
        fields.setdefault("name", Path(source).stem)
        try:
            return cls.model_validate(fields)
        except ValidationError as error:
            raise PolicyError(f"policy {source!r}: {_explain(error)}.") from None

    def with_paths(
        self,
        *,
        drop: Iterable[str] = (),
        omit: Iterable[str] = (),
        whole: Iterable[str] = (),
        ids: Iterable[str] = (),
        prose: Iterable[str] = (),
        opaque: Iterable[str] = (),
    ) -> Self:
        """Return this policy with the paths of a schema added; its inputs only when the policy drops inputs."""
        added = {
            "drop": drop if self.drops_inputs else (),
            "omit": omit if self.drops_inputs else (),
            "whole": whole,
            "ids": ids,
            "prose": prose,
            "opaque": opaque,
        }
        return self._merged({key: tuple(paths) for key, paths in added.items()})

    def with_rules(
        self, *, pattern: Iterable[PatternEntry] = (), allow: Iterable[AllowEntry] = (), deny: Iterable[DenyEntry] = ()
    ) -> Self:
        """Return this policy with patterns, allowed values and refusals added."""
        return self._merged({"pattern": tuple(pattern), "allow": tuple(allow), "deny_case": tuple(deny)})

    def without_names(self) -> Self:
        """Return this policy with the reading of names switched off."""
        return self.model_copy(update={"names": False})

    @property
    def digest(self) -> str:
        """SHA-256 of the canonical JSON of all fields."""
        return _digest(self)

    def _merged(self, added: dict[str, tuple[Any, ...]]) -> Self:
        fields = {key: getattr(self, key) for key in type(self).model_fields}
        merged = {key: tuple(dict.fromkeys((*fields[key], *values))) for key, values in added.items()}
        try:
            return self.model_validate(fields | merged)
        except ValidationError as error:
            raise PolicyError(f"policy {self.name!r}: {_explain(error)}.") from None


@lru_cache(maxsize=64)
def _digest(policy: Policy) -> str:
    return digest(policy.model_dump(mode="json"))


def compile_pattern(regex: str, name: str) -> Any:
    """Compile an RE2 pattern quietly; raise ValueError naming it and what RE2 says."""
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(regex, options)
    except re2.error as error:
        said = error.args[0] if error.args else "refused"
        said = said.decode("utf-8", "replace") if isinstance(said, bytes) else said
        raise ValueError(f"pattern {name!r} is refused by RE2 ({said})") from None


def read_allow(path: Path) -> tuple[AllowEntry, ...]:
    """Read allowed values from a TOML file with `[[allow]]` tables, or one exact value a line with `# reason` above."""
    text = _read(path)
    if path.suffix == ".toml":
        try:
            fields = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise PolicyError(f"allow list {str(path)!r} is not TOML: {error}.") from None
        return Policy.of({"name": "allow", **fields}, str(path)).allow
    reason = f"listed in {path.name}"
    entries: list[AllowEntry] = []
    for line in text.splitlines():
        if line.startswith("#"):
            reason = line.lstrip("# ").strip() or reason
        elif line.strip():
            entries.append(AllowEntry(exact=line.strip(), reason=reason))
    return tuple(entries)


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except FileNotFoundError:
        hint = f"Presets are {', '.join(PRESETS)}."
        raise PolicyError(f"policy {str(path)!r} is neither a preset nor a file.", hint) from None
    except (OSError, UnicodeDecodeError) as error:
        raise PolicyError(f"policy file {str(path)!r} cannot be read: {type(error).__name__}.") from None


def _extend(base: dict[str, Any], fields: dict[str, Any]) -> dict[str, Any]:
    merged = {key: value for key, value in base.items() if key != "name"}
    for key, value in fields.items():
        both = isinstance(value, list) and isinstance(merged.get(key), tuple) and key != "names_entities"
        merged[key] = (*merged[key], *value) if both else value
    return merged


def _explain(error: ValidationError) -> str:
    """Say the first problem in one clause; inputs are left out because an allow entry may be a secret."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    said = first["msg"].removeprefix("Value error, ")
    if first["type"] == "extra_forbidden":
        return f"unknown key {place!r}, known keys are {', '.join(sorted(Policy.model_fields))}"
    return f"{place}: {said}" if place else said
