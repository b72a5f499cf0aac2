"""Every text that a rule's shape matches also holds the rule's hint, so that no engine misses what another one finds."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from errorhub.scrubber.rules import RULES, Rule
from errorhub.scrubber.rules.confirm import begins, compile_rule, matches
from errorhub.scrubber.rules.rule import BORDER

OF_WHAT_IS_ACCEPTED = {"ipv6", "login-at-host", "phone-international"}
"""Rules whose hint leans on their check."""
HINTED = [rule for rule in RULES if rule.hint and rule.name not in OF_WHAT_IS_ACCEPTED]


@pytest.mark.parametrize("rule", HINTED, ids=lambda rule: rule.name)
def test_every_match_holds_the_hint(rule: Rule) -> None:
    shape, hint = compile_rule(rule.regex), compile_rule(rule.hint)

    @settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(st.from_regex(rule.regex.encode("latin-1")))
    def check(data: bytes) -> None:
        assert not any(matches(shape, data)) or any(matches(hint, data))

    check()


BORDERED = [rule for rule in RULES if rule.prefix and rule.regex.startswith(BORDER)]


@pytest.mark.parametrize("rule", BORDERED, ids=lambda rule: rule.name)
def test_a_prefix_stands_right_after_the_border(rule: Rule) -> None:
    shape, prefix = compile_rule(rule.regex), compile_rule(rule.prefix)

    @settings(max_examples=5, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(st.from_regex(rule.regex.encode("latin-1"), fullmatch=True))
    def check(data: bytes) -> None:
        held = any(matches(prefix, data))  # the short ones of several are left out
        assert not held or all(begins(prefix, data, value) for _, (value, _), *_ in matches(shape, data))

    check()
