"""fio's output as data frames, also merged or as true intervals."""
