"""What a package says it offers is what it offers."""

import importlib

import pytest

PACKAGES = [
    "errorhub.hub.bundle", "errorhub.hub.importers", "errorhub.hub.exporters", "errorhub.hub.stores",
    "errorhub.hub.memory", "errorhub.hub.taxonomy", "errorhub.scrubber", "errorhub.evidence", "errorhub.evidence.environments", "errorhub.induction", "errorhub.cards", "errorhub.examples",
    "errorhub.views", "errorhub.training", "errorhub",
]  # fmt: skip


@pytest.mark.parametrize("name", PACKAGES)
def test_public_names_are_listed_sorted_and_real(name: str) -> None:
    package = importlib.import_module(name)
    assert package.__doc__
    assert list(package.__all__) == sorted(package.__all__, key=lambda name: (not name.isupper(), name))
    for public in package.__all__:
        assert hasattr(package, public), public
