"""Figures of a run beside the storage classes."""
