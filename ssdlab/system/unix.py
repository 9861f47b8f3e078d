"""Modules of Unix only: elsewhere ssdlab can still be imported, and reports."""

try:
    import fcntl
    import grp
    import pwd
except ModuleNotFoundError:
    fcntl = grp = pwd = None  # type: ignore[assignment]

__all__ = ["fcntl", "grp", "pwd"]
