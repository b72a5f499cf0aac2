"""Plots: accuracy by length and step offsets of an evaluation; places and agents of the labels of a build."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from errorhub.hub.extras import extra

WIDEST = 10
"""Offsets beyond this many steps share the last bar."""


def plot_evaluation(document: dict[str, Any], offsets: Sequence[int], folder: Path) -> list[Path]:
    """Write `accuracy_by_length.svg` and `step_offset.svg`. Raise UsageError when matplotlib is not installed."""
    folder.mkdir(parents=True, exist_ok=True)
    groups = {name: one for name, one in document["by_length"].items() if one["n"]}
    ordered = sorted(groups, key=_first_number)
    labels = [f"{name}\nn={groups[name]['n']}" for name in ordered]
    accuracy = folder / "accuracy_by_length.svg"
    _bars(accuracy, labels, [groups[name]["exact"] for name in ordered], ("steps of the run", "exact step"), top=1.0)
    counted = Counter(max(-WIDEST, min(WIDEST, one)) for one in offsets)
    places = range(-WIDEST, WIDEST + 1)
    names = [f"{'≤' if p == -WIDEST else '≥' if p == WIDEST else ''}{p}" for p in places]
    histogram = folder / "step_offset.svg"
    _bars(histogram, names, [counted[p] for p in places], ("predicted minus gold step", "answers"))
    return [accuracy, histogram]


def plot_views(shown: dict[str, Any], folder: Path) -> list[Path]:
    """Write where the gold step stands and who is to blame, two plots a view."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for view, one in shown.items():
        place, agents = folder / f"{view}.place.svg", folder / f"{view}.agents.svg"
        tenths = [f"{10 * i}-{10 * i + 10} %" for i in range(10)]
        _bars(place, tenths, one["place"], ("place of the gold step in the run", "rows"))
        top = dict(list(one["agents"].items())[:8])
        _bars(agents, [name[:14] for name in top], list(top.values()), ("responsible agent", "rows"))
        paths += [place, agents]
    return paths


def _bars(
    path: Path, labels: Sequence[str], heights: Sequence[float], axes: tuple[str, str], *, top: float | None = None
) -> None:
    matplotlib = extra("matplotlib", feature="plots", name="views")
    figures = extra("matplotlib.figure", feature="plots", name="views")
    with matplotlib.rc_context({"svg.hashsalt": "errorhub", "svg.fonttype": "none"}):
        figure = figures.Figure(figsize=(6.4, 3.2), layout="constrained")
        plot = figure.subplots()
        plot.bar(range(len(labels)), heights, color="#33658a")
        plot.set_xticks(range(len(labels)), labels, fontsize=7)
        plot.set_xlabel(axes[0])
        plot.set_ylabel(axes[1])
        if top is not None:
            plot.set_ylim(0, top)
        figure.savefig(path, format="svg", metadata={"Date": None})


def _first_number(name: str) -> int:
    digits = name.rstrip("+").split("-")[0]
    return int(digits) if digits.isdecimal() else 10**9
