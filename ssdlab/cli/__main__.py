"""What ``python -m ssdlab.cli`` runs."""

from ssdlab.cli import main

main()
