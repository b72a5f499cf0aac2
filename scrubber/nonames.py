"""What the model takes for names in traces and is none: products, acronyms, identifiers."""

from __future__ import annotations

import re

from errorhub.scrubber.spans import Region

_SHAPE = re.compile(r"[^\W\d_][^\W\d_.'’& -]*(?:[.'’&, -]+[^\W\d_.'’&-]+)*\.?")
_CAMEL = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]")

_WORDS_TEXT = """
    accept access action actions agent agents ai airflow amazon android angular ansible anthropic apache api
    apis app apple arch array args ascii assertionerror assistant async aws azure bash beautifulsoup bert bing
    bool boolean bootstrap browser bug bugs c chrome chromium ci claude cli cloud cmake code codex command
    commit conda config console copilot cpu csv css cuda cursor cve data database dataframe dataset datetime
    debian deepseek desktop dict django docker dockerfile docs duckdb edge elasticsearch electron email english
    error errors eslint excel exception express facebook false fastapi fedora figma file files firefox fixed
    flask float formula function gemini gh git github gitlab gmail go golang google gpt gpu gradle grep gui
    haiku helm html http https hugging ide importerror index input int integer iphone issue java javascript jest
    jira jquery json jsonl jupyter jwt keras keyerror kotlin kubernetes lambda langchain laravel latex lib
    linear linkedin linux list llama llm logs lua mac macos main makefile markdown matplotlib maven max mcp meta
    microsoft min mistral mit mongodb mozilla mypy mysql nan netlify next nextjs nginx node nodejs none notion
    npm npx null numpy nvidia ok openai openapi opus oracle orm os outlook output pandas parser path pdf perl
    php pip plan playwright please plot png pnpm podman poetry postgres postgresql powershell pr project prompt
    pull puppeteer py pylint pypi pyright pytest python pytorch qwen rails react readme reddit redis redux regex
    repo repository request response rest result return ruby ruff run rust safari scala scikit scipy script sdk
    seaborn selenium self server shell sklearn slack sonnet source spacy spark sphinx sql sqlalchemy sqlite ssh
    ssl stack stackoverflow step stripe svelte svg swift sympy sync system tailwind task teams tensorflow
    terminal terraform test tests thought todo token tool tools torch transformers true tsx tuple twitter txt
    typeerror types typescript ubuntu ui unicode unix update uri url user ux uuid vagrant valueerror vercel vim
    virtualenv visual vite vue wasm web webpack websocket wikipedia windows wordpress xml yaml yarn yield
    youtube zip zod zsh
"""
WORDS = frozenset(_WORDS_TEXT.split())
"""Words of the trade, in lower case."""


def is_name(text: str, region: Region) -> bool:
    """Tell whether a region that the model took for a name can be one."""
    value = text[region.start : region.end]
    if len(value) < 3 or not value[0].isupper() or not _SHAPE.fullmatch(value) or _CAMEL.search(value):
        return False
    if not _stands_alone(text, region):
        return False
    words = re.findall(r"[^\W\d_]+", value)
    if len(words) == 1 and value.isupper():
        return False
    return not all(word.lower() in WORDS for word in words)


def _stands_alone(text: str, region: Region) -> bool:
    """A name is not part of a path, a call, a placeholder or an identifier."""
    before, after = text[: region.start][-1:], text[region.end :][:1]
    return before not in tuple("`_/\\<@#$.=-") and after not in tuple("`_/\\>(=@")
