"""Runs on disk: write and read their tables, and find them."""
