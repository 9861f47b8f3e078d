"""Drives: which there are, how they are, may they be destroyed, how to purge them."""
