"""Four numbers in a minute, on a file: no procedure of any document."""
