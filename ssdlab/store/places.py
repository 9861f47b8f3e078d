"""Relative paths named from inside a folder of notebooks."""

from pathlib import Path


def find_here_or_above(path: str | Path) -> Path:
    """Return a path as it is, or as found relative to a parent folder.

    A kernel of JupyterLab works in the folder of its notebook, so ``data/runs`` there
    is not the same folder as in a shell.
    """
    named = Path(path)
    if named.is_absolute() or is_there(named):
        return named
    above = (folder / named for folder in Path.cwd().parents)
    return next((place for place in above if is_there(place)), named)


def is_there(path: Path) -> bool:
    """Return whether a path exists; one too long, or that may not be seen, does not."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False
