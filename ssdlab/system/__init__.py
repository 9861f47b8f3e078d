"""Access to the operating system: files, programs, folders of state."""
