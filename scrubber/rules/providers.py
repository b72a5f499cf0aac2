"""Tokens that providers mark with a prefix of their own, from the providers' published formats."""

from __future__ import annotations

from errorhub.scrubber.rules.lookalikes import not_masked
from errorhub.scrubber.rules.rule import BORDER, Rule


def token(
    name: str,
    kind: str,
    prefix: str,
    body: str,
    keywords: str,
    *,
    left: bool = True,
    end: str = "",
    stem: str = "",
    hint: str = "",
) -> Rule:
    """Build the row of a token that its prefix gives away; `end` may follow a short one, `stem` finds a broken one."""
    right = f"(?:{end}|$)" if end else ""
    regex = f"{BORDER if left else ''}({prefix}{body}){right}"
    return Rule(name, kind, regex, tuple(keywords.split()), check=not_masked, hint=hint, prefix=stem or prefix)


CODE_HOSTS = (
    token(
        "github-token", "GITHUB_TOKEN", r"gh[pousr]_", r"[A-Za-z0-9]{36,255}", "ghp_ gho_ ghu_ ghs_ ghr_", left=False
    ),
    token("github-pat", "GITHUB_TOKEN", r"github_pat_", r"[A-Za-z0-9_]{50,255}", "github_pat_", left=False),
    token(
        "gitlab-token",
        "GITLAB_TOKEN",
        r"gl(?:pat|ptt|dt|rt|cbt|ft|soat|agent|imt|oas|ffct)-",
        r"[A-Za-z0-9_\-]{20,300}(?:\.[0-9a-z]{2,16}){0,2}",
        "glpat- glptt- gldt- glrt- glcbt- glft- glsoat- glagent- glimt- gloas- glffct-",
    ),
    token("npm-token", "NPM_TOKEN", r"npm_", r"[A-Za-z0-9]{36,64}", "npm_"),
    token("pypi-token", "PYPI_TOKEN", r"pypi-", r"[A-Za-z0-9_\-]{50,1000}", "pypi-"),
    token("docker-token", "DOCKER_TOKEN", r"dckr_(?:pat|oat)_", r"[A-Za-z0-9_\-]{20,60}", "dckr_pat_ dckr_oat_"),
    token("atlassian-token", "ATLASSIAN_TOKEN", r"ATATT3", r"[A-Za-z0-9_\-=]{60,400}", "atatt3"),
    token("bitbucket-token", "ATLASSIAN_TOKEN", r"ATBB", r"[A-Za-z0-9]{20,60}", "atbb"),
    token("rubygems-key", "RUBYGEMS_KEY", r"rubygems_", r"[a-f0-9]{48}", "rubygems_"),
    token("crates-token", "CRATES_TOKEN", r"cio", r"[A-Za-z0-9]{32}", "cio", end=r"[^A-Za-z0-9]"),
    token("nuget-key", "NUGET_KEY", r"oy2", r"[a-z0-9]{43}", "oy2", end=r"[^A-Za-z0-9]"),
)

