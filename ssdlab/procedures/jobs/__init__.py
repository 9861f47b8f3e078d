"""The jobs of a user's own fio job file, as tests."""
