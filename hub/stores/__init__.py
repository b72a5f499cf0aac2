"""Where hubs live: a folder or a Git remote behind one small protocol."""

from errorhub.hub.stores.store import Store, Tree, mask, open_store

__all__ = ["Store", "Tree", "mask", "open_store"]
