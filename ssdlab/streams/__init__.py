"""Captured IO streams: parsing, cleaning, mixing, replaying."""
