"""Personal data as Europeans write it: national phone numbers, VAT numbers, addresses spelled out."""

from __future__ import annotations

import re
from itertools import pairwise

from errorhub.scrubber.rules.personal_checks import NUMBER_AFTER, NUMBER_BEFORE, digits, email
from errorhub.scrubber.rules.rule import Hit, Rule

SPELLED_AT = r"[ ]?(?:\((?i:at)\)|\[(?i:at)\]|\{(?i:at)\})[ ]?"
SPELLED_DOT = r"(?:[ ]?(?:\((?i:dot|punkt)\)|\[(?i:dot|punkt)\]|\{(?i:dot|punkt)\})[ ]?|\.|[ ](?:dot|DOT)[ ])"
SPELLED = re.compile(r"(?i)\s?[(\[{](at|dot|punkt)[)\]}]\s?|\sdot\s")
VAT = re.compile(
    r"ATU\d{8}|BE[01]\d{9}|BG\d{9,10}|CY\d{8}[A-Z]|CZ\d{8,10}|CHE\d{9}|DE\d{9}|DK\d{8}|EE\d{9}|EL\d{9}"
    r"|ES(?:[A-Z]\d{7}[A-Z0-9]|\d{8}[A-Z])|FI\d{8}|FR[A-HJ-NP-Z0-9]{2}\d{9}|GB\d{9}(?:\d{3})?|HR\d{11}|HU\d{8}"
    r"|IE\d[A-Z0-9+*]\d{5}[A-Z]{1,2}|IT\d{11}|LT\d{9}(?:\d{3})?|LU\d{8}|LV\d{11}|MT\d{8}|NL\d{9}B\d{2}|PL\d{10}"
    r"|PT\d{9}|RO\d{6,10}|SE\d{12}|SI\d{8}|SK\d{10}|XI\d{9}"
)
"""Shapes of the Union's VAT Information Exchange System, and the Swiss one."""
COUNTED = re.compile(r"(?i)(?:version|build|release|ticket|order|item|issue|\bid)\W{0,3}$")
"""What numbers with a leading zero are besides phone numbers."""


def vat(hit: Hit) -> bool:
    """Accept a VAT number in the shape of its country, without its spaces, dots and hyphens."""
    return VAT.fullmatch(re.sub(r"[ .\-]", "", hit.value)) is not None and len(set(digits(hit.value))) > 2


def spelled_email(hit: Hit) -> bool:
    """Accept an address whose at sign and full stops are words in brackets, unless it is an example."""
    plain = SPELLED.sub(lambda found: "@" if found[1] and found[1].lower() == "at" else ".", hit.value)
    return email(hit._replace(value=plain))


def phone_national(hit: Hit) -> bool:
    """Accept a national number with its leading zero; bytes and counters stand in lists or rise evenly."""
    pairs = [int(pair) for pair in re.findall(r"\d\d", hit.value)]
    even = len({later - earlier for earlier, later in pairwise(pairs)}) == 1
    listed = COUNTED.search(hit.before) or NUMBER_BEFORE.search(hit.before) or NUMBER_AFTER.search(hit.after)
    return not listed and not even and len(set(digits(hit.value))) > 3


RULES: tuple[Rule, ...] = (
    Rule(
        "email-spelled",
        "EMAIL",
        rf"([A-Za-z0-9_][A-Za-z0-9._%+\-]{{0,63}}{SPELLED_AT}[A-Za-z0-9\-]{{1,63}}(?:{SPELLED_DOT}[A-Za-z0-9\-]{{1,63}}){{0,4}}"
        rf"{SPELLED_DOT}[A-Za-z]{{2,24}})(?:[^A-Za-z0-9]|$)",
        ("(at)", "[at]", "{at}"),
        hint=SPELLED_AT,
        check=spelled_email,
    ),
    Rule(
        "phone-national",
        "PHONE",
        r"(?:^|[^\w.+\-/,;:=]|[:=] ?)(01[567]\d{1,2}[ /\-]\d{6,8}|01[567]\d[ /\-]\d{3,4}[ \-]\d{3,5}"
        r"|0[2-9]\d{1,4} ?/ ?\d{5,8}|\(0[1-9]\d{1,4}\) ?\d{5,8}|0[67](?:[ .\-]\d\d){4}|06[ \-]\d{8}"
        r"|07\d{3} \d{3} ?\d{3}|020 \d{4} \d{4})(?:[^\w.\-/]|[.](?:\s|$)|$)",
        hint=r"01[567]\d{1,2}[ /\-]\d{3}|0[2-9]\d{1,4} ?/ ?\d{5}|\(0[1-9]\d{1,4}\) ?\d{5}|0[67](?:[ .\-]\d\d){4}"
        r"|06[ \-]\d{8}|07\d{3} \d{3} ?\d{3}|020 \d{4} \d{4}",
        check=phone_national,
        generic=True,
    ),
    Rule(
        "vat-named",
        "PASSPORT",
        r"(?:^|[^A-Za-z])(?i:vat|ust|uid|tva|iva|btw|nif|cif|mwst|moms|p\.? ?iva|tax)(?i:[ \-_.]{0,2}(?:id|ident|reg|"
        r"no|nr|num|number|nummer|intra[a-z]{0,12}|identification)\w{0,12}\.?){0,3}[\"'`]?\s{0,2}[:=#]?\s{0,2}[\"'`]?"
        r"([A-Z]{2}[ ]?\d{3}[ ]\d{3}[ ]\d{3}|[A-Z]{2,3}[ \-]?[A-Z0-9+*][A-Z0-9.+*]{6,13})(?:[^A-Za-z0-9]|$)",
        ("vat", "ust", "uid", "tva", "iva", "btw", "nif", "cif", "mwst", "moms", "tax"),
        check=vat,
        generic=True,
    ),
    Rule(
        "vat",
        "PASSPORT",
        r"(?:^|[^A-Za-z0-9])(ATU\d{8}|NL\d{9}B\d{2}|CHE-\d{3}\.\d{3}\.\d{3})(?:[^A-Za-z0-9]|$)",
        ("atu", "nl", "che-"),
        check=vat,
        generic=True,
    ),
)
