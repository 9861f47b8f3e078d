"""Logs of latency, bandwidth and IOPS: of single IOs or of intervals."""
