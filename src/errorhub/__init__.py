"""The Error Hub: failed agent runs as a corpus that teams share, search, organise and learn from."""

__version__ = "0.1.0"
