"""Leaves of any size: read in pieces, with memory that grows with the text and not with what is in it."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap

import pytest

pytest.importorskip("resource", reason="memory is measured where POSIX tells it")

SIZE = 50_000_000
MOST = 14
"""Bytes of memory for each byte of the leaf: the text, its bytes, the parts of the result and their joining."""

SCRIPT = textwrap.dedent("""
    import json, resource, sys
    from errorhub.scrubber import Policy, Vault, reread, scrub

    mail, token = "maria.volkov" + "@" + "northwind.dev", "gh" + "p_" + "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY1zA2"
    share, vault, size = Policy.load("share").without_names(), Vault(b"k" * 32), int(sys.argv[1])
    scrub({"content": f"by {mail}"}, share, vault)
    reread({"content": "by"}, share, vault)
    rest, line = sys.argv[2], f" {mail} {token}\\n"
    text = (rest * (1_000_000 // len(rest)) + line) * (size // 1_000_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    clean = scrub({"content": text}, share, vault).document
    left = reread(clean, share, vault)
    used = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * (1 if sys.platform == "darwin" else 1024)
    found = clean["content"]
    print(json.dumps({"planted": text.count(mail), "replaced": found.count("<EMAIL_1>"), "tokens": found.count("<GITHUB_TOKEN_1>"),
                      "left": mail in found or token in found, "second": len(left), "used": used / len(text)}))
""")


@pytest.mark.slow
@pytest.mark.parametrize(
    "rest", ["plain words that say nothing at all\n", "one line without an end, "], ids=["lines", "one-line"]
)
def test_a_leaf_of_fifty_megabytes(rest: str) -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT, str(SIZE), rest], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["planted"] == told["replaced"] == told["tokens"] == SIZE // 1_000_000
    assert (told["left"], told["second"]) == (False, 0)
    assert told["used"] < MOST
