"""What the gate asks of a drive and of who wants it erased; `safety` is its door."""
