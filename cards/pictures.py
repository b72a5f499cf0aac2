"""Pictures of a taxonomy: a map of proposals, what supports each mode, and who is under-represented."""

from __future__ import annotations

import io
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

COLOURS: Mapping[str, str] = {
    "proposed": "#33658a", "unstable": "#a9bccb", "duplicate": "#c9a227", "accepted": "#2a7f62", "merged": "#86bba2",
    "rejected": "#b0413e", "seed": "#777777", "split": "#8e6bbf",
}  # fmt: skip
"""What a proposal or mode is -> its colour, the same in every picture."""

_LONGEST = 34
_WIDE = (
    "Noto Sans CJK SC", "Noto Sans CJK JP", "Source Han Sans SC", "WenQuanYi Zen Hei", "PingFang SC", "Hiragino Sans",
    "Microsoft YaHei", "SimHei",
)  # fmt: skip
"""Fonts that have Chinese letters, where one is installed."""


@dataclass(frozen=True)
class Point:
    """A proposal on the map."""

    name: str
    """In words."""
    x: float
    y: float
    runs: int
    """Distinct runs: its area."""
    kind: str
    """A key of COLOURS."""


@dataclass(frozen=True)
class Bar:
    """A mode or proposal and what supports it."""

    name: str
    """In words."""
    runs: int
    """Distinct runs."""
    kind: str
    """A key of COLOURS."""


@dataclass(frozen=True)
class Panel:
    """How modes are spread over the values of one dimension."""

    title: str
    """harness, policy or environment."""
    columns: tuple[str, ...]
    """Its values, most runs first."""
    runs: tuple[int, ...]
    """Distinct runs of each value."""
    cells: tuple[tuple[int, ...], ...]
    """A row a mode: distinct runs of each value."""


def map_picture(points: Sequence[Point], form: str = "svg") -> bytes:
    """Draw proposals where alike ones lie near, numbered, with their names beside."""
    figure = _figure(9.0, max(4.2, 0.3 * len(points) + 1.2))
    plot, key = figure.subplots(1, 2, width_ratios=(3, 2))
    largest = max((one.runs for one in points), default=1)
    for number, one in sorted(enumerate(points, 1), key=lambda pair: -pair[1].runs):
        size = 160 + 1400 * one.runs / largest
        plot.scatter([one.x], [one.y], s=size, color=COLOURS[one.kind], alpha=0.75, linewidths=0.8, edgecolors="white")
        plot.annotate(str(number), (one.x, one.y), ha="center", va="center", fontsize=8, color="white", weight="bold")
    plot.margins(0.22)
    plot.set_xticks([])
    plot.set_yticks([])
    plot.set_title("Proposals: near means alike, area means runs", fontsize=9, loc="left")
    _key(key, [f"{number}  {short(one.name, 44)} ({one.runs})" for number, one in enumerate(points, 1)], points)
    return _saved(figure, form)


def support_picture(bars: Sequence[Bar], form: str = "svg") -> bytes:
    """Draw the distinct runs behind each mode and proposal."""
    figure = _figure(8.0, max(2.4, 0.28 * len(bars) + 1.2))
    plot = figure.subplots()
    places = range(len(bars))
    plot.barh(places, [one.runs for one in bars], color=[COLOURS[one.kind] for one in bars], height=0.72)
    for place, one in zip(places, bars, strict=True):
        plot.annotate(f" {one.runs}", (one.runs, place), va="center", fontsize=8)
    plot.set_yticks(places, [short(one.name) for one in bars], fontsize=8)
    plot.invert_yaxis()
    plot.margins(x=0.12)
    plot.set_xlabel("distinct runs")
    plot.spines[["top", "right"]].set_visible(False)
    _legend(plot, [one.kind for one in bars])
    return _saved(figure, form)


def coverage_picture(rows: Sequence[str], panels: Sequence[Panel], form: str = "svg") -> bytes:
    """Draw runs by mode and by harness, policy and environment; a cell's shade is its share of the column."""
    widths = [max(1, len(panel.columns)) for panel in panels] or [1]
    figure = _figure(3.0 + 0.75 * sum(widths), max(2.8, 0.34 * len(rows) + 2.2))
    plots = figure.subplots(1, max(1, len(panels)), width_ratios=widths, sharey=True, squeeze=False)[0]
    for plot, panel in zip(plots, panels, strict=False):
        if not panel.columns:
            plot.set_title(f"{panel.title}: no runs yet", fontsize=9)
            continue
        shares = [
            [number / max(1, total) for number, total in zip(row, panel.runs, strict=True)] for row in panel.cells
        ]
        plot.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
        for y, row in enumerate(panel.cells):
            for x, number in enumerate(row):
                ink = "white" if shares[y][x] > 0.55 else "#222222" if number else "#bbbbbb"
                plot.annotate(str(number), (x, y), ha="center", va="center", fontsize=8, color=ink)
        names = [f"{short(name, 20)}\n{total} runs" for name, total in zip(panel.columns, panel.runs, strict=True)]
        plot.set_xticks(range(len(names)), names, fontsize=7, rotation=40, ha="right", rotation_mode="anchor")
        plot.set_title(panel.title, fontsize=9)
    plots[0].set_yticks(range(len(rows)), [short(name) for name in rows], fontsize=8)
    return _saved(figure, form)


def short(name: str, longest: int = _LONGEST) -> str:
    """Return a name as pictures have room for it; dollars are not mathematics."""
    plain = "".join(c if c.isprintable() else " " for c in name).replace("$", r"\$")
    return plain if len(plain) <= longest else plain[: longest - 1] + "…"


def _key(plot: Any, lines: Sequence[str], points: Sequence[Point]) -> None:
    plot.axis("off")
    for place, line in enumerate(lines):
        height = 1 - (place + 0.5) * min(0.07, 1 / (len(lines) + 2))
        plot.text(0, height, line, fontsize=8, va="center", color="#222222", transform=plot.transAxes)
    _legend(plot, [one.kind for one in points])


def _legend(plot: Any, kinds: Sequence[str]) -> None:
    from matplotlib.patches import Patch

    used = [kind for kind in COLOURS if kind in kinds]
    if used:
        patches = [Patch(color=COLOURS[kind], label=kind) for kind in used]
        plot.legend(handles=patches, fontsize=7, loc="lower right", frameon=False, ncols=min(4, len(used)))


def _figure(width: float, height: float) -> Any:
    from matplotlib.figure import Figure

    return Figure(figsize=(min(width, 30.0), min(height, 40.0)), layout="constrained")


def _saved(figure: Any, form: str) -> bytes:
    """Return the bytes. Whoever views an SVG has the letters; a PNG shows boxes for those that no font here has."""
    from matplotlib import rc_context

    buffer = io.BytesIO()
    about = {"Date": None} if form == "svg" else {"Software": None}
    with rc_context({"svg.hashsalt": "errorhub", "svg.fonttype": "none", **_fonts(form)}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"(?s)\s*Glyph")
        figure.savefig(buffer, format=form, dpi=150, metadata=about)
    return buffer.getvalue()


def _fonts(form: str) -> dict[Any, Any]:
    from matplotlib.font_manager import fontManager

    here = {font.name for font in fontManager.ttflist} if form != "svg" else set()
    wide = [name for name in _WIDE if name in here]
    return {"font.sans-serif": ["DejaVu Sans", *wide]} if wide else {}
