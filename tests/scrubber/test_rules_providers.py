"""Every provider's token is found, and what only resembles it is left alone.

A shape such as `ghp_{a36}` stands for the prefix and 36 random characters: a letters and digits, u upper case and digits,
l lower case and digits, h hex, d digits, w URL-safe, b base64.
"""

from __future__ import annotations

import random
import re
import string
from functools import cache

import pytest

from errorhub.scrubber.detect import Detector
from errorhub.scrubber.rules import RULES

ALPHABETS = {
    "a": string.ascii_letters + string.digits,
    "u": string.ascii_uppercase + string.digits,
    "l": string.ascii_lowercase + string.digits,
    "h": "0123456789abcdef",
    "d": "123456789",
    "w": string.ascii_letters + string.digits + "-_",
    "b": string.ascii_letters + string.digits + "+/",
}
SLOT = re.compile(r"\{([a-z])(\d+)\}")

SHAPES = {
    "github-token": "ghp_{a36}", "github-pat": "github_pat_{a22}_{a59}", "gitlab-token": "glpat-{w20}",
    "npm-token": "npm_{a36}", "pypi-token": "pypi-{w150}", "docker-token": "dckr_pat_{w27}",
    "atlassian-token": "ATATT3{w180}", "bitbucket-token": "ATBB{a32}", "rubygems-key": "rubygems_{h48}",
    "crates-token": "cio{a32}", "nuget-key": "oy2{l43}", "anthropic-key": "sk-ant-api03-{w93}AA",
    "openrouter-key": "sk-or-v1-{h64}", "openai-key": "sk-proj-{w120}", "openai-legacy-key": "sk-{a48}",
    "sk-uuid-key": "sk-lf-{h8}-{h4}-{h4}-{h4}-{h12}", "hf-token": "hf_{a34}", "groq-key": "gsk_{a52}",
    "langsmith-key": "lsv2_pt_{h32}_{h10}", "langsmith-legacy-key": "ls__{h32}", "tavily-key": "tvly-{a32}",
    "replicate-token": "r8_{a37}", "nvidia-key": "nvapi-{w64}", "xai-key": "xai-{a80}",
    "perplexity-key": "pplx-{a48}", "fireworks-key": "fw_{a24}", "together-key": "tgp_v1_{w43}",
    "cerebras-key": "csk-{l48}", "e2b-key": "e2b_{h40}", "firecrawl-key": "fc-{h32}", "pinecone-key": "pcsk_{a70}",
    "voyage-key": "pa-{w43}", "jina-key": "jina_{w60}", "elevenlabs-key": "sk_{h48}", "wandb-key": "wandb_v1_{a60}",
    "agentops-key": "ao_{h8}-{h4}-{h4}-{h4}-{h12}", "aws-key-id": "AKIA{u16}", "aws-bedrock-key": "ABSK{b128}",
    "google-api-key": "AIza{w35}", "google-oauth-secret": "GOCSPX-{w28}", "google-oauth-token": "ya29.{w120}",
    "google-refresh-token": "1//0{w100}", "digitalocean-token": "dop_v1_{h64}", "alibaba-key-id": "LTAI{a20}",
    "tencent-key-id": "AKID{a32}", "vault-token": "hvs.{w90}", "terraform-token": "{a14}.atlasv1.{w64}",
    "pulumi-token": "pul-{h40}", "fly-token": "fo1_{w43}", "heroku-key": "HRKU-{w60}",
    "cloudflare-ca-key": "v1.0-{h24}-{h146}", "databricks-token": "dapi{h32}", "planetscale-token": "pscale_tkn_{w43}",
    "supabase-key": "sbp_{h40}", "neon-key": "napi_{l64}", "vercel-token": "vcp_{a56}", "netlify-token": "nfp_{a36}",
    "grafana-token": "glsa_{a32}_{h8}", "newrelic-key": "NRAK-{u27}", "sentry-token": "sntrys_{b100}",
    "dynatrace-token": "dt0c01.{u24}.{u64}", "slack-token": "xoxb-{d12}-{d12}-{a24}",
    "slack-rotating-token": "xoxe.xoxb-1-{a146}", "slack-app-token": "xapp-1-{u11}-{d13}-{h64}",
    "stripe-key": "sk_live_{a24}", "stripe-webhook-secret": "whsec_{a32}", "sendgrid-key": "SG.{w22}.{w43}",
    "mailgun-key": "key-{h32}", "mailchimp-key": "{h32}-us14", "brevo-key": "xkeysib-{h64}-{a16}",
    "twilio-key": "SK{h32}", "twilio-account": "AC{h32}", "square-token": "sq0csp-{w43}", "shopify-token": "shpat_{h32}",
    "braintree-token": "access_token$production${l16}${h32}", "telegram-token": "{d10}:AA{w33}",
    "discord-token": "M{a23}.{w6}.{w27}", "notion-token": "ntn_{a46}", "linear-key": "lin_api_{a40}",
    "figma-token": "figd_{w40}", "airtable-token": "pat{a14}.{h64}", "postman-key": "PMAK-{h24}-{h34}",
    "typeform-token": "tfp_{w59}", "doppler-token": "dp.pt.{a43}", "onepassword-secret": "A3-{u6}-{u6}-{u5}-{u5}-{u5}-{u5}",
    "onepassword-token": "ops_eyJ{b250}", "posthog-key": "phx_{a43}", "facebook-token": "EAAC{a150}",
    "twitch-secret": "oauth:{l30}", "dropbox-token": "sl.{w135}", "contentful-token": "CFPAT-{w43}",
    "flutterwave-key": "FLWSECK-{a32}-X", "shippo-token": "shippo_live_{h40}", "duffel-token": "duffel_test_{w43}",
    "easypost-key": "EZAK{a54}", "frameio-token": "fio-u-{w64}", "prefect-key": "pnu_{a36}", "readme-key": "rdme_{l70}",
    "scalingo-token": "tk-us-{w48}", "sourcegraph-token": "sgp_{h40}", "buildkite-token": "bkua_{h40}",
    "clojars-token": "CLOJARS_{l60}", "age-key": "AGE-SECRET-KEY-1{u58}", "intra42-key": "s-s4t2ud-{h64}",
    "apify-token": "apify_api_{a36}", "resend-key": "re_{a8}_{a24}", "artifactory-key": "AKCp{a69}",
    "sonar-token": "squ_{h40}", "snyk-token": "snyk_uat.{h8}.{w60}", "circleci-token": "CCIPAT_{a22}_{h40}",
    "hubspot-token": "pat-na1-{h8}-{h4}-{h4}-{h4}-{h12}", "tailscale-key": "tskey-auth-{a17}-{a32}",
    "infisical-token": "st.{h24}.{h32}.{h32}",
}  # fmt: skip


