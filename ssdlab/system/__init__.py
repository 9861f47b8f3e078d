"""The operating system for all who touch it: files, programs, where notes lie."""
