"""Benchmarks of reading fio output: ssdlab and its peers, on the same files."""
