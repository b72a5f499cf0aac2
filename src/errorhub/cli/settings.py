"""Settings: flags, then ERRORHUB_* environment, then errorhub.toml."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource

from errorhub.hub.errors import UsageError


class Settings(BaseSettings):
    """What a user can set once instead of typing it."""

    model_config = SettingsConfigDict(env_prefix="ERRORHUB_", extra="forbid", frozen=True)

    workspace: Path = Path(".errorhub")
    """Folder of stages."""
    policy: str = "strict"
    """Scrub policy: strict, share, internal, or a TOML file."""
    license: str | None = None
    """SPDX expression of everything imported here."""
    contributor: str | None = None
    """Pseudonym of the contributor, in the bundles' rights."""
    organisation: str | None = None
    """Organisation that wants to be named."""
    by: str | None = None
    """Name on annotations, verdicts and commits; a random pseudonym when empty."""


def load(config: Path | None, **flags: Any) -> Settings:
    """Return the settings of this call. Raise UsageError naming the key that is wrong."""
    path = config or Path("errorhub.toml")
    if config and not config.is_file():
        raise UsageError(f"no such settings file: {config}.")

    class Sourced(Settings):
        @classmethod
        def settings_customise_sources(
            cls,
            settings_cls: type[BaseSettings],
            init_settings: PydanticBaseSettingsSource,
            env_settings: PydanticBaseSettingsSource,
            dotenv_settings: PydanticBaseSettingsSource,
            file_secret_settings: PydanticBaseSettingsSource,
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, path)

    try:
        return Sourced(**{name: value for name, value in flags.items() if value is not None})
    except ValidationError as problem:
        first = problem.errors(include_input=False, include_url=False)[0]
        raise UsageError(f"setting {'.'.join(map(str, first['loc']))}: {first['msg']}. See docs/settings.md.") from None
    except ValueError as problem:
        raise UsageError(f"settings file {path} is not TOML: {problem}.") from None
