"""A hub as a Croissant 1.0 description: one FileObject with its SHA-256 a shard, one record set over the columns."""

from __future__ import annotations

from typing import Any

from errorhub.cards.facts import Facts, label

_COLUMNS = (
    ("bundle_id", "sc:Text", "Digest of the bundle: its identity."),
    ("trajectory_id", "sc:Text", "Digest of the run; bundles of the same run share it."),
    ("task", "sc:Text", "The source task: unit of splitting."),
    ("harness", "sc:Text", "The program that ran the agent."),
    ("policy", "sc:Text", "The model or policy that decided."),
    ("outcome", "sc:Text", "failed, passed, ungradable or unknown."),
    ("n_steps", "sc:Integer", "Number of steps."),
    ("step", "sc:Integer", "0-based step of the first diagnosis."),
    ("agent", "sc:Text", "Responsible agent of the first diagnosis."),
    ("mode", "sc:Text", "Failure mode of the first diagnosis."),
    ("resolved", "sc:Boolean", "Whether a corrected attempt passed."),
    ("license", "sc:Text", "SPDX expression."),
)

_CONTEXT: dict[str, Any] = {
    "@language": "en", "@vocab": "https://schema.org/", "citeAs": "cr:citeAs", "column": "cr:column",
    "conformsTo": "dct:conformsTo", "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"}, "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/", "examples": {"@id": "cr:examples", "@type": "@json"}, "extract": "cr:extract",
    "field": "cr:field", "fileObject": "cr:fileObject", "fileProperty": "cr:fileProperty", "fileSet": "cr:fileSet",
    "format": "cr:format", "includes": "cr:includes", "isLiveDataset": "cr:isLiveDataset", "jsonPath": "cr:jsonPath",
    "key": "cr:key", "md5": "cr:md5", "parentField": "cr:parentField", "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/", "recordSet": "cr:recordSet", "references": "cr:references",
    "regex": "cr:regex", "repeated": "cr:repeated", "replace": "cr:replace", "sc": "https://schema.org/",
    "separator": "cr:separator", "source": "cr:source", "subField": "cr:subField", "transform": "cr:transform",
}  # fmt: skip


def croissant(facts: Facts) -> dict[str, Any]:
    """Return the description as plain JSON. The same facts give the same object."""
    licenses = sorted({label(name) for name in facts.tables.get("license", {})})
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": "agent-error-hub",
        "description": f"{facts.bundles} failed runs of LLM agents with diagnoses and repairs.",
        "license": licenses or ["none"],
        "dateModified": facts.updated,
        "distribution": [_file(file.path, file.sha256, file.size) for file in facts.files] + [_shards()],
        "recordSet": [_records()] if facts.files else [],
    }


def _file(path: str, sha256: str, size: int) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject", "@id": path, "name": path, "contentUrl": path, "contentSize": f"{size} B",
        "encodingFormat": "application/x-parquet", "sha256": sha256,
    }  # fmt: skip


def _shards() -> dict[str, Any]:
    return {
        "@type": "cr:FileSet", "@id": "shards", "name": "shards", "encodingFormat": "application/x-parquet",
        "includes": ["inbox/v1/**/*.parquet", "data/v1/**/*.parquet"],
    }  # fmt: skip


def _records() -> dict[str, Any]:
    return {"@type": "cr:RecordSet", "@id": "bundles", "name": "bundles", "field": [
        {"@type": "cr:Field", "@id": f"bundles/{name}", "name": name, "description": text, "dataType": kind,
         "source": {"fileSet": {"@id": "shards"}, "extract": {"column": name}}}
        for name, kind, text in _COLUMNS
    ]}  # fmt: skip
