"""The dense leg, with a small table of word vectors, a server on the loopback and, when installed, a real model."""

import json
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

from errorhub.hub.bundle import Bundle, Trajectory
from errorhub.hub.errors import RemoteError, UsageError
from errorhub.hub.memory import Encoder, Memory, Query
from errorhub.hub.memory.calibration import probe_texts
from errorhub.hub.memory.dense import Vectors, unit
from errorhub.hub.memory.encoders import open_encoder
from errorhub.hub.memory.floor import MEANING
from errorhub.hub.memory.lexical import Floats
from errorhub.hub.memory.search import Search
from errorhub.hub.memory.words import terms
from errorhub.hub.recall import EMBED, VECTORS, look_up
from errorhub.hub.workspace import Workspace

Make = Callable[..., Bundle]
Remember = Callable[..., Memory]
MEANINGS = ("database migration schema", "credential secret token", "port socket bind", "page search website")
PORT = "The server could not bind, a process held the port, its socket was busy."
TOKEN = "The agent printed the credential: the secret token went into the answer."


def vector(text: str) -> list[float]:
    """Return how many words of each meaning a text holds."""
    said = terms(text)
    return [float(sum(word in terms(meaning) for word in said)) for meaning in MEANINGS]


@pytest.fixture
def table(tmp_path: Path) -> Encoder:
    """Word vectors, one axis a meaning."""
    words = [(term, at) for at, meaning in enumerate(MEANINGS) for term in terms(meaning)]
    rows = np.eye(len(MEANINGS), dtype=np.float32)[[at for _, at in words]]
    np.savez(tmp_path / "words.npz", terms=np.array([term for term, _ in words]), vectors=rows)
    return open_encoder(f"static:{tmp_path / 'words.npz'}")


