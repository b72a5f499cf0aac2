"""The relevance floor: when a case is similar enough to be shown, and when the answer is "no similar case".

Any two texts share words. The question is whether they share more than texts that have nothing to do with each other:
`surprise` bounds the probability of what a case shares with a passage by chance, in nats. How far chance gets depends
on the corpus: on how many cases there are, and on how much its world of words is that of any technical text. So every
index is asked, when it is made, what it answers to the texts of `probes`, which are about no failure; the evidence that
all but a few of those reach (`floor`) is what an answer must exceed. It is the BLAST of searches for failures:
a score is worth what it is unlikely by chance, and the tail of chance is measured where it is used.

* A word counts for what it is rare (-ln of the share of texts that hold it), at most TELLING, and the strongest shared
  one counts half: a single word seldom carries a match. Shares are mostly those of `background`: that all cases of a
  corpus talk of agents and answers makes them like a question that does, too.
* A long case holds more words by chance than a short one: shares are those of texts of LENGTHS words.
* A bundle's diagnosis and its window are two passages, and their surprises add up. Of several windows or pieces of a
  query the best counts, and their number is taken off.
* What sounds like the report of a failure (`tone`) needs to share less, documentation and how-to questions more: a
  failure is what most who report one are after. Tone alone never answers.
* With a dense leg, a text or a paste that means the same in other words has evidence of that, too: its cosine above
  what most probes reach. Logs do not; those of one system resemble each other however they end.

An answer needs one of the nearest cases above the floor. What stands beside it needs a score alone: the reader asked
for so many, and sees how near each is.

The constants were chosen for the share of related queries that are answered when a tenth of the unrelated is, over
corpora of 1 to 50,000 cases. In view were those of `bench/related.jsonl` and `unrelated.jsonl` called calibration and
seen, `pairs`, `held_out`, `unrelated.txt`, docstrings, real logs, and what `bench/natural.py` asks: Who&When and
AgentRx. Among equals the simplest was taken. The queries called fresh were written before they were scored; since then
MEANING, MEANT and the last value of ANSWERED were chosen with them in view. `bench/natural.py` prints how much hangs on
ANSWERED, which decides most.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from errorhub.hub.memory.lexical import Flags, Floats

TELLING = 6.0
"""Most nats that one word can tell."""
LENGTHS = (25.0, 60.0)
"""Different words of the diagnosis and the window for which the shares of `background` hold."""
TILTS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2)
"""Exponents that the bound is sought over."""
LEAST = 0.2
"""Surprise below which nothing speaks for a case, whatever the tone: no more is shared than usual."""
LOWEST = 0.5
"""Least floor: the probes share no word with most small corpora."""
OF_A_RUN = 3.0
"""How many chances each of the windows of a log counts for: they were chosen where errors are, and share a topic."""
MEANING = 20.0
"""Nats that a cosine of 1 above the neutral one would tell, where there is a dense leg."""
MEANT = 0.15
"""Share of the probes whose cosine with the nearest case may be above the neutral one."""
NEAREST = 25
"""Rows of which one must be above the floor."""
ANSWERED = 0.12
"""Share of the probes that may be answered; they are harder than most unrelated texts."""
BESIDE = 0.04
"""Score of a case beside one that is above the floor."""


def surprise(shares: Sequence[Floats], lengths: Floats, held: Flags) -> Floats:
    """Return for each row how unlikely it is to share what it shares with a passage: at most -ln of the probability.

    `shares` tells for each leg how often texts hold each term of the passage, `lengths` (rows × legs) how many terms
    each row has there, `held` (rows × terms) what it shares. Chernoff's bound of a weighted sum of independent words,
    sought over TILTS.
    """
    absent = (lengths / np.array(LENGTHS)) @ np.log1p(-np.stack(shares))
    present = np.maximum(-np.expm1(absent), 1e-6)
    weights = np.minimum(-np.log(present), TELLING)
    telling = held * weights
    shared = telling.sum(axis=1) - telling.max(axis=1, initial=0) / 2
    bounds = [tilt * shared - np.log1p(present * np.expm1(tilt * weights)).sum(axis=1) for tilt in TILTS]
    found: Floats = np.maximum(0, np.max(bounds, axis=0)).astype(np.float32)
    return found


def floor(probes: Sequence[float]) -> float:
    """Return the evidence that an answer needs, from what unrelated texts reach."""
    return max(LOWEST, float(np.quantile(probes, 1 - ANSWERED))) if probes else LOWEST
