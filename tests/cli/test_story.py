"""One failure of one's own, shared: the story of the README, from a colleague's log to another's rescue."""

import subprocess
from pathlib import Path

from errorhub.examples import annotations, planted

PLANTED = planted()


def test_from_log_to_the_colleague_who_hits_it_again(command, logs: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """Claude Code log → share stops → annotate → grep → deny → accept → Git → pull → similar."""
    remote, log = tmp_path / "errors.git", logs / "story/first.jsonl"
    subprocess.run(["git", "init", "-q", "--bare", str(remote)], check=True)
    share = ("share", log, "--to", f"git:file://{remote}", "--license", "CC-BY-4.0", "--json")

    stopped = command(*share)
    assert (stopped.code, stopped.json["stage"], stopped.json["pending"]) == (1, "review", 1)
    assert stopped.json["next_command"].startswith("errorhub review")
    assert subprocess.run(["git", "-C", str(remote), "rev-parse", "-q", "--verify", "HEAD"]).returncode == 1

    (bundle,) = command("list", "--json").json["bundles"]
    note = next(one for one in annotations() if one.file == "story/first.jsonl")
    steps = command("show", bundle["bundle_id"][:12], "--json").json["trajectory"]["steps"]
    step = next(number for number, one in enumerate(steps) if note.marker in str(one["output"]))
    annotated = command(
        "annotate", bundle["bundle_id"][:12], "--step", step, "--because", note.explanation, "--quote",
        f"{step}:{note.quote}", "--fix", note.fix, "--json",
    )  # fmt: skip
    assert (annotated.code, annotated.json["grade"]) == (0, "actionable")
    tried = command(
        "repair", "add", bundle["bundle_id"][:12], "--directive", note.repair.directive, "--outcome", "passed"
    )
    assert tried.code == 0

    assert command("scrub").code == 0
    found = command("review", "grep", PLANTED["NIGHTJAR"].value, "--json")
    assert found.code == 1
    assert found.json["matches"]

    words = tmp_path / "words.txt"
    words.write_text("\n".join(PLANTED[name].value for name in ("NIGHTJAR", "BRIGHTMOOR")))
    assert command("scrub", "--deny", words).code == 0
    for name in ("NIGHTJAR", "BRIGHTMOOR", "HOST_LEDGER", "B64_TOKEN", "PG_PASSWORD", "EMAIL_MAREN", "USER_MHOLT"):
        assert command("review", "grep", PLANTED[name].value).code == 0, name

    assert command(*share).json["pending"] == 1, "the deny list changed the bytes; nobody has accepted these"
    assert command("review", "accept", bundle["bundle_id"][:12], "--note", "read in full").code == 0
    published = command(*share)
    assert (published.code, published.json["published"]) == (0, 1)
    again = command(*share)
    assert (again.code, again.json["published"], again.json["skipped"]) == (0, 0, 1)

    pulled = command("pull", f"git:file://{remote}", "--json", workspace="colleague")
    assert (pulled.code, pulled.json["bundles"], pulled.json["new"]) == (0, 1, 1)
    answer = command("similar", "--log", logs / "story/second.jsonl", "-k", 3, "--json", workspace="colleague").json
    assert not answer["abstained"]
    (hit,) = answer["hits"]
    assert hit["correction"] == note.fix
    assert hit["repair"] == note.repair.directive
    assert hit["resolved"] is True
    assert hit["source"] == f"git:file://{remote}"

    unrelated = command("similar", "--log", logs / "story/unrelated.jsonl", "--json", workspace="colleague").json
    assert unrelated["abstained"]
    assert unrelated["hits"] == []
    told = command("similar", "--log", logs / "story/unrelated.jsonl", workspace="colleague")
    assert told.out.startswith("no similar case")


def test_no_planted_value_leaves(command, logs: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """Everything packaged goes to a hub; its bytes hold none of the planted values in any stage after scrubbing."""
    words = tmp_path / "words.txt"
    words.write_text("\n".join(one.value for one in PLANTED.values() if one.known))
    hub = f"local:{tmp_path / 'hub'}"
    first = command("share", logs, "--to", hub, "--license", "CC-BY-4.0", "--deny", words, "--json")
    assert first.json["stage"] == "review"
    for one in PLANTED.values():
        assert command("review", "grep", "--", one.value).code == 0, one.kind
    command("review", "accept", "--all", "--attest", "invented")
    result = command("share", logs, "--to", hub, "--license", "CC-BY-4.0", "--json")
    assert result.code == 0, result.out
    assert result.json["published"] >= 24
