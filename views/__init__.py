"""Views: bundles in, training rows and refusals out."""

from errorhub.evidence.transcript import parse_steps, render_steps
from errorhub.views.build import build
from errorhub.views.fitting import Budget
from errorhub.views.overlap import Benchmark, read_benchmark
from errorhub.views.plan import Plan
from errorhub.views.row import VIEWS, Row, read_rows
from errorhub.views.sources import Source, of_bundles
from errorhub.views.splits import Shares
from errorhub.views.target import Target, parse_target, render_target

__all__ = [
    "VIEWS",
    "Benchmark",
    "Budget",
    "Plan",
    "Row",
    "Shares",
    "Source",
    "Target",
    "build",
    "of_bundles",
    "parse_steps",
    "parse_target",
    "read_benchmark",
    "read_rows",
    "render_steps",
    "render_target",
]
