"""Evidence: how a bundle earns its diagnosis and its repair."""

from errorhub.evidence.annotate import annotate, citation
from errorhub.evidence.check import Checked, check
from errorhub.evidence.collect import Batch, collect
from errorhub.evidence.diagnose import Diagnosing
from errorhub.evidence.fixture import make_fixture, read_fixture, repeats, runs_of, write_fixture
from errorhub.evidence.repair import add_repair
from errorhub.evidence.replaying import replay_bundles
from errorhub.evidence.semantic import Opinions

__all__ = [
    "Batch",
    "Checked",
    "Diagnosing",
    "Opinions",
    "add_repair",
    "annotate",
    "check",
    "citation",
    "collect",
    "make_fixture",
    "read_fixture",
    "repeats",
    "replay_bundles",
    "runs_of",
    "write_fixture",
]
