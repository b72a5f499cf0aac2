"""Credentials in HTTP headers, cookies and configuration that mirrors them."""

from __future__ import annotations

from errorhub.scrubber.rules import token_checks as checks
from errorhub.scrubber.rules.checks import secret_bare
from errorhub.scrubber.rules.rule import Rule

RULES: tuple[Rule, ...] = (
    Rule(
        "authorization-header",
        "AUTH_HEADER",
        r"(?i)authorization[\"']?\]?\s{0,3}[:=,]\s{0,3}[bfru]?[\"'`]?(?:Bearer|Basic|Token|Digest|ApiKey|"
        r"Api-Key|Key|Bot|Negotiate|NTLM|JWT|OAuth|SSWS|GenieKey|Splunk)"
        r"[ \t:]{1,3}(?:token=)?[\"']?([^\s\"'`\\<>,;]{4,})",
        ("authorization",),
        check=checks.header_value,
    ),
    Rule(
        "authorization-digest",
        "AUTH_HEADER",
        r"(?i)authorization[\"']?\s{0,3}:\s{0,3}[\"']?(?:Digest|AWS4-HMAC-SHA256|OAuth|Hawk|MAC)\s{1,3}([^\r\n]{16,})",
        ("authorization",),
        check=checks.header_pairs,
    ),
    Rule(
        "authorization-raw",
        "AUTH_HEADER",
        r"(?i)authorization[\"']?\]?\s{0,3}[:=,]\s{0,3}[\"'`]?([A-Za-z0-9_\-.=+/~]{16,})",
        ("authorization",),
        check=checks.raw_header,
    ),
    Rule(
        "bearer",
        "AUTH_HEADER",
        r"(?i)bearer[ \t]{1,3}[\"'`]?([A-Za-z0-9_\-.~+/]{6,}={0,3})",
        ("bearer",),
        check=checks.header_value,
        generic=True,
    ),
    Rule(
        "basic",
        "AUTH_HEADER",
        r"(?i)(?:^|[^a-z])basic[ \t]{1,3}[\"'`]?([A-Za-z0-9+/]{8,400}={0,2})",
        ("basic",),
        check=checks.basic_value,
    ),
    Rule(
        "key-header",
        "API_KEY",
        r"(?i)(?:^|[^a-z0-9/])(?:x-[a-z0-9\-]{0,32}(?:key|token|secret|auth|signature|session)|private-token|"
        r"api-key|ocp-apim-subscription-key|dd-api-key|dd-application-key)"
        r"[\"']?\s{0,3}[:=,]\s{0,3}[\"'`]?([^\s\"'`,;<>\\]{6,})",
        ("x-", "-token", "-key"),
        check=secret_bare,
    ),
    Rule(
        "docker-auth",
        "PASSWORD",
        r"\"(?:auth|identitytoken|registrytoken)\"\s{0,3}:\s{0,3}\"([A-Za-z0-9+/_\-.]{8,}={0,2})\"",
        ("auth", "token"),
        check=checks.basic_value,
    ),
    Rule(
        "npmrc-auth",
        "NPM_TOKEN",
        r"(?i)_auth(?:token)?\s{0,2}=\s{0,2}[\"']?([A-Za-z0-9+/_\-.]{12,400}={0,2})",
        ("_auth",),
        check=checks.token_like,
    ),
    Rule(
        "cookie-header",
        "COOKIE",
        r"(?i)(?:^|[^a-z])(?:set-)?cookie[\"']?\s{0,2}[:,]\s{0,2}[\"']?([\w.\-]{1,64}=[^\r\n\"'`<>]{4,})",
        ("cookie",),
        check=checks.cookie_header,
    ),
    Rule(
        "cookie-file",
        "COOKIE",
        r"(?m)^[#\w.\-]{3,100}\t(?:TRUE|FALSE)\t[^\t\r\n]{1,100}\t(?:TRUE|FALSE)\t\d{1,12}\t[^\t\r\n]{1,80}\t([^\s]{6,})",
        ("true", "false"),
        check=checks.cookie_value,
    ),
    Rule(
        "session-cookie",
        "COOKIE",
        r"(?i)(?:JSESSIONID|PHPSESSID|ASP\.NET_SessionId|ASPSESSIONID[A-Z]{0,8}|connect\.sid|laravel_session|"
        r"ci_session|_gitlab_session|sess(?:ion)?(?:[_\-]?(?:id|token|key))?"
        r"|(?:^|[^a-z])sid|(?:csrf|xsrf)[a-z_\-]{0,16}|auth[_\-]?token|remember[_a-z]{0,12}token|"
        r"cf_clearance|__cf_bm|li_at|auth_cookie)"
        r"[\"']?\s{0,2}(?:=|:)\s{0,2}[\"']?([^\s;\"'`,&<>(){}\[\]\\]{8,})",
        ("sess", "sid", "csrf", "xsrf", "token", "cf_", "li_at", "auth_cookie"),
        check=checks.session_value,
        generic=True,
    ),
)
