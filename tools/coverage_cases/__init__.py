"""Simulations that measure the coverage of intervals: one module per topic."""