MODEL_VENDORS = (
    token("anthropic-key", "ANTHROPIC_KEY", r"sk-ant-", r"[A-Za-z0-9_\-]{20,200}", "sk-ant-"),
    token("openrouter-key", "OPENROUTER_KEY", r"sk-or-(?:v1-)?", r"[A-Za-z0-9_\-]{32,128}", "sk-or-"),
    token("openai-key", "OPENAI_KEY", r"sk-(?:proj|svcacct|admin|None)-", r"[A-Za-z0-9_\-]{20,220}", "sk-"),
    token("openai-legacy-key", "OPENAI_KEY", r"sk-", r"(?:lf-|live-|test-)?[A-Za-z0-9]{20,100}", "sk-"),
    token("sk-uuid-key", "API_KEY", r"[sp]k-lf-", r"[0-9a-f\-]{36}", "k-lf-"),
    token("hf-token", "HF_TOKEN", r"(?:hf_|api_org_)", r"[A-Za-z0-9]{30,60}", "hf_ api_org_"),
    token("groq-key", "GROQ_KEY", r"gsk_", r"[A-Za-z0-9]{40,64}", "gsk_"),
    token("langsmith-key", "LANGSMITH_KEY", r"lsv2_(?:pt|sk)_", r"[A-Za-z0-9_]{32,64}", "lsv2_"),
    token("langsmith-legacy-key", "LANGSMITH_KEY", r"ls__", r"[A-Za-z0-9]{32}", "ls__"),
    token("tavily-key", "TAVILY_KEY", r"tvly-", r"[A-Za-z0-9_\-]{20,64}", "tvly-"),
    token("replicate-token", "REPLICATE_TOKEN", r"r8_", r"[A-Za-z0-9]{32,48}", "r8_"),
    token("nvidia-key", "NVIDIA_KEY", r"nvapi-", r"[A-Za-z0-9_\-]{40,100}", "nvapi-"),
    token("xai-key", "XAI_KEY", r"xai-", r"[A-Za-z0-9]{40,120}", "xai-"),
    token("perplexity-key", "PERPLEXITY_KEY", r"pplx-", r"[A-Za-z0-9]{40,64}", "pplx-"),
    token("fireworks-key", "FIREWORKS_KEY", r"fw_", r"[A-Za-z0-9]{20,40}", "fw_"),
    token("together-key", "TOGETHER_KEY", r"tgp_v1_", r"[A-Za-z0-9_\-]{40,64}", "tgp_v1_"),
    token("cerebras-key", "CEREBRAS_KEY", r"csk-", r"[a-z0-9]{40,64}", "csk-"),
    token("e2b-key", "E2B_KEY", r"e2b_", r"[a-f0-9]{40}", "e2b_"),
    token("firecrawl-key", "FIRECRAWL_KEY", r"fc-", r"[a-f0-9]{32}", "fc-"),
    token("pinecone-key", "PINECONE_KEY", r"pcsk_", r"[A-Za-z0-9_]{40,100}", "pcsk_"),
    token("voyage-key", "VOYAGE_KEY", r"pa-", r"[A-Za-z0-9_\-]{43}", "pa-", end=r"[^A-Za-z0-9_\-]"),
    token("jina-key", "JINA_KEY", r"jina_", r"[A-Za-z0-9_\-]{50,80}", "jina_"),
    token("elevenlabs-key", "ELEVENLABS_KEY", r"sk_", r"[a-f0-9]{48}", "sk_"),
    token("wandb-key", "WANDB_KEY", r"wandb_v1_", r"[A-Za-z0-9_]{40,120}", "wandb_v1_"),
    token("agentops-key", "AGENTOPS_KEY", r"(?:ao_|aops_)", r"[a-f0-9\-]{32,40}", "ao_ aops_"),
)

