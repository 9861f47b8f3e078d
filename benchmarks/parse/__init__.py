"""Reading what fio wrote: ssdlab beside its peers, on the same files in one run."""
