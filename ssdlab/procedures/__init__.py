"""Published procedures besides the PTS, as data: one module a source document."""
