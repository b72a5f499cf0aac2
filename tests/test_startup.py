"""Help and import stay light: nothing heavy is loaded before it is needed."""

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = [
    "torch", "transformers", "trl", "peft", "datasets", "sklearn", "sentence_transformers", "presidio_analyzer", "spacy",
    "huggingface_hub", "polars", "pandas", "pyarrow", "scipy", "hyperscan", "kingfisher_sdk", "git",
]  # fmt: skip
LOG = '{"messages": [{"role": "user", "content": "add"}, {"role": "assistant", "content": "done"}]}'


def loaded_after(code: str, cwd: Path) -> list[str]:
    """Run code in a fresh interpreter and return which heavy modules it has loaded."""
    report = f"import sys\n{code}\nprint([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-P", "-c", report], capture_output=True, text=True, cwd=cwd, check=True)
    return list(eval(done.stdout.strip().splitlines()[-1]))


@pytest.mark.parametrize("arguments", [["--help"], ["share", "--help"], ["--version"], ["formats"]], ids=" ".join)
def test_help_loads_nothing_heavy(arguments: list[str], tmp_path: Path) -> None:
    code = f"from errorhub.cli.app import run\nassert run({arguments!r}) == 0"
    heavy = loaded_after(code, tmp_path)
    assert [name for name in heavy if not (arguments == ["formats"] and name == "pyarrow")] == []


def test_import_of_a_log_loads_no_model_stack(tmp_path: Path) -> None:
    (tmp_path / "log.json").write_text(LOG)
    code = "from errorhub.cli.app import run\nassert run(['import', 'log.json', '--dry-run']) == 0"
    unwanted = {"torch", "datasets", "spacy", "sklearn", "pandas", "transformers", "polars"}
    assert not unwanted & set(loaded_after(code, tmp_path))


def test_no_top_level_folder_is_importable_by_its_own_name(tmp_path: Path) -> None:
    code = "import errorhub.hub.bundle, errorhub.scrubber\nimport sys\nassert not {'hub','scrubber'} & set(sys.modules)"
    loaded_after(code, tmp_path)
