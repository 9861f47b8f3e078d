"""From the raw output of a run folder to tables, findings and an open run."""
