"""Debugging memory: has anyone hit this before, and what fixed it?"""
