"""The docs are true: the manual is current, every README command runs, no page speaks of what is not there."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import regolden

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", ROOT / "AGENTS.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
NOT_HERE = ("make publish", "make test", "make check", "make setup", "git clone", "cd ", "pip install")


def commands(text: str) -> list[str]:
    """Return the command lines of every console block: what follows a `$ `."""
    blocks = re.findall(r"```console\n(.*?)```", text, re.S)
    return [line[2:] for block in blocks for line in block.splitlines() if line.startswith("$ ")]


def test_the_manual_is_current() -> None:
    assert (ROOT / "docs/cli.md").read_text(encoding="utf-8") == regolden.manual(), "run make golden"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
        assert target.startswith("http") or (page.parent / target).exists(), target


def test_every_verb_has_an_example_in_its_help() -> None:
    sections = regolden.manual().split("\n## ")[1:]
    groups = {"errorhub repair", "errorhub review"}
    without = [one.splitlines()[0] for one in sections if "Example: errorhub" not in one]
    assert set(without) <= groups


@pytest.mark.slow
def test_every_command_of_the_readme_runs(tmp_path: Path) -> None:
    """Run the tour in order, as a reader would, in a folder of its own; expected exit codes stand in `# exit N`."""
    home = tmp_path / "home"
    home.mkdir()
    binary = Path(sys.executable).parent
    environment = os.environ | {
        "HOME": str(home), "PATH": f"{binary}:{os.environ['PATH']}", "ERRORHUB_CONFIG_DIR": str(home / "config"),
        "GIT_CONFIG_GLOBAL": os.devnull,
    }  # fmt: skip
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    lines = [line for line in commands(README) if not line.startswith(NOT_HERE)]
    script = "\n".join(f"{line.partition('  # exit ')[0]}\necho '@@' $?" for line in lines)
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True)
    codes = [int(line[3:]) for line in done.stdout.splitlines() if line.startswith("@@ ")]
    assert codes == [int(line.partition("  # exit ")[2] or 0) for line in lines], f"{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr
    assert len(lines) >= 10


def test_commands_are_found() -> None:
    assert commands("```console\n$ a b\nout\n$ c\n```") == ["a b", "c"]
    assert shlex.split(commands(README)[0])


def test_the_policy_in_the_docs_is_one() -> None:
    import tomllib

    from errorhub.scrubber import Policy

    (block,) = re.findall(r"```toml\n(.*?)```", (ROOT / "docs/scrubbing.md").read_text(encoding="utf-8"), re.S)
    policy = Policy.of(tomllib.loads(block))
    assert (policy.name, policy.pattern[0].kind, policy.drops_inputs) == ("team", "TICKET", False)
