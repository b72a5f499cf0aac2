"""Packaged example logs: invented failing runs in four formats, with planted fake secrets.

The templates in `logs/<format>/…` are complete logs except that every secret, name and host is a slot such as
`@@AWS_KEY@@`. `write` fills the slots and makes files that any importer reads. `logs/story` holds the tour of the
README: `first.jsonl`, a later run `second.jsonl` that fails in the same way elsewhere, and `unrelated.jsonl`.

`annotations.json` holds what a person would say about some of the runs that carry no label of their own:
a list of `Annotation`.
"""

from errorhub.examples.logbook import Annotation, Attempted, annotations, write
from errorhub.examples.values import Planted, planted

__all__ = ["Annotation", "Attempted", "Planted", "annotations", "planted", "write"]
