from __future__ import annotations

from errorhub.scrubber import Policy, Vault, reread, scrub
from errorhub.scrubber.report import SNIPPETS, report


def test_report_reads_in_half_a_minute(share: Policy, vault: Vault) -> None:
    mails = [f"person{number}" + "@" + "northwind.dev" for number in range(30)]
    document = {"log": "\x1b[31mcd /home/mvolkov\n" + " ".join(mails), "signature": "Qx7/" * 40}
    result = scrub(document, share, vault)
    summary = report(result.document, result.receipt, reread(result.document, share, vault))
    text = "\n".join(summary.lines())
    assert summary.kinds == {"EMAIL": 30, "OPAQUE": 1, "USER": 1}
    assert len(summary.snippets) == SNIPPETS
    assert summary.snippets[0].kind == "USER"
    assert summary.snippets[0].path == "log"
    assert "\x1b" not in text
    assert "northwind" not in text and "mvolkov" not in text
    assert any("names of people" in risk for risk in summary.risks)
    assert len(text) < 2_500


def test_nothing_replaced_says_so(share: Policy, vault: Vault) -> None:
    summary = report({"a": 1}, scrub({"a": 1}, share, vault).receipt)
    assert next(summary.lines()) == "replaced: nothing"
    assert summary.snippets == ()
