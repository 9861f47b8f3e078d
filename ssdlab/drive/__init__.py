"""Drives: inventory, health, the gate before destruction, and purges."""
