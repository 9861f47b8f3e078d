"""Uses of a drive, found by reading the system; nothing is opened for writing."""
