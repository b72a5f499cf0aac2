"""The wheel holds exactly the tree, and only errorhub lands in site-packages."""

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
FOLDERS = {name: ROOT / path for name, path in PROJECT["tool"]["setuptools"]["package-dir"].items()}
DATA = {".py", ".toml", ".j2", ".json", ".jsonl", ".typed", ".tsv", ".txt", ".gz", ".yml", ".md"}


def tree() -> set[str]:
    """Return every file that belongs into the wheel, by its path there."""
    files = set()
    for name, folder in FOLDERS.items():
        for path in folder.rglob("*"):
            if path.is_file() and path.suffix in DATA and "__pycache__" not in path.parts:
                files.add(f"{name.replace('.', '/')}/{path.relative_to(folder)}")
    return files


def tracked_copy(target: Path) -> Path:
    """Copy what Git tracks, as a fresh clone has it."""
    subprocess.run(["git", "clone", "-q", "--no-hardlinks", str(ROOT), str(target)], check=True)
    return target


def test_every_package_is_listed() -> None:
    found = {
        ".".join([name, *path.parent.relative_to(folder).parts])
        for name, folder in FOLDERS.items()
        for path in folder.rglob("__init__.py")
    }
    assert found == set(PROJECT["tool"]["setuptools"]["packages"])


def test_no_module_lies_outside_a_package() -> None:
    for folder in FOLDERS.values():
        for path in folder.rglob("*.py"):
            assert (path.parent / "__init__.py").exists(), path


def test_type_checkers_find_every_folder() -> None:
    links = {path.name: path.resolve() for path in (ROOT / "typings/errorhub").iterdir()}
    wanted = {name.split(".")[1]: folder.resolve() for name, folder in FOLDERS.items() if "." in name}
    wanted |= {path.name: path.resolve() for path in (ROOT / "src/errorhub").iterdir() if path.name != "__pycache__"}
    assert links == wanted, "run make typings"


@pytest.mark.slow
def test_wheel_equals_tree_also_from_an_sdist(tmp_path: Path) -> None:
    source = tracked_copy(tmp_path / "clone")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(tmp_path / "dist"), str(source)]
    subprocess.run(command, check=True, capture_output=True)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"errorhub"}
    ours = {name for name in names if name.startswith("errorhub/")}
    committed = {name for name in tree() if _tracked(name)}
    assert ours == committed


def _tracked(name: str) -> bool:
    """Return whether the file behind a wheel path is in Git, so that work in progress does not count."""
    for package in sorted(FOLDERS, key=len, reverse=True):
        prefix = package.replace(".", "/") + "/"
        if name.startswith(prefix):
            path = FOLDERS[package] / name.removeprefix(prefix)
            done = subprocess.run(["git", "ls-files", "--error-unmatch", str(path)], cwd=ROOT, capture_output=True)
            return done.returncode == 0
    return False
