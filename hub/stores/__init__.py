"""Where hubs live: a folder, a Git remote or a dataset on the Hugging Face Hub, behind one small protocol."""

from errorhub.hub.stores.store import Store, Tree, mask, open_store

__all__ = ["Store", "Tree", "mask", "open_store"]
