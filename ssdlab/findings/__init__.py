"""Rules that find departures from the PTS and what makes a number doubtful."""
