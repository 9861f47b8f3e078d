"""Runs side by side: conditions, differences, scatter, scores."""
