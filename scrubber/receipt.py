"""What a scrub leaves behind: proof of what was done, never a trace of what was removed."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Receipt(BaseModel):
    """Certify one scrubbed document: which policy, which engines, how much was changed.

    Counts and kinds only; a value that was removed appears in no form but the keyed HMAC `source_key`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_: Literal["errorhub.receipt/1"] = Field("errorhub.receipt/1", alias="schema")
    """Version of this record."""
    policy: str
    """Name of the policy, for example `strict`."""
    policy_digest: str
    """SHA-256 of the policy's canonical JSON, lists of known values left out."""
    scrubber: str
    """Version of the scrubber's rules."""
    engines: tuple[str, ...] = ()
    """Detection and verification engines that ran, as `name version`."""
    counts: dict[str, int] = {}
    """Replaced values by kind."""
    dropped: dict[str, int] = {}
    """Values dropped wholesale by path pattern, for example `steps[*].input`."""
    residual: int = 0
    """Findings of the second engines in the output; anything but 0 blocks."""
    ner: str = "none"
    """The model that read names in prose, or `none`."""
    source_key: str = ""
    """Keyed HMAC-SHA256 of the unscrubbed document, policy, known values and scrubber version: equal means unchanged."""
    digest: str = ""
    """SHA-256 of the canonical JSON of the scrubbed document without its receipt."""
