"""What looks like a secret or a person and must survive byte for byte."""

from __future__ import annotations

from functools import cache

import pytest

from errorhub.scrubber.detect import Detector

SHA = "3f786850e387550f" + "dab836ed7e6dc881de23001b"
SHA256 = "9f86d081884c7d659a2feaa0c55ad015" + "a3bf4f1b2b0b822cd15d6c15b0f00a08"
MD5 = "5d41402abc4b2a76" + "b9719d911017c592"
UUID = "550e8400-e29b-41d4-" + "a716-446655440000"

LOOKALIKES = {
    "git-sha": f"commit {SHA}\nAuthor: ",
    "git-sha-short": "HEAD is now at 3f78685 fix the parser",
    "git-range": "git diff 3f78685..9d5ed67 -- src/token.py",
    "git-index": "index 83db48f..bf2a1c4 100644",
    "git-tree": f"tree {SHA}\nparent {SHA[::-1]}",
    "sha256": f"sha256:{SHA256}",
    "docker-digest": f"python@sha256:{SHA256}",
    "md5": f"{MD5}  dist/app.tar.gz",
    "etag": f'ETag: "{MD5}"',
    "integrity": '"integrity": "sha512-'
    + "v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg=="
    + '"',
    "uuid": f"run {UUID} finished",
    "uuid-key": f'"session_id": "{UUID}"',
    "request-id": '"request_id": "req_011CSHoEeqs5C35K2UUqR7Fy"',
    "tool-call-id": '"tool_use_id": "toolu_01A09q90qw90lq917835lq9"',
    "openai-call-id": '"tool_call_id": "call_Zs8HGjHMRFqDnQ7Zb2EOyqXy"',
    "message-id": '"id": "msg_013Zva2CMHLNnXjNJJKqJ2EF"',
    "completion-id": '"id": "chatcmpl-AxFz2kqbcRr1kxYtW3RqYpS0Zn5pM"',
    "trace-id": '"trace_id": "4bf92f3577b34da6a3ce929d0e0e4736", "span_id": "00f067aa0ba902b7"',
    "traceparent": "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "ulid": "01ARZ3NDEKTSV4RRFFQ69G5FAV",
    "nanoid": "id=V1StGXR8_Z5jdHi6B-myT",
    "fingerprint": "system_fingerprint: fp_44709d6fcb",
    "env-reference": "password: ${DB_PASSWORD}",
    "env-shell": 'curl -H "Authorization: Bearer $API_TOKEN" https://api.acme.io',
    "env-python": "api_key = os.environ['OPENAI_API_KEY']",
    "env-getenv": 'token = os.getenv("GITHUB_TOKEN")',
    "env-node": "const apiKey = process.env.API_KEY;",
    "github-secrets": "token: ${{ secrets.GITHUB_TOKEN }}",
    "jinja": "password: {{ db_password }}",
    "template-angle": "export API_KEY=<YOUR_KEY>",
    "template-your": 'api_key="your-api-key-here"',
    "template-url": "postgres://user:<password>@host/db",
    "template-url-env": "postgres://$USER:$PASSWORD@host:5432/db",
    "masked-stars": "password: ********",
    "masked-x": "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "masked-x-upper": "AKIA" + "XXXXXXXXXXXXXXXX",
    "masked-dots": 'api_key: "sk-..."',
    "masked-word": "token=[REDACTED]",
    "changeme": "POSTGRES_PASSWORD=changeme",
    "placeholder-ours": "mail <EMAIL_1> or <EMAIL_2>, key <API_KEY_1>, was <DROPPED>",
    "placeholder-assignment": 'password="<PASSWORD_1>" token: <SECRET_2>',
    "placeholder-url": "https://<USER_1>:<PASSWORD_1>@<HOST_1>/x",
    "placeholder-prompt": "<USER_1>@<HOST_1>:~$ ls /home/<USER_1>/src",
    "identifier": "def get_access_token(self, token_type, refresh_token=None):",
    "identifier-dotted": "self.password = form.cleaned_data.password",
    "identifier-call": "token = generate_token(user.id)",
    "identifier-camel": "const accessToken = response.data.accessToken",
    "identifier-key": 'cache_key = "user:profile:settings"',
    "keyword-argument": "client = Client(api_key=api_key, token=token)",
    "lambda-key": "rows.sort(key=lambda row: row[0])",
    "test-name": "tests/test_auth.py::test_password_reset_token_expires PASSED",
    "test-name-2": "test_secret_key_rotation (accounts.tests.TokenTests) ... ok",
    "css": ".token.keyword { color: #07a; } .secret-password-input { width: 100px }",
    "kebab": "reset-password-token-form is rendered by password-input-field",
    "token-count": '"max_tokens": 4096, "total_tokens": 151643, "prompt_tokens": 12',
    "token-special": '"eos_token": "<|endoftext|>", "pad_token": "[PAD]", "bos_token_id": 151643',
    "json-schema": '"password": {"type": "string", "minLength": 8}',
    "type-annotation": "def login(user: str, password: str) -> Token: ...",
    "sql-column": "CREATE TABLE users (id INT, password VARCHAR(255), token TEXT)",
    "django-fields": "fields = ('username', 'password1', 'password2')",
    "decorator": "@app.route('/login')\n@pytest.mark.parametrize('token', [])",
    "decorator-mail": "@staticmethod\ndef send_email(self): pass",
    "git-remote": "git@github.com:acme/shop.git",
    "ssh-remote": "ssh://git@gitlab.com/acme/shop.git",
    "npm-version": "lodash@4.17.21 react-dom@18.2.0 @types/node@20.1.0",
    "pip-version": "pip install requests==2.31.0 numpy>=1.24.0.1",
    "action-version": "uses: actions/checkout@v4",
    "matrix-product": "y = W@x.T + b",
    "noreply": "Co-Authored-By: Claude <noreply@anthropic.com>",
    "github-noreply": "49699333+dependabot[bot]@users.noreply.github.com",
    "example-mail": "user@example.com, admin@example.org and a@b.test",
    "retina": "icon@2x.png logo@3x.webp",
    "loopback": "listening on 127.0.0.1:8000 and http://localhost:3000",
    "wildcard": "0.0.0.0:80 -> [::]:80, ::1, 255.255.255.0",
    "resolver": "nameserver 8.8.8.8\nnameserver 1.1.1.1",
    "version-four": "Chrome/120.0.0.0 Safari/537.36 version 10.4.2.1",
    "timestamp": "2026-03-04T10:11:12.123456Z 1700000000 1700000000123 1700000000123456789",
    "epoch-card-like": '"ts": 1699999999, "ns": 1700000000000000000',
    "floats": "loss 0.4111111111111111 acc 0.5105105105105105 lr 5.000000000000000e-05",
    "numbers": "[4, 8, 15, 16, 23, 42] 100 200 300 4000 and 415 555 267",
    "number-list": "2.0, 3.5, 212 555 1234 55 667 8901",
    "dates": "2024-01-02 02/03/2024 12-05-2023",
    "sizes": "-rw-r--r-- 1 root root 4096 Jan  1 00:00 package.json",
    "line-numbers": "src/app.py:120:15: E501 line too long (134 > 120 characters)",
    "diff-hunk": "@@ -120,7 +120,9 @@ def authenticate(request):",
    "public-key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl",
    "public-pem": "-----BEGIN PUBLIC KEY-----\nMFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAK\n-----END PUBLIC KEY-----",
    "certificate": "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBa\n-----END CERTIFICATE-----",
    "system-path": "/usr/lib/python3.11/site-packages/requests/auth.py",
    "home-system": "/home/runner/work /home/ubuntu/app /root/.cache /Users/Shared/x",
    "route": "https://acme.io/home/dashboard and /home/index.html",
    "module-path": "from jdk.internal.misc import Unsafe; threading.local().token",
    "local-file": "edit settings.local.json and .env.local, not config.local.yaml",
    "docker-host": "host.docker.internal:5432 and metadata.google.internal",
    "kubernetes-host": "http://api.default.svc.cluster.local:80",
    "data-uri": "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "hex-colour": "token: #999999; --key-color: #ff00aa80",
    "memory-address": "<Token object at 0x7f8b1c2d3e4f>",
    "slice": "values[1::2] std::vector<int> a::b::c",
    "time": "12:34:56 took 00:01:23.456",
    "pointer-mac-like": "aa:bb time 10:20:30:40:50",
    "regex": r"re.compile(r'(?:password|secret)\s*[:=]\s*(\S+)')",
    "prose-password": "The password is wrong, so the login failed. Reset your password and try again.",
    "prose-token": "The token is invalid because the secret was rotated; see the key concept.",
    "prose-auth": "Use basic authentication or bearer tokens. Token authentication is preferred.",
    "http-error": '{"error": {"code": "invalid_api_key", "message": "Incorrect API key provided."}}',
    "auth-scheme": 'WWW-Authenticate: Bearer realm="acme", error="invalid_token"',
    "path-secret": "secret_file: /run/secrets/db_password",
    "key-file": "ssl_key = /etc/ssl/private/server.key",
    "vault-reference": "password: vault:secret/data/db#password",
    "algorithm": "signature: HMAC-SHA256, key_type: RSA-2048",
    "enum": 'TokenType.ACCESS_TOKEN = "access_token"; grant_type="client_credentials"',
    "html": '<input type="password" name="password" id="id_password1" autocomplete="new-password">',
    "cookie-words": "The cookie consent banner blocks the session; cookies are set.",
    "isbn": "ISBN 978-3-16-148410-0, doi 10.1000/182, arXiv 2305.12345",
    "order": "order #W2378156, item 1656367028, ticket ABC-12345",
    "coordinates": "lat 40.712776 lon -74.005974",
    "checksum-list": f"{MD5} {SHA} {SHA256}",
    "hash-assignment": f'"commit": "{SHA}", "password_hash_algorithm": "argon2id"',
    "image-id": "sha256:" + SHA256[:12] + " Up 3 hours 0.0.0.0:8080->80/tcp",
    "pytest": "=== 12 passed, 1 failed in 3.21s (0:00:03) ===",
    "percent": "100%25 done, width: 50%; format %d items %s",
    "unicode": "naïve café — 日本語 🎉 ✓ “quotes”",
}

