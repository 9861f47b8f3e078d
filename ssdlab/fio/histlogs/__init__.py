"""Histogram logs: the latencies of each interval, counted in bins."""
