"""Explore runs interactively in a notebook: select, click, follow, export."""
