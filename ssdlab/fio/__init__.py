"""What fio is told, how it runs, and what it said."""
