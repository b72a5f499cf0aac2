"""More tokens that a prefix gives away, one a line: prefix, alphabet and length as their issuers publish them."""

from __future__ import annotations

import re
from typing import NamedTuple

from errorhub.scrubber.rules.rule import BORDER, Rule
from errorhub.scrubber.rules.token_checks import issued, various

LONGEST = 400
ALPHABETS = {
    "alnum": "[A-Za-z0-9]",
    "lower": "[a-z0-9]",
    "upper": "[A-Z0-9]",
    "hex": "[A-Fa-f0-9]",
    "word": "[A-Za-z0-9_]",
    "url": r"[A-Za-z0-9_\-]",
    "dots": r"[A-Za-z0-9_.\-]",
    "padded": r"[A-Za-z0-9=_\-]",
    "base": r"[A-Za-z0-9+/=_\-]",
    "wide": r"[A-Za-z0-9+/=_.:\-]",
}


class Prefix(NamedTuple):
    """How a token begins, and at least and at most how many characters of which alphabet follow."""

    text: str
    alphabet: str
    least: int
    most: int

    @property
    def regex(self) -> str:
        """The whole token."""
        return f"{re.escape(self.text)}{ALPHABETS[self.alphabet]}{{{self.least},{self.most}}}"


def _table(text: str) -> tuple[Prefix, ...]:
    """Read lines of prefix, alphabet and length; `40` is exact, `40+` open, `16-40` a range."""
    rows = []
    for line in text.split("\n"):
        if line.strip():
            prefix, alphabet, length = line.split()
            least, _, most = length.rstrip("+").partition("-")
            rows.append(Prefix(prefix, alphabet, int(least), int(most or (LONGEST if length[-1] == "+" else least))))
    return tuple(rows)


PREFIXES = _table(
    r"""
    AIK_CI_ alnum 20+
    AIK_CLIENT_ alnum 20+
    aact_prod_ base 20+
    aact_hmlg_ base 20+
    ATAT padded 90+
    AstraCS: wide 20+
    AQ.Ab8RN6 url 40+
    AQVN url 35+
    BBDC- base 30+
    BSA url 27-40
    bkaa_ url 38+
    bkpat_ url 38+
    bkpi_ url 38+
    bkua_ url 38+
    bedrock-api-key- base 24+
    b10ck5. hex 32+
    bb_live_ url 24+
    bb_test_ url 24+
    bpk- hex 32
    cal_live_ alnum 24+
    CCDB1_ word 40+
    CCIPAT_ word 50+
    CCIPRJ_ word 50+
    cfat_ url 40+
    cfk_ url 40+
    cfut_ url 40+
    cnvca url 50+
    cog_ lower 40+
    configcat-sdk-1/ base 44+
    cs_ hex 40
    ck_ hex 40
    csa_ alnum 34-48
    ddo_ url 30+
    ddp_ url 30+
    dnkey- base 60+
    dvc_client_ base 16+
    dvc_mobile_ base 12+
    dvc_server_ base 16+
    db- alnum 29
    endr+ url 16+
    essu_ base 30+
    fm2_ wide 90+
    fs_api: wide 24+
    gcntfy- url 76+
    GR1348941 url 20+
    gldt- url 20+
    glrt-t dots 20+
    ico- alnum 32
    ion_ alnum 40+
    key_live_ alnum 16+
    key_test_ alnum 16+
    lip_ url 30+
    llx- alnum 40+
    m0- alnum 38+
    Mid-server- url 10+
    Mid-client- url 10+
    mercury_production_ word 24+
    mergify_application_key_ url 40+
    mlsn. alnum 48+
    nyk_ alnum 50+
    napi_ alnum 50+
    ntn_ alnum 40+
    os_v2_app_ lower 90+
    os_v2_org_ lower 90+
    API- upper 26
    packagist_acs_ hex 60+
    packagist_ort_ hex 60+
    packagist_out_ hex 60+
    packagist_uut_ hex 60+
    p8e- url 32
    pdl_live_apikey_ url 40+
    persona_production_ url 24+
    persona_sandbox_ url 24+
    phc_ url 40+
    phx_ url 40+
    pina_ url 24+
    PMAT- alnum 24+
    polar_at_ url 28+
    polar_oat_ url 28+
    polar_oit_ url 28+
    polar_ort_ url 28+
    polar_pat_ url 28+
    prf_ alnum 20+
    rnd_ alnum 28+
    rootly_ hex 60+
    rpa_ alnum 28+
    samsara_api_ alnum 20+
    sha256~ url 43
    sk-api- url 60+
    sk_car_ url 20+
    sk_live_a2V5X base 24+
    sk_production_ alnum 24+
    sk_staging_ alnum 24+
    SK- hex 32
    sm_aat_ alnum 16+
    sm_pat_ alnum 16+
    sm_sat_ alnum 16+
    sgp_ word 40+
    SWMKEY-1- base 40+
    SWMTKN-1- url 70+
    tss_ url 20+
    ucat_ alnum 24+
    vtwn_ url 30+
    unkey_ alnum 20+
    vca_ url 50+
    vci_ url 50+
    vck_ url 50+
    vcp_ url 50+
    vcr_ url 50+
    waka_ url 36+
    wrka- dots 90+
    xai- url 60+
    xnd_development_ alnum 40+
    xnd_production_ alnum 40+
    xoxc- url 40+
    xoxd- wide 40+
    zpka_ word 40+
    ajkey_ lower 26+
    apk_ base 90+
    al- url 43
    cmVmdGtu alnum 56+
    eyJrIjoi base 50+
    eyJ2ZXIi wide 90+
    eyJtaXJv wide 50+
    """
)
"""Prefix, alphabet of what follows, how many characters of it."""

