"""Streams of a capture and of mixes: kept, shared and replayed."""
