"""Credentials in URLs, connection strings and query parameters."""

from __future__ import annotations

from errorhub.scrubber.rules import token_checks as checks
from errorhub.scrubber.rules.checks import password_given
from errorhub.scrubber.rules.lookalikes import not_masked
from errorhub.scrubber.rules.place_checks import user
from errorhub.scrubber.rules.rule import Rule

RULES: tuple[Rule, ...] = (
    Rule(
        "url-password",
        "PASSWORD",
        r"://[^\s/:@\"'<>`|(){}]{0,128}:([^\s\"'<>/`|(){}]{1,256})@[A-Za-z0-9\[\-_.%]",
        ("://",),
        check=password_given,
    ),
    Rule(
        "url-user",
        "USER",
        r"(?i)(?:https?|ssh|git|s?ftp|svn|smb)://([a-z][a-z0-9_.%+\-]{1,40})(?::[^\s/@\"'<>]{0,256})?@",
        ("://",),
        check=user,
    ),
    Rule(
        "url-token",
        "SECRET",
        r"://([A-Za-z0-9_\-.~%]{16,256}):?@",
        ("://",),
        check=checks.token_like,
    ),
    Rule(
        "jdbc-password",
        "PASSWORD",
        r"(?i)jdbc:[a-z0-9:+]{2,40}[^\s\"'<>]{0,200}?[?&;:](?:password|pwd)=([^\s&;\"'<>]{1,128})",
        ("jdbc:",),
        check=password_given,
    ),
    Rule(
        "oracle-connect",
        "PASSWORD",
        r"(?i)(?:sqlplus|jdbc:oracle:thin:)\s{0,2}[\"']?[\w.]{1,64}/([^\s/@\"']{3,64})@",
        ("sqlplus", "jdbc:oracle"),
        check=password_given,
    ),
    Rule(
        "connection-string",
        "PASSWORD",
        r"(?i)(?:server|data source|host|uid|user id|user|username|driver|dsn|database|dbname|initial catalog|"
        r"endpoint|provider|address)\s{0,2}=[^\r\n\"']{1,240}?;\s{0,2}(?:pwd|password|"
        r"pass)\s{0,2}=\s{0,2}\{?([^;\"'\r\n}]{1,128})",
        ("pwd", "pass"),
        check=password_given,
    ),
    Rule(
        "libpq-string",
        "PASSWORD",
        r"(?i)(?:host|user|dbname|port)=[^\s,()]+\s(?:\w+=[^\s,()]*\s){0,6}?password=[\"']?([^\s\"']{1,128})",
        ("password=",),
        check=password_given,
    ),
    Rule(
        "account-key",
        "AZURE_KEY",
        r"(?i)(?:AccountKey|SharedAccessKey|SharedAccessSignature|AccessKey|"
        r"StorageKey)\s{0,2}=\s{0,2}([A-Za-z0-9+/%]{20,128}={0,2})",
        ("accountkey", "accesskey", "sharedaccesssignature", "storagekey"),
        check=checks.token_like,
    ),
    Rule(
        "azure-client-secret",
        "AZURE_KEY",
        r"(?:^|[^A-Za-z0-9_~.\-])([A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.\-]{31,34})(?:[^A-Za-z0-9_~.\-]|$)",
        ("q~",),
        check=checks.token_like,
    ),
    Rule(
        "query-secret",
        "API_KEY",
        r"(?i)(?:[?&;#](?:access_?token|refresh_?token|id_?token|auth_?token|oauth_?token|token|api_?key|apikey|"
        r"api-key|appid|key|subscription-key|sig|signature|x-amz-signature|x-amz-credential|x-amz-security-token"
        r"|x-goog-signature|x-goog-credential|secret|client_?secret|password|passwd|pwd|pass|auth|authkey|"
        r"sessionid|session|sid|jwt|hmac|ticket|assertion|state|nonce)|samlre(?:sponse|quest))=([^\s&\"'<>#;\\`)\]}]{4,})",
        (
            "token=",
            "key=",
            "appid=",
            "sig=",
            "signature=",
            "credential=",
            "secret=",
            "pass",
            "pwd=",
            "auth",
            "session",
            "sid=",
            "jwt=",
            "hmac=",
            "ticket=",
            "assertion=",
            "samlre",
            "state=",
            "nonce=",
        ),
        check=checks.query_value,
        generic=True,
    ),
    Rule(
        "query-code",
        "SECRET",
        r"(?i)[?&](?:code|otp|pin|invite|verification_?code)=([A-Za-z0-9_\-.~/%+]{6,})",
        ("code=", "otp=", "pin=", "invite="),
        check=checks.code_value,
        generic=True,
    ),
    Rule(
        "slack-webhook",
        "SLACK_WEBHOOK",
        r"((?:https?://)?hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/_]{20,200})",
        ("hooks.slack",),
        check=not_masked,
        prefix=r"hooks\.slack",
    ),
    Rule(
        "discord-webhook",
        "DISCORD_WEBHOOK",
        r"((?:https?://)?(?:\w{2,8}\.)?discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{15,22}/[A-Za-z0-9_\-]{50,100})",
        ("/webhooks/",),
        check=not_masked,
    ),
    Rule(
        "teams-webhook",
        "TEAMS_WEBHOOK",
        r"((?:https?://)?[a-z0-9\-]+\.webhook\.office\.com/webhookb2/[A-Za-z0-9@/\-]{60,250})",
        ("webhook.office.com",),
        check=not_masked,
    ),
    Rule(
        "sentry-dsn",
        "SENTRY_TOKEN",
        r"https?://([0-9a-f]{32}(?::[0-9a-f]{32})?)@[a-z0-9.\-]{3,100}/\d",
        ("://",),
        check=password_given,
    ),
    Rule(
        "telegram-url",
        "TELEGRAM_TOKEN",
        r"api\.telegram\.org/(?:file/)?bot(\d{6,12}:[A-Za-z0-9_\-]{30,40})",
        ("api.telegram.org",),
        check=password_given,
    ),
)
