"""What fio said, as data frames; merged, or as true intervals."""
