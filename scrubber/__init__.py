"""Scrub any JSON document of secrets and personal data."""
