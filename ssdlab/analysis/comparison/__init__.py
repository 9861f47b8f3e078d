"""Runs beside each other: conditions, differences, scatter, efficiency, scores."""
