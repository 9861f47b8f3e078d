"""Steady state after the fact: fits, onsets, other rules, forecasts, figures."""
