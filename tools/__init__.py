"""Programs that keep this repository in order; not part of the package."""
