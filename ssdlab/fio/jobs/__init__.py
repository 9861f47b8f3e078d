"""Job files, and the meaning of their options."""
