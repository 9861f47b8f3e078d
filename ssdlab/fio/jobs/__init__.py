"""Job files, and what their options ask for."""
