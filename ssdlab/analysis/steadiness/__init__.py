"""Steady state looked at again: fits, onsets, other rules, forecasts."""
