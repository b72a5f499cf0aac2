"""A folder imports only from floors below it, and never from a neighbour on its own floor."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FLOORS = {
    "scrubber": 0, "cards": 0, "examples": 0, "hub": 1, "evidence": 2, "induction": 3, "views": 3, "training": 4,
    "src/errorhub": 5,
}  # fmt: skip
FILES = [(folder, path) for folder in FLOORS for path in sorted((ROOT / folder).rglob("*.py"))]


def imported(path: Path) -> set[str]:
    """Return the folders of ours that a file imports, at any depth."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module}
    tops = {name.split(".")[1] for name in names if name.startswith("errorhub.")}
    return {top if top in FLOORS else "src/errorhub" for top in tops}


@pytest.mark.parametrize(("folder", "path"), FILES, ids=[str(path.relative_to(ROOT)) for _, path in FILES])
def test_a_file_looks_only_down(folder: str, path: Path) -> None:
    above = {top for top in imported(path) - {folder} if FLOORS[top] >= FLOORS[folder]}
    assert not above, f"{path.relative_to(ROOT)} imports {sorted(above)}"


def test_the_check_sees_a_planted_import(tmp_path: Path) -> None:
    planted = tmp_path / "planted.py"
    planted.write_text("def f():\n    from errorhub.hub import bundle\n")
    assert imported(planted) == {"hub"}


def test_the_record_imports_nothing_of_ours_but_the_receipt() -> None:
    names = set()
    for path in (ROOT / "hub/bundle").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("errorhub."):
                names |= {f"{node.module}.{alias.name}" for alias in node.names}
    outside = {name for name in names if not name.startswith(("errorhub.hub.bundle", "errorhub.hub.errors"))}
    assert outside == {"errorhub.scrubber.Receipt"}
