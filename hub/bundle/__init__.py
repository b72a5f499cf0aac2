"""The record: one failed run, its diagnoses and its repairs."""
