"""Write bundles for other tools, one module a format."""

from errorhub.hub.exporters.registry import EXPORTERS, export

__all__ = ["EXPORTERS", "export"]