SHAPES = (
    (
        ".acc",
        r"(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_\-][a-z0-9\-]{10,32}\.[a-z0-9+/_=\-]{30,120}",
    ),
    ("sk_", r"sk_(?:sbox_)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
    ("apk_user_", r"apk_user_[A-Za-z0-9+/=_\-]{60,400}"),
    ("access-", r"access-(?:sandbox|development|production)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    ("incoming+", r"incoming\+[0-9a-z\-]{8,40}-[A-Za-z0-9_\-]{12,40}-(?:merge-request|issue)"),
    ("api_", r"api_(?:live|sandbox)(?:_(?:ca|us|eu))?\.[A-Za-z0-9_\-]{11,12}\.?[A-Za-z0-9_\-]{4,40}"),
    ("at.", r"[ps]at\.[A-Za-z0-9_\-]{20,24}\.[A-Za-z0-9]{20,26}\.[A-Za-z0-9]{18,24}"),
    ("+acr", r"[A-Za-z0-9+/]{42}\+ACR[A-Za-z0-9]{6}"),
    ("jqqj9", r"[A-Za-z0-9]{30,80}JQQJ9[9D][A-Za-z0-9+/]{8,40}={0,2}"),
    ("+as", r"[A-Za-z0-9+/]{76}\+ASt[A-Za-z0-9+/]{5,8}={0,2}"),
    (".", r"[0-9A-Fa-f]{32}\.[A-Za-z0-9]{16}"),
    ("_mmk", r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk"),
    ("flyv1 ", r"FlyV1 [A-Za-z0-9+/=,_\-]{60,900}"),
    (".", r"100\d\.[0-9a-f]{32}\.[0-9a-f]{32}"),
    ("|", r"\d{15,17}\|[0-9A-Za-z_\-]{27,40}"),
    (":fx", r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}:fx"),
    ("s.", r"s\.[A-Za-z0-9]{24}"),
    ("key_", r"key_(?:[0-9a-f]{64}|[0-9a-f]{28})"),
    ("vercel_blob_rw_", r"vercel_blob_rw_[A-Za-z0-9_]{40,80}"),
    ("test_", r"(?:test|live)_(?:pub_)?[0-9a-f]{31,36}"),
    ("$ansible_vault", r"\$ANSIBLE_VAULT;[0-9.]{3,5};AES256[\r\n ]{1,4}(?:[ \t]{0,12}[0-9a-f]{40,80}\s{0,2})+"),
)
"""Tokens with borders inside: a word in each, in lower case, and the shape."""

STRICT = r"(?:^|[^A-Za-z0-9_.\-])"
END = r"(?:[^A-Za-z0-9_\-]|$)"
_GROUP = 25


def _prefixes(number: int, rows: tuple[Prefix, ...]) -> Rule:
    return Rule(
        f"prefixed-token-{number}",
        "API_KEY",
        f"{BORDER}({'|'.join(row.regex for row in rows)})",
        tuple(dict.fromkeys(row.text.lower() for row in rows)),
        check=issued,
        prefix="|".join(re.escape(row.text) for row in rows if len(row.text) > 4),
    )


RULES: tuple[Rule, ...] = (
    *(_prefixes(at // _GROUP + 1, PREFIXES[at : at + _GROUP]) for at in range(0, len(PREFIXES), _GROUP)),
    *(
        Rule(f"shaped-token-{number}", "API_KEY", f"{STRICT}({shape}){END}", (word,), check=issued)
        for number, (word, shape) in enumerate(SHAPES, 1)
    ),
    Rule(
        "twitter-bearer",
        "API_KEY",
        r"(?:^|[^A-Za-z0-9])(A{20,24}[A-Za-z0-9%]{60,120})",
        ("aaaaaaaaaaaaaaaaaaaa",),
        check=various,
    ),
)