CLOUDS = (
    token(
        "aws-key-id", "AWS_KEY", r"(?:AKIA|ASIA|ABIA|ACCA)", r"[A-Z0-9]{16}", "akia asia abia acca", end=r"[^A-Z0-9]"
    ),
    token("aws-bedrock-key", "AWS_KEY", r"ABSK", r"[A-Za-z0-9+/]{80,200}={0,2}", "absk"),
    token("google-api-key", "GOOGLE_KEY", r"AIza", r"[A-Za-z0-9_\-]{35}", "aiza"),
    token("google-oauth-secret", "GOOGLE_SECRET", r"GOCSPX-", r"[A-Za-z0-9_\-]{28}", "gocspx-"),
    token("google-oauth-token", "GOOGLE_TOKEN", r"ya29\.", r"[A-Za-z0-9_\-.]{30,400}", "ya29."),
    token("google-refresh-token", "GOOGLE_TOKEN", r"1//0", r"[A-Za-z0-9_\-]{40,200}", "1//0"),
    token("digitalocean-token", "DIGITALOCEAN_TOKEN", r"do[opr]_v1_", r"[a-f0-9]{64}", "dop_v1_ doo_v1_ dor_v1_"),
    token("alibaba-key-id", "ALIBABA_KEY", r"LTAI", r"[A-Za-z0-9]{12,24}", "ltai", end=r"[^A-Za-z0-9]"),
    token("tencent-key-id", "TENCENT_KEY", r"AKID", r"[A-Za-z0-9]{32}", "akid", end=r"[^A-Za-z0-9]"),
    token("vault-token", "VAULT_TOKEN", r"hv[sbr]\.", r"[A-Za-z0-9_\-]{24,300}", "hvs. hvb. hvr."),
    token(
        "terraform-token",
        "TERRAFORM_TOKEN",
        r"[A-Za-z0-9]{14}\.atlasv1\.",
        r"[A-Za-z0-9_\-=]{60,70}",
        ".atlasv1.",
    ),
    token("pulumi-token", "PULUMI_TOKEN", r"pul-", r"[a-f0-9]{40}", "pul-"),
    token("fly-token", "FLY_TOKEN", r"(?:fo1_|fm[12][ar]?_)", r"[A-Za-z0-9+/_\-]{40,900}={0,3}", "fo1_ fm1 fm2"),
    token("heroku-key", "HEROKU_KEY", r"HRKU-", r"[A-Za-z0-9_\-]{36,70}", "hrku-"),
    token("cloudflare-ca-key", "CLOUDFLARE_KEY", r"v1\.0-", r"[a-f0-9]{24}-[a-f0-9]{146}", "v1.0-"),
    token("databricks-token", "DATABRICKS_TOKEN", r"dapi", r"[a-f0-9]{32}(?:-\d)?", "dapi"),
    token("planetscale-token", "PLANETSCALE_TOKEN", r"pscale_(?:tkn|pw|oauth)_", r"[A-Za-z0-9_\-=.]{32,64}", "pscale_"),
    token(
        "supabase-key",
        "SUPABASE_KEY",
        r"sb(?:p_|_secret_|_publishable_)",
        r"[A-Za-z0-9_\-]{20,60}",
        "sbp_ sb_secret_ sb_publishable_",
    ),
    token("neon-key", "NEON_KEY", r"napi_", r"[a-z0-9]{50,80}", "napi_"),
    token("vercel-token", "VERCEL_TOKEN", r"vc[pirak]_", r"[A-Za-z0-9]{40,80}", "vcp_ vci_ vcr_ vca_ vck_"),
    token("netlify-token", "NETLIFY_TOKEN", r"nf[pcoub]_", r"[A-Za-z0-9_\-]{36,60}", "nfp_ nfc_ nfo_ nfu_ nfb_"),
    token("grafana-token", "GRAFANA_TOKEN", r"gl(?:c|sa)_", r"[A-Za-z0-9+/_]{32,400}={0,2}", "glc_ glsa_"),
    token(
        "newrelic-key",
        "NEWRELIC_KEY",
        r"NR(?:AK|II|IQ|JS|RA)-",
        r"[A-Za-z0-9_\-]{20,40}",
        "nrak- nrii- nriq- nrjs- nrra-",
    ),
    token("sentry-token", "SENTRY_TOKEN", r"sntry[su]_", r"[A-Za-z0-9+/_=]{60,300}", "sntrys_ sntryu_"),
    token("dynatrace-token", "DYNATRACE_TOKEN", r"dt0[a-z]\d{2}\.", r"[A-Z0-9]{24}\.[A-Z0-9]{64}", "dt0", stem=r"dt0"),
)

