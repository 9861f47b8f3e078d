"""TKperf's tables and its rule of steady state."""
