"""What a reader reads: numbers with their units, tables, and how they are shown."""
