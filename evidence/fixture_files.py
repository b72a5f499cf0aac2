"""The two files of a fixture: what the failure looked like, and the test that looks for it in a new run."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from errorhub.evidence.fixture_record import Fixture
from errorhub.hub.bundle.canonical import settle
from errorhub.hub.durable import write_file

RUN: Final = "ERRORHUB_RUN"
"""Environment variable that names the log of the new run, or a folder of logs."""

_TEST: Final = '''"""Fails when a new run repeats the failure that was recorded as bundle {short}.

    ERRORHUB_RUN=path/to/new/log pytest {name}

The log may have any format that `errorhub formats` lists; of a folder, the runs of this task are compared.
What is compared stands in {data}.
"""

import os
from pathlib import Path

import pytest

from errorhub.evidence import read_fixture, repeats, runs_of

FAILURE = Path(__file__).with_name("{data}")


def test_failure_{short}_is_not_repeated() -> None:
    log = os.environ.get("ERRORHUB_RUN")
    if not log:
        pytest.skip("no new run to look at. Set ERRORHUB_RUN to its log.")
    failure = read_fixture(FAILURE)
    found = [repeat for run in runs_of(failure, Path(log)) for repeat in repeats(failure, run)]
    if found:
        pytest.fail("\\n\\n".join(map(str, found)), pytrace=False)
'''


def write_fixture(fixture: Fixture, folder: Path) -> list[Path]:
    """Write the test and its JSON into a folder and return both paths; writing them again changes nothing."""
    import json

    short = fixture.bundle_id[:12]
    folder.mkdir(parents=True, exist_ok=True)
    test, data = folder / f"test_failure_{short}.py", folder / f"failure_{short}.json"
    shown = settle(fixture.model_dump(mode="json", exclude_none=True))
    write_file(data, (json.dumps(shown, ensure_ascii=False, indent=2) + "\n").encode(), mode=0o644)
    write_file(test, _TEST.format(short=short, name=test.name, data=data.name).encode(), mode=0o644)
    return [test, data]
