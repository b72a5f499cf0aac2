"""Personal data as Europeans write it, and whose cloud it is: each row has a text and its near misses.

The guillemets mark the value that must be covered, no more and no less.
"""

from __future__ import annotations

from functools import cache

import pytest

from errorhub.scrubber.detect import Detector

ROWS: dict[str, tuple[str, ...]] = {
    "write to «zoe (at) acme (dot) de»": ("zoe (at) example (dot) com", "look (at) this", "run (at) noon"),
    "«zoe.m [at] mail.acme [dot] com»": ("x[at].y", "user [at] example.com"),
    "«zoe(at)acme.de» ok": ("git (at) acme.de", "f(at) = 2"),
    "ring «0171 2345678» now": (
        "version 0171 234567",
        "0.0171 2345678",
        "0171 2345678 0172 3456789",
        "id: 0171 234567",
    ),
    "«030 / 901820»": ("045/2023", "src/030/901820", "0300/12"),
    "(«(089) 123456»)": ("f(089)", "(1) 123456"),
    "«06 12 34 56 79»": ("05 10 15 20 25", "06 07 08 09 10", "06 12 34 56 79 80 91"),
    "«020 7946 0958»": ("020 7946", "x020 7946 0958"),
    "Mobil: «0171-2345678»": ("mobile: 3", "Mobil: ja"),
    "Telefonnummer: «089 12345-0»": ("telefon: nummer", "Telefon 24"),
    "teléfono: «91 123 45 67»": ("teléfono: no",),
    "USt-IdNr. «DE136695976»": ("USt-IdNr. fehlt", "VAT: DE12", "custom: DE136695976X"),
    "VAT: «ATU12345675»": ("VAT: 20 %", "VATU123"),
    "TVA «FR40303265045»": ("TVA 20 EUR",),
    "NIF «ESB58378431»": ("NIF required",),
    "VAT ID: «DE 136 695 976»": ("VAT ID: DE 000 000 000",),
    "«NL004495445B01»": ("NL1234B01", "US123456789"),
    "arn:aws:iam::«412233445566»:role/x": (
        "arn:aws:iam::aws:policy/AdministratorAccess",
        "arn:aws:iam::123456789012:role/x",
        "arn:aws:s3:::bucket/key",
    ),
    "aws s3 cp a s3://«acme-payroll-prod»/x": (
        "s3://bucket/key",
        "s3://my-bucket/key",
        "s3://quotes/1.pdf",
        "gs://b-x",
    ),
    "https://«acme-payroll».atlassian.net/browse/X-1": ("https://your-domain.atlassian.net", "https://atlassian.net/x"),
    "«acmeinc».my.salesforce.com": ("login.salesforce.com", "developer.okta.com"),
}


@cache
def detector() -> Detector:
    return Detector()


@pytest.mark.parametrize("marked", ROWS)
def test_value_is_covered(marked: str) -> None:
    before, value, after = marked.replace("»", "«").split("«")
    spans = detector().detect(before + value + after)
    assert [(span.start, span.end) for span in spans] == [(len(before), len(before) + len(value))]


@pytest.mark.parametrize("near", [near for row in ROWS.values() for near in row])
def test_near_miss_is_left_alone(near: str) -> None:
    assert [(span.rule, near[span.start : span.end]) for span in detector().detect(near)] == []
