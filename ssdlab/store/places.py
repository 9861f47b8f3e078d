"""Where a folder lies that was named from inside a folder of notebooks."""

from pathlib import Path


def find_here_or_above(path: str | Path) -> Path:
    """Return a path as it is, or where it is found in the folders above this one.

    A kernel of JupyterLab works in the folder of its notebook, so that ``data/runs``
    means another folder there than in the shell beside it.
    """
    named = Path(path)
    if named.is_absolute() or named.exists():
        return named
    above = (folder / named for folder in Path.cwd().parents)
    return next((place for place in above if place.exists()), named)
