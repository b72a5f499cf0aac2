"""Logs in: one small file a format."""
