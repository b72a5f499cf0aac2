"""Taxonomy induction: failures in, proposals out."""