PROSE = """The agent read the issue and planned three steps. First it searched for the token class in the
parser, then it changed the password validator, and at last it ran the tests. The secret of the failure was
an off-by-one error: the key was compared before it was normalised. "Password must be at least 8 characters",
said the form; the user typed a passphrase of 4 words. See https://docs.python.org/3/library/secrets.html and
section 2.3.1 of the guide. On March 4, 2024 the build took 1,234.56 seconds. Step 12/40: authorization failed
with 401, so it retried with basic auth, and the session cookie was cleared. Nothing else was touched."""


@cache
def detector() -> Detector:
    return Detector()


@pytest.mark.parametrize("text", LOOKALIKES.values(), ids=LOOKALIKES)
def test_lookalike_survives(text: str) -> None:
    assert [(span.rule, text[span.start : span.end]) for span in detector().detect(text)] == []


def test_prose_survives_byte_for_byte() -> None:
    assert detector().detect(PROSE) == []


@pytest.mark.parametrize(
    "key", ["content", "id", "uuid", "path", "name", "text", "token_count", "key", "password_field"]
)
def test_ordinary_text_survives_under_any_key(key: str) -> None:
    for text in ("parser.py", "3f786850e387", "the login page", "user_id", "max 8 chars"):
        assert detector().detect(text, key=key) == []