SERVICES = (
    token(
        "slack-token",
        "SLACK_TOKEN",
        r"xox[abeoprs]-",
        r"[A-Za-z0-9\-]{10,250}",
        "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs-",
        left=False,
    ),
    token("slack-rotating-token", "SLACK_TOKEN", r"xoxe\.xox[bp]-", r"\d-[A-Za-z0-9]{100,200}", "xoxe.xox", left=False),
    token(
        "slack-app-token", "SLACK_TOKEN", r"xapp-", r"\d{1,12}-[A-Za-z0-9]{6,24}-\d{2,20}-[A-Za-z0-9]{10,80}", "xapp-"
    ),
    token(
        "stripe-key",
        "STRIPE_KEY",
        r"(?:sk|rk|pk)_(?:live|test|prod)_",
        r"[A-Za-z0-9]{10,250}",
        "k_live_ k_test_ k_prod_",
    ),
    token("stripe-webhook-secret", "STRIPE_KEY", r"whsec_", r"[A-Za-z0-9+/]{24,80}={0,2}", "whsec_"),
    token("sendgrid-key", "SENDGRID_KEY", r"SG\.", r"[A-Za-z0-9_\-]{16,32}\.[A-Za-z0-9_\-]{32,64}", "sg."),
    token("mailgun-key", "MAILGUN_KEY", r"key-", r"[a-f0-9]{32}", "key-", end=r"[^a-f0-9]"),
    token("mailchimp-key", "MAILCHIMP_KEY", r"", r"[a-f0-9]{32}-us\d{1,2}", "-us", end=r"[^0-9]"),
    token("brevo-key", "BREVO_KEY", r"xkeysib-", r"[A-Fa-f0-9]{64}-[A-Za-z0-9]{16}", "xkeysib-"),
    token("twilio-key", "TWILIO_KEY", r"SK", r"[A-Fa-f0-9]{32}", "sk", end=r"[^A-Za-z0-9]"),
    token("twilio-account", "TWILIO_KEY", r"AC", r"[a-f0-9]{32}", "ac", end=r"[^A-Za-z0-9]"),
    token(
        "square-token",
        "SQUARE_TOKEN",
        r"(?:sq0[a-z]{3}-|EAAA)",
        r"[A-Za-z0-9_\-]{22,64}",
        "sq0 eaaa",
        stem=r"(?:sq0|EAAA)",
    ),
    token(
        "shopify-token",
        "SHOPIFY_TOKEN",
        r"shp(?:at|ca|pa|ss|tka)_",
        r"[A-Fa-f0-9]{32}",
        "shpat_ shpca_ shppa_ shpss_ shptka_",
    ),
    token(
        "braintree-token",
        "BRAINTREE_TOKEN",
        r"access_token\$production\$",
        r"[0-9a-z]{16}\$[0-9a-f]{32}",
        "access_token$",
    ),
    token("telegram-token", "TELEGRAM_TOKEN", r"\d{8,10}:AA", r"[A-Za-z0-9_\-]{32,34}", ":aa"),
    token(
        "discord-token",
        "DISCORD_TOKEN",
        r"[MNO][A-Za-z\d]{22,27}\.",
        r"[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{27,40}",
        ".",
        stem=r"[MNO][A-Za-z\d]{22,27}\.",
        hint=r"\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{27}",
    ),
    token(
        "notion-token", "NOTION_TOKEN", r"(?:secret_|ntn_)", r"[A-Za-z0-9]{43,50}", "secret_ ntn_", end=r"[^A-Za-z0-9]"
    ),
    token("linear-key", "LINEAR_KEY", r"lin_(?:api|oauth)_", r"[A-Za-z0-9]{32,64}", "lin_api_ lin_oauth_"),
    token("figma-token", "FIGMA_TOKEN", r"fig[dou]_", r"[A-Za-z0-9_\-]{36,60}", "figd_ figo_ figu_"),
    token(
        "airtable-token", "AIRTABLE_TOKEN", r"pat[A-Za-z0-9]{14}\.", r"[a-f0-9]{64}", "pat", stem=r"pat[A-Za-z0-9]{5}"
    ),
    token("postman-key", "POSTMAN_KEY", r"PMAK-", r"[A-Fa-f0-9]{24}-[A-Fa-f0-9]{34}", "pmak-"),
    token("typeform-token", "TYPEFORM_TOKEN", r"tfp_", r"[A-Za-z0-9_\-.=]{40,70}", "tfp_"),
    token("doppler-token", "DOPPLER_TOKEN", r"dp\.(?:pt|st|ct|sa|scim|audit)\.", r"[A-Za-z0-9_.\-]{40,60}", "dp."),
    token(
        "onepassword-secret",
        "ONEPASSWORD_KEY",
        r"A3-[A-Z0-9]{6}-",
        r"(?:[A-Z0-9]{5,11}-){3,5}[A-Z0-9]{5}",
        "a3-",
        stem=r"A3-",
    ),
    token("onepassword-token", "ONEPASSWORD_KEY", r"ops_eyJ", r"[A-Za-z0-9+/]{200,900}={0,3}", "ops_eyj"),
    token("posthog-key", "POSTHOG_KEY", r"ph[cx]_", r"[A-Za-z0-9]{40,60}", "phc_ phx_"),
    token("facebook-token", "FACEBOOK_TOKEN", r"EAA[A-Z]", r"[A-Za-z0-9]{80,400}", "eaa"),
    token("twitch-secret", "TWITCH_TOKEN", r"oauth:", r"[a-z0-9]{30}", "oauth:", end=r"[^A-Za-z0-9]"),
    token("dropbox-token", "DROPBOX_TOKEN", r"sl\.(?:u\.)?", r"[A-Za-z0-9_\-=]{120,1000}", "sl."),
    token("contentful-token", "CONTENTFUL_TOKEN", r"CFPAT-", r"[A-Za-z0-9_\-]{43}", "cfpat-"),
    token(
        "flutterwave-key",
        "FLUTTERWAVE_KEY",
        r"FLW(?:SEC|PUB)K(?:_TEST)?-",
        r"[A-Za-z0-9]{12,40}(?:-X)?",
        "flwseck flwpubk",
    ),
    token("shippo-token", "SHIPPO_TOKEN", r"shippo_(?:live|test)_", r"[A-Fa-f0-9]{40}", "shippo_"),
    token("duffel-token", "DUFFEL_TOKEN", r"duffel_(?:live|test)_", r"[A-Za-z0-9_\-=]{43}", "duffel_"),
    token("easypost-key", "EASYPOST_KEY", r"EZ[AT]K", r"[A-Za-z0-9]{54}", "ezak eztk"),
    token("frameio-token", "FRAMEIO_TOKEN", r"fio-u-", r"[A-Za-z0-9_\-=]{64}", "fio-u-"),
    token("prefect-key", "PREFECT_KEY", r"pn[ub]_", r"[A-Za-z0-9]{36}", "pnu_ pnb_"),
    token("readme-key", "README_KEY", r"rdme_", r"[a-z0-9]{70}", "rdme_"),
    token("scalingo-token", "SCALINGO_TOKEN", r"tk-us-", r"[A-Za-z0-9_\-]{48}", "tk-us-"),
    token(
        "sourcegraph-token",
        "SOURCEGRAPH_TOKEN",
        r"sg[pdms]_",
        r"(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}",
        "sgp_ sgd_ sgm_ sgs_",
    ),
    token("buildkite-token", "BUILDKITE_TOKEN", r"bk(?:ua|ct|at)_", r"[A-Za-z0-9]{40}", "bkua_ bkct_ bkat_"),
    token("clojars-token", "CLOJURE_TOKEN", r"CLOJARS_", r"[a-z0-9]{60}", "clojars_"),
    token("age-key", "AGE_KEY", r"AGE-SECRET-KEY-1", r"[0-9A-Z]{58}", "age-secret-key-1"),
    token("intra42-key", "API_KEY", r"s-s4t2(?:ud|af)-", r"[a-f0-9]{64}", "s-s4t2"),
    token("apify-token", "APIFY_TOKEN", r"apify_api_", r"[A-Za-z0-9]{30,50}", "apify_api_"),
    token("resend-key", "RESEND_KEY", r"re_", r"[A-Za-z0-9]{6,12}_[A-Za-z0-9]{20,30}", "re_", end=r"[^A-Za-z0-9_]"),
    token("artifactory-key", "ARTIFACTORY_KEY", r"AKCp", r"[A-Za-z0-9]{60,80}", "akcp"),
    token("sonar-token", "SONAR_TOKEN", r"sq[pua]_", r"[a-f0-9]{40}", "squ_ sqp_ sqa_"),
    token("snyk-token", "SNYK_TOKEN", r"snyk_uat\.", r"[A-Za-z0-9_.\-]{40,200}", "snyk_uat."),
    token("circleci-token", "CIRCLECI_TOKEN", r"CCIPAT_", r"[A-Za-z0-9]{20,30}_[a-f0-9]{40}", "ccipat_"),
    token("hubspot-token", "HUBSPOT_TOKEN", r"pat-(?:na|eu|ap)\d-", r"[0-9a-f\-]{36}", "pat-na pat-eu pat-ap"),
    token("tailscale-key", "TAILSCALE_KEY", r"tskey-", r"[A-Za-z0-9\-]{20,80}", "tskey-"),
    token(
        "infisical-token",
        "INFISICAL_TOKEN",
        r"st\.[a-f0-9]{24}\.",
        r"[a-f0-9]{32}\.[a-f0-9]{32}",
        "st.",
        stem=r"st\.[a-f0-9]{4}",
    ),
)

RULES: tuple[Rule, ...] = CODE_HOSTS + MODEL_VENDORS + CLOUDS + SERVICES
