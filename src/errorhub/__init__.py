"""The Error Hub: failed agent runs as a corpus that teams share, search, organise and learn from."""

__all__ = ["__version__"]

__version__ = "0.1.0"
