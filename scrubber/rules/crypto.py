"""Private keys, signed tokens and wallets: shapes that cryptography itself defines."""

from __future__ import annotations

from errorhub.scrubber.rules import token_checks as checks
from errorhub.scrubber.rules.rule import Rule

PEM_LABEL = r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
PEM_LINES = r"(?:[\s>+|,\"']{1,12}-?[A-Za-z0-9+/=]{16,80})+"

RULES: tuple[Rule, ...] = (
    Rule(
        "private-key-block",
        "PRIVATE_KEY",
        PEM_LABEL + r"(?:[^-]|-[^-]){16,}?-{0,2}-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----",
        ("private key",),
    ),
    Rule("private-key-cut", "PRIVATE_KEY", PEM_LABEL + PEM_LINES, ("private key",)),
    Rule(
        "putty-key",
        "PRIVATE_KEY",
        r"Private-Lines: \d{1,3}\s{1,2}((?:[A-Za-z0-9+/=]{16,80}\s{0,2})+)",
        ("private-lines",),
    ),
    Rule(
        "jwt",
        "JWT",
        r"(?:^|[^A-Za-z0-9_\-])(eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}(?:\.[A-Za-z0-9_\-]*){0,3})",
        ("eyj",),
        check=checks.jwt,
        prefix=r"eyJ[A-Za-z0-9_\-]{2}",
    ),
    Rule("fernet-key", "SECRET", r"Fernet\(b?[\"']([A-Za-z0-9_\-]{43}=)", ("fernet(",), check=checks.token_like),
    Rule(
        "service-account-key-id",
        "GOOGLE_KEY",
        r"(?i)private_key_id[\"']?\s{0,3}[:=]\s{0,3}[\"']?([0-9a-f]{40})",
        ("private_key_id",),
    ),
    Rule(
        "aws-secret",
        "AWS_SECRET",
        r"(?i)(?:secret[\w .\-]{0,12}(?:key|access)|aws[\w .\-]{0,16}(?:secret|"
        r"key))[\w.\-]{0,16}[\"'`]?\]?\s{0,3}(?:=>|:=|=|:|,|\s|is)\s{0,3}[\"'`]?"
        r"([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)",
        ("secret", "aws"),
        check=checks.random_secret,
    ),
    Rule(
        "aws-secret-after-id",
        "AWS_SECRET",
        r"(?:AKIA|ASIA)[A-Z0-9]{16}[\s,:;|\"'/=]{1,8}(?:[A-Za-z_ ]{0,40}[\s:=\"']{1,4})?([A-Za-z0-9/+]{40})"
        r"(?:[^A-Za-z0-9/+=]|$)",
        ("akia", "asia"),
        check=checks.random_secret,
    ),
    Rule(
        "aws-session-token",
        "AWS_SECRET",
        r"(?i)(?:aws_?session_?token|x-amz-security-token|"
        r"sessiontoken)[\"']?\s{0,3}[:=]\s{0,3}[\"']?([A-Za-z0-9/+=%]{100,})",
        ("session", "security-token"),
        check=checks.token_like,
    ),
    Rule(
        "aws-session-prefix",
        "AWS_SECRET",
        r"(?:^|[^A-Za-z0-9/+])((?:IQoJ|FwoG)[A-Za-z0-9/+]{100,}={0,2})",
        ("iqoj", "fwog"),
    ),
    Rule(
        "bitcoin-address",
        "WALLET",
        r"(?:^|[^A-Za-z0-9])(bc1[ac-hj-np-z02-9]{11,71})(?:[^A-Za-z0-9]|$)",
        ("bc1",),
        check=checks.token_like,
    ),
    Rule(
        "base58-address",
        "WALLET",
        r"(?:^|[^A-Za-z0-9])([13][1-9A-HJ-NP-Za-km-z]{25,34})(?:[^A-Za-z0-9]|$)",
        check=checks.base58,
        generic=True,
    ),
    Rule(
        "ethereum-key",
        "WALLET",
        r"(?i)(?:private[_ ]?key|wallet|address|"
        r"mnemonic)[^\r\n0]{0,16}(0x[a-f0-9]{40}(?:[a-f0-9]{24})?)(?:[^a-f0-9]|$)",
        ("0x",),
    ),
)
