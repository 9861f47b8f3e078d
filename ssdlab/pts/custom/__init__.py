"""Workloads of imported runs that belong to no test of the PTS."""
