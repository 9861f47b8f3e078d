"""fio's terse output and its normal text."""
