"""The uncertainty budget of a result of a run."""
