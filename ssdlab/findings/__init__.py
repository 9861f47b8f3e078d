"""Rules that find what departs from the PTS and what makes a number doubtful."""
