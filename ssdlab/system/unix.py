"""What only Unix has: elsewhere ssdlab is imported all the same, and reports."""

try:
    import fcntl
    import grp
    import pwd
except ModuleNotFoundError:
    fcntl = grp = pwd = None  # type: ignore[assignment]

__all__ = ["fcntl", "grp", "pwd"]
