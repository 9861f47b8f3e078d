"""The host that measures: inventory, checks and tuning."""
