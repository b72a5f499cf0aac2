"""Personal data with a structure: addresses, numbers that validate, and values that their key names."""

from __future__ import annotations

from errorhub.scrubber.rules import personal_checks as checks
from errorhub.scrubber.rules.place_checks import user_named
from errorhub.scrubber.rules.rule import Check, Rule

LETTER = r"(?:[\xc3-\xdf][\x80-\xbf]|[\xe0\xe1\xe4-\xed][\x80-\xbf]{2}|\xe3[\x81-\xbf][\x80-\xbf])"
"""A letter outside ASCII, as UTF-8 bytes; general punctuation and full-width forms are left out."""
LOCAL = rf"(?:[A-Za-z0-9_]|{LETTER})(?:[A-Za-z0-9._%+'\-]|{LETTER})*"
LABEL = rf"(?:[A-Za-z0-9\-]|{LETTER})+"
ENDING = rf"(?:xn--[A-Za-z0-9\-]{{2,30}}|[A-Za-z]{{2,24}}|{LETTER}{{2,8}})"

MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}"
DATE = (
    rf"(?:\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}|\d{{1,2}}[-/.]\d{{1,2}}[-/.]\d{{2,4}}|"
    rf"{MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}|\d{{1,2}}(?:st|nd|rd|th)? {MONTH}\.?,? \d{{4}})"
)
PHONE_CJK = (
    r"\xe6\x89\x8b\xe6\x9c\xba(?:\xe5\x8f\xb7(?:\xe7\xa0\x81)?)?|\xe7\x94\xb5\xe8\xaf\x9d|"
    r"\xe9\x9b\xbb\xe8\xa9\xb1|\xec\xa0\x84\xed\x99\x94"
)
"""What a phone is called in Chinese, Japanese and Korean."""
STREET = (
    r"(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Way|Place|Pl|Terrace|"
    r"Square|Sq|Highway|Hwy|Parkway|Pkwy|Circle|Cir|Alley|Crescent|Close)"
)


def named(name: str, kind: str, keys: str, check: Check, keywords: str) -> Rule:
    """Build the row of a value that its JSON, YAML or form key names."""
    return Rule(
        name,
        kind,
        rf"(?i)(?:^|[^a-z])(?:{keys})[\"'`]?\]?\s{{0,3}}(?:=>|=|:)\s{{0,3}}(?:\"([^\"\r\n]{{2,}})\"|"
        rf"'([^'\r\n]{{2,}})'|([^\s\"'`<>{{}}\[\](),;=][^\r\n\"'`<>{{}}\[\](),;=]+))",
        tuple(keywords.split()),
        check=check,
        trim=checks.trim_sentence,
        generic=True,
    )


def quoted(name: str, kind: str, keys: str, check: Check, keywords: str) -> Rule:
    """Build the row of a value that counts only as a quoted string under a quoted or telling key."""
    return Rule(
        name,
        kind,
        rf"(?i)(?:^|[^a-z])(?:{keys})[\"'`]\]?\s{{0,3}}(?:=>|=|:)\s{{0,3}}(?:\"([^\"\r\n]{{2,}})\"|"
        rf"'([^'\r\n]{{2,}})')",
        tuple(keywords.split()),
        check=check,
        generic=True,
    )


