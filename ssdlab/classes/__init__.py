"""A run among storage classes: values of published drives next to its own."""
