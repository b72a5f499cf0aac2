"""Read one log: decide the format on structure, never guess, and turn every failure into a refusal."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from errorhub.hub.bundle import Bundle, Provenance
from errorhub.hub.errors import FormatError, RecordError
from errorhub.hub.importers import registry
from errorhub.hub.importers.contract import Imported, Importer, Refused, Runs
from errorhub.hub.importers.draft import unfit
from errorhub.hub.importers.files import Log, Sample
from errorhub.hub.importers.foreign import beside, foreign


def read_log(path: Path, *, format: str = "auto") -> Iterator[Imported | Refused]:
    """Yield the runs of a log and a refusal for every record that is none.

    `auto` decides on structure and refuses when no format or more than one fits; a named format that does not fit is
    refused as well, never replaced by another. A log that cannot be read at all yields one refusal.
    """
    empty = True
    try:
        log = Log(path)
        runs = choose(log.sample(), format).read(log)
        while (found := _next(runs)) is not None:
            empty = False
            yield _stamped(found, path) if isinstance(found, Bundle) else found
        if empty:
            yield Refused(path, "holds no run.")
    except (FormatError, RecordError) as problem:
        yield Refused(path, str(problem))
    except ValidationError as problem:
        yield Refused(path, unfit(problem))
    except OSError as problem:
        yield Refused(path, f"cannot be read: {problem.strerror or type(problem).__name__}.")
    except RecursionError:
        yield Refused(path, "nested too deeply to be read.")


def _next(runs: Runs) -> Bundle | Refused | None:
    """Return the next run with the collector paused: a run is many objects and no cycles, and walking them is a third
    of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        return next(runs, None)
    finally:
        if enabled:
            gc.enable()


def choose(sample: Sample, format: str = "auto") -> Importer:
    """Return the importer for a log. Raise FormatError naming the candidates when it is not clear."""
    if format != "auto":
        importer = registry.importer(format)
        if not importer.fits(sample):
            raise FormatError(f"not {format}: {importer.format.recognised} is expected.")
        return importer
    if what := beside(sample):
        raise FormatError(f"not a log but {what}.")
    if other := foreign(sample):
        raise FormatError(f"not a known format: it looks like {other}, which is not read yet.")
    fitting = [importer for importer in registry.importers() if importer.fits(sample)]
    if len(fitting) == 1:
        return fitting[0]
    names = ", ".join(importer.format.name for importer in fitting)
    if fitting:
        raise FormatError(f"could be any of {names}. Name one with --format.")
    raise FormatError("not a known format. If it is one that `errorhub formats` lists, name it with --format.")


def _stamped(bundle: Bundle, path: Path) -> Imported:
    """Note the name of the log, without its folder: the same log gives the same bundle anywhere."""
    return Imported(bundle.replace(provenance=Provenance(file=path.name)), path)
