"""Figures of steady state looked at again."""
