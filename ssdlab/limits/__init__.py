"""Runs against limits: is a bound met, not met, or can it not be told."""
