"""What uses a drive: found by looking at the system, and nothing is opened to write."""
