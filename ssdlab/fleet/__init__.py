"""A store of many runs: three tables that can be rebuilt from the run folders."""
