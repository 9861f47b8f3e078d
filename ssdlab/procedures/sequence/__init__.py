"""Micron's sequence of stimuli."""