@cache
def detector() -> Detector:
    return Detector()


def fill(shape: str, seed: str) -> str:
    """Fill a shape's slots with random characters."""
    rng = random.Random(seed)
    return SLOT.sub(lambda m: "".join(rng.choice(ALPHABETS[m[1]]) for _ in range(int(m[2]))), shape)


def rules_of(text: str) -> set[str]:
    return {span.rule for span in detector().detect(text)}


def test_every_provider_has_a_shape() -> None:
    with_prefix = {rule.name for rule in RULES if rule.prefix or rule.name in ("mailchimp-key", "telegram-token")}
    apart = {name for name in with_prefix if name.startswith("prefixed-token")}  # tested with the services' names
    assert with_prefix - {"jwt", "slack-webhook"} - apart <= SHAPES.keys()


@pytest.mark.parametrize("name", SHAPES)
def test_token_is_found_whole(name: str) -> None:
    kind = next(rule.kind for rule in RULES if rule.name == name)
    for seed in range(5):
        token = fill(SHAPES[name], f"{name}{seed}")
        for before, after in (("", ""), ("use ", " now"), ('("', '")'), ("k=", "\n"), ("/", "/"), ("x: '", "',")):
            spans = detector().detect(before + token + after)
            best = max(spans, key=lambda s: s.end - s.start, default=None)
            assert best is not None, f"{before}{name}"
            assert (best.start, best.kind) == (len(before), kind) or best.start < len(before), best
            assert best.end >= len(before) + len(token)


@pytest.mark.parametrize("name", SHAPES)
def test_near_miss_is_left_alone(name: str) -> None:
    masked = SLOT.sub(lambda m: "x" * int(m[2]), SHAPES[name])
    stem = SHAPES[name].partition("{")[0]
    for text in (f"use {masked} now", f"a {stem} b", f"the {stem}* prefix", f"{stem}abc"):
        assert name not in rules_of(text)
