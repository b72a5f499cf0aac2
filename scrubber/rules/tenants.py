"""Whose cloud it is: account numbers, buckets and tenants in addresses of public services."""

from __future__ import annotations

import re

from errorhub.scrubber.rules.rule import Hit, Rule

STAND_IN = re.compile(
    r"(?i)(?:^|[-_.])(?:my|your|the|example|sample|test|demo|dummy|foo|bar|public|bucket-?name|name|company|tenant"
    r"|domain|site|instance|org|organization|workspace|subdomain|support|www|api|docs?|developers?|status|login|help)"
    r"(?:$|[-_.])|^(?:my|your|example)"
)
EXAMPLE_ACCOUNTS = frozenset({"123456789012", "012345678901", "111122223333", "444455556666", "111111111111"})
"""Account numbers of the vendor's own documentation."""


def account(hit: Hit) -> bool:
    """Accept the number of a customer's account."""
    return hit.value not in EXAMPLE_ACCOUNTS and len(set(hit.value)) > 2


def bucket(hit: Hit) -> bool:
    """Accept a bucket of several words, as somebody's own are; one word alone is an example's."""
    return "-" in hit.value and len(hit.value) > 5 and not STAND_IN.search(hit.value)


def tenant(hit: Hit) -> bool:
    """Accept a customer's label in the address of a service."""
    return not STAND_IN.search(hit.value)


RULES: tuple[Rule, ...] = (
    Rule(
        "arn-account",
        "ACCOUNT",
        r"arn:aws[a-z\-]{0,12}:[a-z0-9\-]{1,40}:[a-z0-9\-]{0,24}:(\d{12})(?:[^\d]|$)",
        ("arn:aws",),
        check=account,
    ),
    Rule(
        "bucket",
        "HOST",
        r"(?:\b(?:s3[an]?|gs)://([a-z0-9][a-z0-9.\-]{1,61}[a-z0-9])"
        r"|://([a-z0-9][a-z0-9.\-]{1,61}[a-z0-9])\.s3(?:[.\-][a-z0-9\-]{2,24})?\.amazonaws\.com)",
        ("s3://", "s3a://", "s3n://", "gs://", ".s3"),
        check=bucket,
    ),
    Rule(
        "tenant",
        "HOST",
        r"(?i)(?:^|[^\w.\-])([a-z0-9][a-z0-9\-]{1,62})\.(?:atlassian\.net|my\.salesforce\.com|okta\.com|sharepoint\.com"
        r"|onmicrosoft\.com|myshopify\.com|service-now\.com)(?:[^\w\-]|$)",
        (
            ".atlassian.net",
            ".my.salesforce.com",
            ".okta.com",
            ".sharepoint.com",
            ".onmicrosoft.com",
            ".myshopify.com",
            ".service-now.com",
        ),
        check=tenant,
    ),
)
