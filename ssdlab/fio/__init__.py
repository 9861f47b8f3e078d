"""fio: job files, running it, and reading its output and logs."""
