"""Texts that are about no failure: what the floor is set by.

Every index is asked these when it is made; what it would answer to them is what chance reaches in it. They are of the
kinds that are most often taken for a question about a failure: documentation of functions, technical prose, questions
about how to do things, and the output of commands that did what they should. They were written for this purpose and
occur in no benchmark.
"""

from __future__ import annotations

from importlib.resources import files

PROBES = tuple(files(__package__).joinpath("probes.txt").read_text(encoding="utf-8").strip().split("\n---\n"))
