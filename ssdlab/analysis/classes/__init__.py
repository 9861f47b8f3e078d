"""Storage classes: the values of a run beside those of published drives."""
