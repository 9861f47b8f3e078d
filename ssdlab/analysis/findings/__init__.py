"""What stands against a run: what departs from the PTS, and what is doubtful."""
