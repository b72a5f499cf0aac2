"""Bundles out: one small file a format."""
