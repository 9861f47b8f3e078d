"""Where plan, backend and store meet: carry a suite out, resume it, ingest it."""
