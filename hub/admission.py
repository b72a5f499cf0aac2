"""What a bundle must be before it may enter a hub, whoever vouches for it.

One row a rule; the first that fails says why.
"""

from __future__ import annotations

from collections.abc import Callable

from errorhub.hub.bundle import Bundle

Gate = Callable[[Bundle, bytes], str | None]
"""Bundle and its exact canonical bytes -> why it may not leave, or None."""


def refusal(bundle: Bundle) -> str | None:
    """Return `rule: reason` of the first rule that a bundle breaks, or None."""
    return next((f"{name}: {reason}" for name, broken, reason in RULES if broken(bundle)), None)


def uncertified(bundle: Bundle) -> bool:
    """Whether the receipt is missing or certifies another document."""
    return bundle.receipt is None or bundle.certified_digest != bundle.receipt.digest


def _residual(bundle: Bundle) -> bool:
    return bundle.receipt is None or bundle.receipt.residual != 0


def _unlicensed(bundle: Bundle) -> bool:
    from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

    try:
        canonicalize_license_expression(bundle.rights.license or "")
    except InvalidLicenseExpression:
        return True
    return False


def _leaks_answers(bundle: Bundle) -> bool:
    if bundle.receipt is None or bundle.receipt.policy != "strict":
        return False
    return any(value is not None for value in bundle.trajectory.construction_only.model_dump().values())


RULES: tuple[tuple[str, Callable[[Bundle], bool], str], ...] = (
    ("unscrubbed", lambda bundle: bundle.receipt is None, "no receipt. Run `errorhub scrub`"),
    ("receipt_mismatch", uncertified, "changed since it was scrubbed. Run `errorhub scrub` again"),
    ("residual", _residual, "the second engine still found something. Scrub again with a stricter policy"),
    ("license", _unlicensed, "no valid SPDX licence. Run `errorhub import LOG --license SPDX`, scrub and review again"),
    ("construction_only", _leaks_answers, "holds what only graders may see, which policy strict drops"),
)
