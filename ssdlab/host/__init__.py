"""The host that measures: what it is."""
