"""Tests on the NVMe, ATA and SCSI drives of a guest machine; `make test-vm` runs them.

How the guest comes to be: image.py (kernel and first file system), guest.py (start it,
run commands in it, pull its plug), devices.py (its drives), agent.py (what answers
inside). The guest's root is this machine's, read-only, below a layer in memory: the
checkout and its environment stand at the same path inside.
"""
