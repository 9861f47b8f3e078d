"""Figures of runs beside each other."""
