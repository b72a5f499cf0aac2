"""The card of a student: what it was trained on, bundle by bundle, how, and what that does not show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from errorhub.cards.facts import label

_LISTED = 200
"""Bundles that are named on the card; the manifest names all."""


@dataclass(frozen=True)
class Student:
    """What a student's card is made of: the name of its folder and its manifest, every text a plain label."""

    name: str
    kind: str
    base: str
    recipe: Mapping[str, str]
    recipe_digest: str
    counts: Mapping[str, int]
    refused: Mapping[str, int]
    best: str
    versions: Mapping[str, str]
    hashes: Mapping[str, str]
    bundles: tuple[str, ...]
    licenses: tuple[str, ...]
    views: tuple[str, ...]

    @classmethod
    def of(cls, name: str, manifest: Mapping[str, Any]) -> Student:
        """Read a manifest."""
        best = manifest["best"]
        return cls(
            name=label(name), kind=label(manifest["kind"]), base=label(manifest["base"]),
            recipe={label(key): label(one) for key, one in _flat(manifest["recipe"]) if key not in ("rows", "out")},
            recipe_digest=label(manifest["recipe_digest"]),
            counts={
                "rows to learn from": manifest["n_train"], "rows to look at": manifest["n_val"],
                "source tasks": len(manifest["tasks"]), "bundles": len(manifest["bundles"]),
                "steps": manifest["steps"],
            },
            refused={label(key): int(number) for key, number in manifest["refused"].items()},
            best=f"{label(best['metric'])} {best['value']} at step {best['step']}" if best else "none",
            versions={label(key): label(one) for key, one in manifest["versions"].items()},
            hashes={label(key): label(one) for key, one in manifest["rows"].items()},
            bundles=tuple(label(one) for one in manifest["bundles"]),
            licenses=tuple(label(one) for one in manifest["licenses"]),
            views=tuple(label(one) for one in manifest["views"]),
        )  # fmt: skip


def _flat(recipe: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, one in recipe.items():
        if isinstance(one, Mapping):
            yield from ((f"{key}.{name}", inner) for name, inner in one.items())
        elif one is not None:
            yield key, one


def student_readme(student: Student) -> str:
    """Return README.md of a student. The same facts give the same bytes."""
    from errorhub.cards.hub import environment

    return environment().get_template("student.md.j2").render(student=student, listed=_LISTED)
