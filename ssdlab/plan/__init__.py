"""From a PTS test to steps: one generator a phase type, and what a run will cost."""
