"""`errorhub predict`: baselines, the ranker, and a model behind a URL on a loopback server that misbehaves."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from chatserver import Model, serving

from errorhub.hub.bundle import Bundle, Diagnosis, Outcome, Step, Trajectory
from errorhub.hub.bundle.bundle import Rights
from errorhub.hub.bundle.trajectory import Source, Task
from errorhub.scrubber import Receipt
from errorhub.views import Plan, Shares, build, of_bundles

Command = Callable[..., tuple[int, Any]]
GOOD = '{"step": 2, "agent": "b"}'


def bundle(n: int) -> Bundle:
    """A failed run of six steps; the third one assumes."""
    said = [
        "Start.",
        "I look at the file.",
        f"I assume file {n} is the same as before.",
        "I read it.",
        "I add.",
        "Done.",
    ]
    steps = tuple(Step(agent="ab"[i % 2], kind="agent.step", output=f"{text} Run {n}.") for i, text in enumerate(said))
    task = Task(id=f"t{n}", goal=f"Add up number {n} {n + 1} {n + 2}")
    run = Trajectory(task=task, steps=steps, outcome=Outcome(status="failed"), source=Source(format="made"))
    label = Diagnosis(step=2, agent="a", explanation="It assumed.", author="person")
    held = Bundle(trajectory=run, diagnoses=(label,), rights=Rights(license="MIT"))
    receipt = Receipt(policy="share", policy_digest="", scrubber="t", digest=held.certified_digest)
    return held.replace(receipt=receipt)


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """The folder of a build: sixty tasks, half of them for training."""
    bundles = [bundle(n) for n in range(60)]
    build(of_bundles(bundles), Plan(("diagnosis_compact",), shares=Shares(50, 0, 50)), tmp_path / "rows")
    return tmp_path / "rows" / "diagnosis_compact"


@pytest.fixture
def model() -> Iterator[Model]:
    """A model on loopback that is always right."""
    with serving(lambda *_: (200, GOOD)) as held:
        yield held


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Never wait in a test, and know no key."""
    monkeypatch.setattr("errorhub.evidence.chat.LONGEST_WAIT", 0.0)
    for name in ("ERRORHUB_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def asking(rows: Path, model: Model, *more: object) -> tuple[object, ...]:
    """Return the line that asks the model."""
    return (
        "predict",
        "--base-url",
        model.url,
        "--model",
        "m",
        "--rows",
        rows / "test/rows.parquet",
        "--out",
        "p.jsonl",
        *more,
    )


def n_rows(rows: Path) -> int:
    """Return how many rows the test split has."""
    return len((rows / "test/gold.jsonl").read_text().splitlines())


def test_a_model_behind_a_url(command: Command, rows: Path, model: Model) -> None:
    code, found = command(*asking(rows, model, "--price", "1/10", "--no-thinking"))
    n = n_rows(rows)
    assert (code, found["predicted"], found["parsed"]) == (0, n, n)
    assert found["usage"] == {
        "prompt_tokens": 100 * n,
        "completion_tokens": 10 * n,
        "cached": 0,
        "cost": pytest.approx(0.0002 * n),
    }
    assert model.asked[0]["temperature"] == 0 and model.asked[0]["chat_template_kwargs"] == {"enable_thinking": False}
    code, scores = command("evaluate", "--gold", rows / "test/gold.jsonl", "--predictions", "p.jsonl")
    assert (code, scores["exact"], scores["agent"]) == (0, 1.0, 0.0)
    conditions = scores["conditions"]["p.jsonl"]
    assert (conditions["reference"], conditions["model"], conditions["views"]) == (False, "m", ["diagnosis_compact"])


def test_a_prompt_is_never_paid_twice(command: Command, rows: Path, model: Model) -> None:
    command(*asking(rows, model))
    before = len(model.asked)
    _, found = command(*asking(rows, model))
    assert len(model.asked) == before and found["usage"]["cached"] == before == n_rows(rows)
    command(*asking(rows, model, "--max-tokens", 7))
    assert len(model.asked) == 2 * before


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_server_is_asked_again(status: int, command: Command, rows: Path, model: Model) -> None:
    model.reply = lambda time, _: (status, {}) if time == 1 else (200, GOOD)
    code, found = command(*asking(rows, model))
    assert (code, found["parsed"], set(model.times.values())) == (0, n_rows(rows), {2})


@pytest.mark.parametrize("said", [None, {}, {"choices": []}, {"choices": [{"message": {"content": None}}]}], ids=str)
def test_replies_that_hold_no_answer(said: Any, command: Command, rows: Path, model: Model) -> None:
    model.reply = lambda _, text: (200, said if "Run 7." in text or "Run 8." in text else "no idea")
    code, found = command(*asking(rows, model))
    odd = sum("Run 7." in text or "Run 8." in text for text in model.times)
    empty = odd if said and said.get("choices") else 0
    assert (code, found["parsed"]) == (3 if odd and not empty else 0, 0)
    assert len(found["failed"]) == odd - empty and found["predicted"] == n_rows(rows) - len(found["failed"])


@pytest.mark.parametrize("status", [401, 403, 404, 400])
def test_a_refusal_is_exit_four(status: int, command: Command, rows: Path, model: Model) -> None:
    model.reply = lambda *_: (status, {})
    code, found = command(*asking(rows, model))
    assert (code, str(status) in found["error"]["message"]) == (4, True)
    assert not Path("p.jsonl").exists()


def test_nobody_there(command: Command, rows: Path, model: Model) -> None:
    model.url = "http://127.0.0.1:9/v1"
    code, found = command(*asking(rows, model))
    assert (code, found["error"]["code"]) == (4, "remote")


def test_a_key_is_sent_and_never_written(
    command: Command, rows: Path, model: Model, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    key = "sk-" + "planted" * 4
    monkeypatch.setenv("OPENAI_API_KEY", key)
    model.url = model.url.replace("127.0.0.1", "user:" + "word@127.0.0.1")
    command(*asking(rows, model))
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert key.encode() not in written and b"user:word" not in written


def test_the_ranker_answers_and_beats_position(command: Command, rows: Path) -> None:
    pytest.importorskip("sklearn", reason="the ranker needs scikit-learn")
    test, train = rows / "test/rows.parquet", rows / "train/rows.parquet"
    code, found = command("predict", "--baseline", "ranker", "--rows", test, "--train", train, "--out", "r.jsonl")
    assert code == 0 and found["parsed"] == n_rows(rows)
    _, scores = command("evaluate", "--gold", rows / "test/gold.jsonl", "--predictions", "r.jsonl", "--rows", test)
    assert scores["exact"] == scores["joint"] == 1.0 and scores["baselines"]["ranker"]["exact"] > 0.9
    assert scores["warnings"] == []


@pytest.mark.parametrize("name", ["random", "first", "last"])
def test_plain_baselines(name: str, command: Command, rows: Path) -> None:
    line = ("predict", "--baseline", name, "--rows", rows / "test/rows.parquet", "--out", "b.jsonl")
    code, _ = command(*line)
    first = Path("b.jsonl").read_text()
    command(*line)
    steps = {json.loads(one)["step"] for one in first.splitlines()}
    assert (code, Path("b.jsonl").read_text()) == (0, first)
    assert steps == {"first": {0}, "last": {5}}.get(name, steps) and steps <= set(range(6))


@pytest.mark.parametrize(
    ("more", "word"),
    [
        ((), "name one who answers"),
        (("--baseline", "first", "--base-url", "http://x"), "name one who answers"),
        (("--base-url", "http://x"), "name one who answers"),
        (("--base-url", "ftp://x", "--model", "m"), "not a URL"),
        (("--base-url", "http://x", "--model", "m", "--price", "cheap"), "not a price"),
        (("--baseline", "oracle"), "no such baseline"),
        (("--baseline", "ranker"), "--train"),
    ],
    ids=str,
)
def test_bad_input_is_said(more: tuple[str, ...], word: str, command: Command, rows: Path) -> None:
    code, found = command("predict", "--rows", rows / "test/rows.parquet", "--out", "p.jsonl", *more)
    assert (code, word in found["error"]["message"]) == (2, True), found


def test_rows_that_are_none(command: Command, rows: Path, lines: Any) -> None:
    for path in (rows / "val/rows.parquet", rows / "nowhere", lines("rows.txt", ["x"])):
        code, _ = command("predict", "--baseline", "first", "--rows", path, "--out", "p.jsonl")
        assert code == 2
