"""What can go wrong in the scrubber.

    ScrubError                base class; the message never holds a value of the document
    ├── PolicyError           a policy file, pattern or allow entry that cannot be used
    ├── VaultError            the key file or a list of known values that cannot be used
    ├── DocumentError         not a JSON document, or nested too deep
    ├── DocumentDenied        a pattern of the policy refuses the whole document
    ├── ScrubConflict         one value that is known as two kinds
    └── MissingEngine         a package that a check needs is not installed

`exit_code` is what the command line exits with, `code` the slug of its JSON error.
"""

from __future__ import annotations


class ScrubError(Exception):
    """Say that a document was not scrubbed; nothing was returned or written."""

    exit_code = 1
    code = "scrub-failed"

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


class PolicyError(ScrubError):
    """Name the key or pattern of a policy that cannot be used."""

    exit_code = 2
    code = "policy-invalid"


class VaultError(ScrubError):
    """Name the file and line of a key or known-value list that cannot be used."""

    exit_code = 2
    code = "vault-unusable"


class DocumentError(ScrubError):
    """Say why a value is no JSON document that can be scrubbed."""

    exit_code = 2
    code = "document-invalid"


class DocumentDenied(ScrubError):
    """Name the deny pattern that refuses the document as a whole."""

    code = "document-denied"


class ScrubConflict(ScrubError):
    """Say that one value carries two kinds, so no placeholder is right."""

    code = "kind-conflict"


class MissingEngine(ScrubError):
    """Name the package that a check needs and how to install it."""

    exit_code = 2
    code = "missing-engine"
