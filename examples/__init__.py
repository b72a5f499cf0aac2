"""Packaged example logs: invented failing runs in four formats, with planted fake secrets."""
