"""Quality of service: percentiles with intervals, curves, targets, verdicts."""
