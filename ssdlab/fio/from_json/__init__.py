"""fio's JSON and JSON+ output."""
