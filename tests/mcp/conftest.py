"""A workspace with cases, and a real client of the MCP server that runs on it."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from errorhub.hub.bundle import Bundle, Correction, Diagnosis, Provenance, Step, Trajectory
from errorhub.hub.bundle.trajectory import Source, Task
from errorhub.hub.workspace import Workspace

STALE = "Trusted a stale .env file: its DATABASE_URL was left over, so the migration ran against the wrong database."


def _case(explanation: str, *, fix: str = "Print the host first.", agent: str = "assistant", steps: int = 3) -> Bundle:
    """Return a bundle whose middle step fails as explained."""
    said = [Step(agent=agent, kind="agent.step", output=f"step {n} {explanation}") for n in range(steps)]
    run = Trajectory(task=Task(id=explanation), steps=tuple(said), source=Source(format="test"))
    found = Diagnosis(step=1, agent=agent, explanation=explanation, correction=Correction(text=fix), author="me")
    return Bundle(
        trajectory=run, diagnoses=(found,), provenance=Provenance(origin_key=sha256(explanation.encode()).hexdigest())
    )


@pytest.fixture(name="case")
def make_case() -> Callable[..., Bundle]:
    """Return a function that makes a bundle."""
    return _case


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """An empty workspace."""
    return Workspace.open(tmp_path / "ws")


@pytest.fixture
def talk(workspace: Workspace, tmp_path: Path) -> Callable[..., Any]:
    """Return a function that starts `errorhub mcp` and lets a client speak with it over stdio."""
    mcp = pytest.importorskip("mcp", reason="the extra mcp is not installed")

    def run(speak: Callable[[Any], Awaitable[Any]], *options: str) -> Any:
        binary = Path(sys.executable).parent / "errorhub"
        place = mcp.StdioServerParameters(
            command=str(binary), args=["--workspace", str(workspace.folder), "mcp", *options],
            env={"ERRORHUB_CONFIG_DIR": str(tmp_path / "config")}, cwd=tmp_path,
        )  # fmt: skip

        async def session() -> Any:
            async with mcp.Client(place, read_timeout_seconds=60) as client:
                return await speak(client)

        return asyncio.run(session())

    return run