NUMBERS = (
    Rule(
        "email",
        "EMAIL",
        rf"({LOCAL}@(?:{LABEL}\.){{1,8}}{ENDING})",
        ("@",),
        hint=r"[A-Za-z0-9._%+'\-\x80-\xff]@[A-Za-z0-9\-\x80-\xff]+\.[A-Za-z0-9\x80-\xff]",
        check=checks.email,
        trim=checks.email_trim,
    ),
    Rule(
        "phone-us",
        "PHONE",
        r"(?:^|[^\d+])((?:\+?1[-. ]?)?(?:\([2-9]\d{2}\)[-. ]?|[2-9]\d{2}[-. ])[2-9]\d{2}[-. ]\d{4}(?:\s?(?:x|"
        r"ext\.?)\s?\d{1,5})?)(?:[^\d]|$)",
        hint=r"[2-9]\d\d(?:\)[-. ]?|[-. ])[2-9]\d\d[-. ]\d{4}",
        check=checks.phone_us,
        generic=True,
    ),
    Rule(
        "phone-international",
        "PHONE",
        r"(\+[1-9]\d{0,3}(?:[ .\-/]?\(?\d{1,5}\)?){2,7}|\b00[1-9]\d{1,2}(?:[ .\-/]\d{2,5}){2,5})",
        hint=r"\+[1-9](?:[ .\-/()]{0,3}\d){7}|00[1-9]\d{1,2}[ .\-/]\d\d",
        check=checks.phone_international,
        generic=True,
    ),
    Rule(
        "phone-named",
        "PHONE",
        r"(?:(?:^|[^A-Za-z])(?i:phone|t(?:e|\xc3\xa9)l(?:(?:e|\xc3\xa9)(?:fono|phone))?|mobile?|handy|rufnummer|"
        r"m(?:o|\xc3\xb3)vil|cell|fax|whatsapp|msisdn|call(?: (?:me|us|him|her|"
        r"them))?(?: (?:at|on|back))?)|[a-z](?:Phone|Mobile|Tel|Cell|"
        rf"Fax)|{PHONE_CJK})[A-Za-z_ ]{{0,12}}[\"'`]?\]?\s{{0,3}}(?:[:=.]{{0,2}}|\xef\xbc\x9a)\s{{0,3}}[\"'`]?"
        r"(\+?\(?\d[\d()\-./ ]{5,20}\d)(?:[^\d]|$)",
        (
            "phone",
            "tel",
            "t\u00e9l",
            "fono",
            "mobil",
            "handy",
            "rufnummer",
            "vil",
            "cell",
            "fax",
            "whatsapp",
            "msisdn",
            "call",
            "\u624b\u673a",
            "\u7535\u8bdd",
            "\u96fb\u8a71",
            "\uc804\ud654",
        ),
        check=checks.phone_named,
        generic=True,
    ),
    Rule("ssn", "SSN", r"(?:^|[^\d\-.A-Za-z_])(\d{3}-\d{2}-\d{4})(?:[^\d\-A-Za-z_]|$)", check=checks.ssn, generic=True),
    Rule(
        "ssn-named",
        "SSN",
        r"(?i)(?:ssn|social[ _]?security(?:[ _]?(?:number|no|num))?|\btin|"
        r"tax[ _]?(?:payer)?[ _]?id)[^\w\r\n]{0,3}(?:[ ]?(?:is|number|"
        r"no\.?))?[^\w\r\n]{0,6}(\d{3}[- ]?\d{2}[- ]?\d{4})(?:[^\d]|$)",
        ("ssn", "social", "tin", "tax"),
        check=checks.ssn,
        generic=True,
    ),
    Rule(
        "card",
        "CARD",
        r"(?:^|[^\d.\-/_=A-Za-z]|[=:])((?:[2-6]\d|18)(?:[ \-]?\d){11,17})(?:[^\d\w\-]|[.,]?$|[.,]\s)",
        check=checks.card,
        trim=checks.card_trim,
        generic=True,
    ),
    Rule(
        "iban",
        "IBAN",
        r"(?:^|[^A-Za-z0-9])([A-Z]{2}\d{2}(?:[ \-]?[A-Z0-9]){11,34})",
        hint=r"[A-Z]{2}\d{2}(?:[ \-]?[A-Z0-9]){11}",
        check=checks.iban,
        trim=checks.iban_trim,
        generic=True,
    ),
    Rule(
        "ipv4",
        "IP",
        r"(?:^|[^\w.])((?:\d{1,3}\.){3}\d{1,3})(?:[^\d.\w]|\.(?:\D|$)|_|$)",
        hint=r"\d\.\d{1,3}\.\d{1,3}\.\d",
        check=checks.ipv4,
        generic=True,
    ),
    Rule(
        "ipv6",
        "IP",
        r"(?i)(?:^|[^\w:.])([0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,8}(?:\d{0,3}(?:\.\d{1,3}){3})?)(?:[^\w:]|$)",
        ("::", ":"),
        hint=r"::[0-9a-fA-F]{1,4}:[0-9a-fA-F]|:[0-9a-fA-F]{1,4}::|(?::[0-9a-fA-F]{1,4}){5}",  # of what is accepted
        check=checks.ipv6,
        generic=True,
    ),
    Rule(
        "mac",
        "MAC",
        r"(?i)(?:^|[^\w:.\-])((?:[0-9a-f]{2}:){5}[0-9a-f]{2}|(?:[0-9a-f]{2}-){5}[0-9a-f]{2}|"
        r"(?:[0-9a-f]{4}\.){2}[0-9a-f]{4})(?:[^\w:.\-]|\.?(?:\s|$))",
        hint=r"(?i)(?:[0-9a-f]{2}:){5}[0-9a-f]{2}|(?:[0-9a-f]{2}-){5}[0-9a-f]{2}|(?:[0-9a-f]{4}\.){2}[0-9a-f]{4}",
        check=checks.mac,
        generic=True,
    ),
)

