"""Published procedures besides the PTS, as data: one module per source document."""
