"""What a path means that a user named: a folder, here or above, or a store."""

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


def is_store(path: Path) -> bool:
    """Return whether a folder is a store of runs, or an address in S3."""
    return is_in_s3(path) or is_there(path / "runs" / "_delta_log")


def is_in_s3(path: Path) -> bool:
    """Return whether a path is an address in S3, which has one slash then."""
    return path.parts[:1] == ("s3:",)


def split_store(named: str | Path) -> tuple[str, str] | None:
    """Return the store that ``STORE`` or ``STORE:RUN`` names, and what of it.

    None if it names none. A path that exists is that path, whatever is in its name.
    """
    text = str(named)
    if is_in_s3(Path(text)):
        store, _, run = text.removeprefix("s3:").partition(":")
        return f"s3:{store}", run
    if is_there(find_here_or_above(text)):
        return (text, "") if is_store(find_here_or_above(text)) else None
    parts = text.split(":")
    splits = ((":".join(parts[:at]), ":".join(parts[at:])) for at in range(len(parts)))
    return next(
        (one for one in splits if one[0] and is_store(find_here_or_above(one[0]))), None
    )


def is_there(path: Path) -> bool:
    """Return whether a path exists; one too long, or that may not be seen, does not."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False