NAMED = (
    named(
        "person-named",
        "PERSON",
        r"(?:customer|client|patient|employee|contact|passenger|guest|owner|billing|"
        r"shipping|recipient|sender|full|first|last|middle|given|family|maiden|sur|holder|"
        r"cardholder|author|assignee|reporter|manager)[_\- ]?(?:full[_\- ]?|first[_\- ]?|last[_\- ]?)?name|"
        r"surname|cardholder|account_?holder",
        checks.person,
        "name cardholder holder",
    ),
    named(
        "person-role",
        "PERSON",
        r"travell?er|holder|patient|passenger|payee|beneficiary|signatory|tenant|claimant|policy_?holder|"
        r"employee|attendee",
        checks.full_name,
        "travel holder patient passenger payee beneficiary signatory tenant claimant employee attendee",
    ),
    named(
        "address-named",
        "ADDRESS",
        r"(?:street|home|billing|shipping|mailing|postal|delivery|residential|"
        r"work)[_\- ]?addr(?:ess)?(?:[_\- ]?(?:line)?[_\- ]?[12])?|addr(?:ess)?[_\- ]?(?:line)?[_\- ]?[12]|"
        r"street(?:[_\- ]?(?:name|1|2|number))?",
        checks.written,
        "addr street",
    ),
    quoted("address-quoted", "ADDRESS", r"address", checks.street_like, "address"),
    quoted("address-line", "ADDRESS", r"line_?[12]", checks.address_line, "line"),
    named("postcode-named", "ADDRESS", r"(?:zip|postal|post)[_\- ]?code|postcode|zip", checks.postcode, "zip post"),
    named(
        "birth-named",
        "DOB",
        r"dob|(?:date[_\- ]?of[_\- ]?birth)|birth[_\- ]?(?:date|day)|born[_\- ]?(?:on|at)|geburts(?:datum|tag)|"
        r"date de naissance|fecha de nacimiento|data di nascita|data de nascimento",
        checks.has_digit,
        "dob birth born geburts naissance nacimiento nascita nascimento",
    ),
    named(
        "document-named",
        "PASSPORT",
        r"passport(?:[_\- ]?(?:no|num|number|id))?|driver'?s?[_\- ]?licen[sc]e(?:[_\- ]?(?:no|num|number|"
        r"id))?|national[_\- ]?(?:id|insurance)(?:[_\- ]?(?:no|num|number))?|tax[_\- ]?(?:id|number)|"
        r"medical[_\- ]?record[_\- ]?(?:no|number)?|mrn|nhs[_\- ]?(?:no|number)?",
        checks.document_number,
        "passport licen national tax medical mrn nhs",
    ),
    named(
        "username-named",
        "USER",
        r"user_?name|login_?name|logname|user_?login|unix_?user|os_?user|ssh_?user|screen_?name",
        user_named,
        "user login logname screen",
    ),
    named(
        "bank-named",
        "ACCOUNT",
        r"(?:bank[_\- ]?)?account[_\- ]?(?:no|num|number)|routing[_\- ]?(?:no|num|number)|sort[_\- ]?code|cvv|"
        r"cvc|card[_\- ]?(?:no|num|number|code)",
        checks.account_number,
        "account routing sort cvv cvc card",
    ),
    Rule(
        "birth-prose",
        "DOB",
        rf"(?i)(?:\bdob|date of birth|birth ?date|born(?: on)?|birthday)[^\w\r\n]{{0,4}}(?:is |was |"
        rf"on )?[^\w\r\n]{{0,2}}({DATE})",
        ("dob", "birth", "born"),
        check=checks.birth,
        generic=True,
    ),
    Rule(
        "passport-prose",
        "PASSPORT",
        r"(?i)passport\s(?:(?:no|number|num|id)\.?\s?)?[^\w\r\n]{0,3}(?:is\s)?([A-Z0-9]{6,9})(?:[^\w]|$)",
        ("passport",),
        check=checks.document_number,
        generic=True,
    ),
    Rule(
        "address-prose",
        "ADDRESS",
        r"(?i:lives? at|living at|address(?: is| was)?|resid\w{1,6} at|(?:ship|deliver|mail|send|sent|moved|"
        r"shipped|delivered)"
        r"(?: it| them)? to|home is)[^\w\r\n]{0,3}(?:at |to )?"
        rf"(\d{{1,5}}[A-Za-z]?,? (?:[NSEW]\.? )?(?:[A-Z][a-zA-Z'.\-]+ |\d+(?:st|nd|rd|th) )+{STREET}\b\.?"
        rf"(?:,? (?:Apt|Apartment|Suite|Ste|Unit|Floor|#)\.? ?[\w\-]+)?)",
        ("liv", "address", "resid", "ship", "deliver", "mail", "send", "sent", "moved", "home is"),
        generic=True,
    ),
)

RULES: tuple[Rule, ...] = NUMBERS + NAMED
