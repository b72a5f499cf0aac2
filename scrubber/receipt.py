"""What a scrub leaves behind: proof of what was done, never a trace of what was removed."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from errorhub.scrubber.canonical import digest


class Receipt(BaseModel):
    """Certify one scrubbed document: which policy, which engines, how much was changed.

    Counts and kinds only; a value that was removed appears in no form but the keyed HMAC `source_key`.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", serialize_by_alias=True, validate_by_name=True, validate_by_alias=True
    )

    schema_: Literal["errorhub.receipt/1"] = Field(default="errorhub.receipt/1", alias="schema")
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
    rules: dict[str, int] = {}
    """Replaced values by the rule that found them."""
    dropped: dict[str, int] = {}
    """Values dropped wholesale by path pattern, for example `steps[*].input`."""
    residual: int = 0
    """Findings of the second engines in the output; anything but 0 blocks."""
    ner: str = "none"
    """The model that read names in prose, or `none`."""
    source_key: str = ""
    """Keyed HMAC-SHA256 of the unscrubbed document, policy, known values and versions: equal means unchanged."""
    digest: str = ""
    """SHA-256 of the canonical JSON of the scrubbed document without its receipt."""

    def bound_to(self, document: Any, *engines: str) -> Receipt:
        """Return this receipt for a document that was rewritten after the scrub, its own `receipt` entry left out.

        `engines` are those that read it again meanwhile.
        """
        ran = tuple(dict.fromkeys((*self.engines, *engines)))
        return self.model_copy(update={"digest": digest(_without_receipt(document)), "engines": ran})

    def certifies(self, document: Any) -> bool:
        """Tell whether the document, its own `receipt` entry left out, is the one this receipt was written for."""
        return bool(self.digest) and digest(_without_receipt(document)) == self.digest


def _without_receipt(document: Any) -> Any:
    if not isinstance(document, dict):
        return document
    return {key: value for key, value in document.items() if key != "receipt"}
