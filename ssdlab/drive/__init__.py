"""Drives: how they are purged."""
