"""Readings of a drive and its host during a run: summary, traces, pages."""
