"""Runs side by side: what they share, in what they differ, and who is better."""