@pytest.fixture
def address() -> Iterator[str]:
    """An OpenAI-compatible embedding server; its model's name says how it answers."""

    class Answering(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            width = 2 if asked["model"] == "narrow" else None
            rows = [{"index": n, "embedding": vector(text)[:width]} for n, text in enumerate(asked["input"])]
            body = b"what?" if asked["model"] == "broken" else json.dumps({"data": rows[::-1]}).encode()
            self.send_response(500 if asked["model"] == "failing" else 200)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


@pytest.fixture(params=["numpy", "lance"])
def keeping(request: pytest.FixtureRequest, remember: Remember) -> Remember:
    """Open a memory whose vectors are kept in each of the ways there are."""
    if request.param == "lance" and find_spec("lancedb") is None:
        pytest.skip("the extra lance is not installed")
    return lambda *arguments, **options: remember(*arguments, **options, lance=request.param == "lance")


def test_meaning_adds_to_words(table: Encoder, case: Make, keeping: Remember) -> None:
    memory = keeping(
        [case(PORT, "a: x"), case(TOKEN, "a: y"), case("Nothing of note happened here", "a: z")], encoder=table
    )
    search = Search(memory.corpus, Query.from_text("another process was listening on the socket"), table)
    assert int(search.scores.argmax()) == 0
    assert search.cosines["diagnosis"].round(2).tolist() == [1, 0, 0]
    (hit,) = memory.similar(Query.from_text("its socket was busy: a process held the port, no bind")).hits
    assert hit.explanation == PORT and hit.matched[-1] == "meaning: cosine 1.00"


def test_other_words_for_the_same_make_an_answer_of_a_text_but_not_of_a_log(
    table: Encoder, case: Make, run: Callable[..., Trajectory], keeping: Remember
) -> None:
    cases = [case(PORT, "a: x"), case(TOKEN, "a: y"), case("Nothing of note happened here", "a: z")]
    memory, words = keeping(cases, "with", encoder=table), keeping(cases, "without")
    said = "bind socket"
    assert memory.similar(Query.from_text(said)).hits[0].explanation == PORT
    rows = list(range(len(memory.corpus)))
    gained = [
        float(
            Search(memory.corpus, query, table).evidence(rows).max() - Search(memory.corpus, query).evidence(rows).max()
        )
        for query in (Query.from_text(said), Query.from_log(run(f"a: {said}")))
    ]
    neutral = memory.corpus.neutral["diagnosis"]
    assert gained == pytest.approx([MEANING * (1 - neutral), 0], abs=0.5)
    assert not words.corpus.neutral


def test_the_probes_are_encoded_once(tmp_path: Path, table: Encoder, case: Make, remember: Remember) -> None:
    asked: list[str] = []

    class Counting:
        name = table.name

        def encode(self, texts: Sequence[str]) -> Floats:
            asked.extend(texts)
            return table.encode(texts)

    first = remember([case(PORT)], "1", encoder=Counting())
    assert set(probe_texts()) <= set(asked)
    asked.clear()
    second = remember([case(PORT), case(TOKEN)], "2", encoder=Counting())
    assert not set(probe_texts()) & set(asked)
    (kept,) = (tmp_path / "memory").glob("probes-*.npy")
    kept.write_bytes(b"damaged")
    third = remember([case(PORT)], "3", encoder=Counting())
    assert set(probe_texts()) <= set(asked)
    assert third.corpus.neutral == first.corpus.neutral and second.documents > third.documents


def test_a_bundle_is_compared_by_words_alone(table: Encoder, case: Make, remember: Remember) -> None:
    memory = remember([case(PORT, "a: x")], encoder=table)
    search = Search(memory.corpus, Query.from_bundle(case(f"{PORT} Again.", "a: y")), table)
    assert search.scores is search.lexical


def test_a_log_is_compared_by_both_kinds(
    table: Encoder, case: Make, run: Callable[..., Trajectory], keeping: Remember
) -> None:
    memory = keeping([case(PORT, "a: x", "tool: socket in use"), case(TOKEN, "a: y", "tool: z")], encoder=table)
    search = Search(memory.corpus, Query.from_log(run("a: go", "tool: bind: socket taken")), table)
    assert search.scores[0] > search.lexical[0] / 1.5 and search.cosines["window"][0] > 0.9


def test_pasted_output_is_compared_by_both_kinds_and_a_text_with_diagnoses(
    table: Encoder, case: Make, remember: Remember
) -> None:
    memory = remember([case(PORT, "a: x", "tool: socket in use")], encoder=table)
    for said in ("bind:\nsocket taken", "bind: socket taken"):
        search = Search(memory.corpus, Query.from_text(said), table)
        assert search.scores[0] > search.lexical[0] / 1.5


def test_vectors_follow_the_cases(table: Encoder, case: Make, keeping: Remember) -> None:
    one, two, three = case(PORT, "a: 1"), case(TOKEN, "a: 2"), case("database migration schema lost", "a: 3")
    keeping([one, two], "1", encoder=table)
    memory = keeping([two, three], "2", encoder=table)
    found = Search(memory.corpus, Query.from_text("schema"), table).cosines["diagnosis"]
    assert sorted(found.round(2).tolist()) == [0, 1] and len(memory.corpus) == 2
    assert keeping([two, three], "2").corpus.vectors == {}


def test_another_model_means_another_index(table: Encoder, tmp_path: Path, case: Make, remember: Remember) -> None:
    remember([case(PORT)], encoder=table)
    np.savez(tmp_path / "other.npz", terms=np.array(["port"]), vectors=np.ones((1, 9), np.float32))
    other = open_encoder(f"static:{tmp_path / 'other.npz'}")
    assert remember([case(PORT)], encoder=other).corpus.vectors["diagnosis"][0].matrix.shape == (1, 9)


def test_what_cannot_be_told_is_zero(table: Encoder) -> None:
    assert not unit(["wholly unknown words"], table).any()

    class Odd:
        name = "odd"

        def encode(self, texts: Any) -> Any:
            return np.full((len(texts), 3), np.nan)

    assert not unit(["x"], Odd()).any()
    assert Vectors.encode(["", " "], Odd()).matrix.shape == (2, 0)


def test_a_server_answers_in_any_order(address: str, case: Make, remember: Remember) -> None:
    encoder = open_encoder(f"{address}#good")
    memory = remember([case(PORT, "a: x"), case(TOKEN, "a: y")], encoder=encoder)
    search = Search(memory.corpus, Query.from_text("the token"), encoder)
    assert search.cosines["diagnosis"].round(2).tolist() == [0, 1]


@pytest.mark.parametrize(("model", "said"), [("failing", "HTTPStatusError"), ("broken", "no embeddings")])
def test_a_server_that_fails_says_so(address: str, model: str, said: str, case: Make, remember: Remember) -> None:
    with pytest.raises(RemoteError, match=said):
        remember([case(PORT)], encoder=open_encoder(f"{address}#{model}"))


def test_another_dimension_says_so(address: str, case: Make, keeping: Remember) -> None:
    good, narrow = open_encoder(f"{address}#good"), open_encoder(f"{address}#narrow")
    narrow.name = good.name
    keeping([case(PORT)], encoder=good)
    with pytest.raises(UsageError, match="2 dimensions where the index has 4"):
        keeping([case(PORT)], encoder=narrow).similar(Query.from_text(PORT))


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        ("/nowhere", "no embedding model"),
        ("static:/nowhere.npz", "no word vectors"),
        ("http://127.0.0.1/v1", "not an embedding server"),
        ("https://api.example.org/v1#m", "raw runs would be sent"),
        ("ftp://127.0.0.1/v1#m", "not an embedding server"),
    ],
)
def test_a_choice_that_cannot_be(choice: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        open_encoder(choice)


def test_scrubbed_runs_may_go_to_a_server_elsewhere() -> None:
    assert open_encoder("https://api.example.org/v1#m", raw=False).name == "server https://api.example.org/v1 m"


def test_the_environment_chooses(tmp_path: Path, table: Encoder, case: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = Workspace.open(tmp_path / "ws")
    workspace.raw.put([case(PORT)])
    assert not any("meaning" in line for line in look_up(workspace, text=PORT).hits[0].matched)
    monkeypatch.setenv(EMBED, f"static:{tmp_path / 'words.npz'}")
    assert any("meaning" in line for line in look_up(workspace, text=PORT).hits[0].matched)


@pytest.mark.slow
@pytest.mark.skipif(find_spec("sentence_transformers") is None, reason="the extra embed is not installed")
def test_the_packaged_model(case: Make, remember: Remember) -> None:
    encoder = open_encoder("minilm")
    memory = remember([case(PORT, "a: x"), case(TOKEN, "a: y")], encoder=encoder)
    search = Search(memory.corpus, Query.from_text("it leaked an API key"), encoder)
    assert int(search.cosines["diagnosis"].argmax()) == 1


@pytest.mark.skipif(find_spec("sentence_transformers") is not None, reason="the extra embed is installed")
def test_a_missing_extra_says_how_to_get_it() -> None:
    with pytest.raises(UsageError) as problem:
        open_encoder("minilm").encode(["x"])
    assert problem.value.hint == "pip install 'agent-error-hub[embed]'"


@pytest.mark.skipif(find_spec("lancedb") is not None, reason="the extra lance is installed")
def test_a_missing_lance_says_how_to_get_it(table: Encoder, case: Make, remember: Remember) -> None:
    with pytest.raises(UsageError) as problem:
        remember([case(PORT)], encoder=table, lance=True)
    assert problem.value.hint == "pip install 'agent-error-hub[lance]'"


def test_vectors_are_kept_in_a_known_way_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VECTORS, "elsewhere")
    with pytest.raises(UsageError, match="numpy or lance"):
        look_up(Workspace.open(tmp_path / "ws"), text=PORT)
