"""Published tables that ship with ssdlab: one file a table, one function to read it."""
