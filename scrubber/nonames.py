"""What the model takes for names in traces and is none: products, acronyms, identifiers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from errorhub.scrubber.countries import COUNTRIES
from errorhub.scrubber.spans import Region

_SHAPE = re.compile(r"[^\W\d_][^\W\d_.'’& -]*(?:[.'’&, -]+[^\W\d_.'’&-]+)*\.?")
_CAMEL = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]")

_WORDS_TEXT = """
    a about accept access action actions add advance again agent agents ai airflow all amazon an analysis
    android angular ansible answer anthropic apache api apis app apple apply approach april arch args array
    artist ascii assertionerror assistant async attempt august aws axes azure back backend background base bash
    beautifulsoup bert bing bool boolean bootstrap browser bug bugs build c call cancel case change chapter
    check checker chrome chromium ci class claude cli click client cloud cmake code coder codex colleague
    colleagues command commit complete component computerterminal conclusion conda config configuration confirm
    connection console constraint contact container content context continue convert cookie copilot copy
    copyright cpu create critical css csv cuda current cursor customer cut cve data database dataframe dataset
    datetime debian debug december decimal deepseek default define delete deploy description design desktop
    details dict disclaimer django docker dockerfile docs document done download draft driver duckdb edge edit
    elasticsearch electron element eliminate email enable english ensure enter environment error errors eslint
    event everyone example excel exception execute expected expert export express extract facebook fail false
    fastapi fatal feature february fedora fetch field figma figure file files filesurfer filter final find
    finish firefox fix fixed flask float floats folks follow form format formula friday friend friends frontend
    function gemini generate get gh git github gitlab given gmail go goal golang google gpt gpu gradle grep
    group gui guide guys haiku handle handler header helm help home hook host how html http https hugging ide
    image implement implementation import importerror index info input inspect install instance instruction int
    integer interface introduction iphone issue item january java javascript jest jira jquery json jsonl july
    june jupyter jwt keras key keyerror keyword kotlin kubernetes label lambda langchain language laravel latex
    layer layout level lib library license lifecycle line linear link linkedin linux list llama llm load loader
    log logs loop lua mac macos madam main makefile manager map march markdown match matplotlib maven max may
    mcp menu message meta method microsoft middleware migration min mistral mit mode model module monday mongodb
    monitor mozilla much mypy mysql name nan netlify network new next nextjs nginx node nodejs none note notes
    notion november npm npx null number numpy nvidia object observation october ok open openai openapi operation
    option opus oracle orchestrator order orm os outlook output overview package page pandas panel parameter
    parse parser paste path pattern pdf perform perl permission phase php pip pipeline pixel plan playwright
    please plot png pnpm podman poetry policy port post postgres postgresql powershell pr press previous print
    privacy problem process product production profile project prompt property provider publish pull puppeteer
    push py pylint pypi pyright pytest python pytorch query question queue quick qwen rails react read readme
    ready record reddit redis redo redux reference regex register regression remote remove render replace repo
    report repository request requirement reset resource response rest restart result return review role root
    route router ruby ruff rule run rust safari sample saturday save scala schema scheme scikit scipy scope
    screen script sdk seaborn search section security select selenium self send september sequence server
    service session set setting settings setup share shell show sidebar simulate simulates sir size sklearn
    slack so software solution sonnet sort source spacy spark spec sphinx sql sqlalchemy sqlite ssh ssl stack
    stackoverflow stage standard start state status step stop storage store stream string stripe structure style
    submit success summary sunday support svelte svg swift switch symbol sympy sync system table tag tailwind
    target task team teams template tensorflow terminal terms terraform test tests the there thought thread
    thursday time title todo token tool tools torch total trace track transaction transform transformers tree
    trigger true tsx tuesday tuple twitter txt type typeerror types typescript ubuntu ui understand undo unicode
    unix unlock update upgrade upload uri url usage user using uuid ux vagrant validate value valueerror
    variable vercel verifier verify version very view vim virtualenv visual vite vue warning wasm watch web
    webpack websocket websurfer wednesday widget wikipedia window windows wordpress workflow world wrap write
    xml yaml yarn yield youtube zip zod zsh
"""
WORDS = frozenset(_WORDS_TEXT.split())
"""Words of the trade, in lower case."""


def has_candidate(sentence: str) -> bool:
    """Tell whether a sentence holds a word that could be a name; most do not, and need not be read."""
    return any(True for _ in _candidates(sentence))


def is_name(sentence: str, region: Region, text: str) -> bool:
    """Tell whether a region of a sentence that the model took for a name can be one."""
    value = sentence[region.start : region.end]
    if len(value) < 3 or not value[0].isupper() or not _SHAPE.fullmatch(value) or _CAMEL.search(value):
        return False
    if not _stands_alone(sentence, region) or (region.kind == "LOCATION" and value.lower() in COUNTRIES):
        return False
    if not any(region.start <= at < region.end for at in _candidates(sentence)):
        return False
    words = _LETTERS.findall(value)
    if len(words) == 1 and re.search(rf"\b{re.escape(value.lower())}\b", text):
        return False
    return not all(word.lower() in WORDS for word in words)


def _candidates(sentence: str) -> Iterator[int]:
    """Yield where capitalised words stand that the start of a sentence does not explain."""
    words = list(_LETTERS.finditer(sentence))
    for number, word in enumerate(words):
        if not _is_capitalised(word.group()):
            continue
        follows = number + 1 < len(words) and sentence[word.end() : words[number + 1].start()] in _JOINTS
        if number or (follows and _is_capitalised(words[number + 1].group())):
            yield word.start()


def _is_capitalised(word: str) -> bool:
    return len(word) > 1 and word[0].isupper() and not word.isupper() and word.lower() not in WORDS


def _stands_alone(text: str, region: Region) -> bool:
    """A name is not part of a path, a call, a placeholder or an identifier."""
    before, after = text[: region.start][-1:], text[region.end :][:1]
    return before not in tuple("`_/\\<@#$.=-") and after not in tuple("`_/\\>(=@")


_LETTERS = re.compile(r"[^\W\d_]+")
_JOINTS = frozenset({" ", ". ", " & ", "-", "'", "’", ", "})
