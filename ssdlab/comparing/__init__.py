"""Opens runs, those that go on as well, and puts them side by side."""
