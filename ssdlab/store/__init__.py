"""Run folders on disk: finding them, reading and writing their tables."""
