"""Connects plan, backend and store: runs a suite, resumes it, ingests it."""
