"""Read logs of agent runs, one module a format."""

from errorhub.hub.importers.contract import Format, Imported, Importer, Refused
from errorhub.hub.importers.reading import read_log
from errorhub.hub.importers.registry import formats
from errorhub.hub.importers.walking import walk

__all__ = ["Format", "Imported", "Importer", "Refused", "formats", "read_log", "walk"]
