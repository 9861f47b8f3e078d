"""Purges of drives, and the proof of their effect: PTS 2.0.2, 3.2."""

from ssdlab.drive.purge.ata_password import clean_after_crash, has_journal
from ssdlab.drive.purge.carry_out import purge_drive
from ssdlab.drive.purge.choice import choose_format, choose_option, choose_purge
from ssdlab.drive.purge.methods import stopping_words
from ssdlab.drive.purge.options import list_purge_options

__all__ = [
    "choose_format",
    "choose_option",
    "choose_purge",
    "clean_after_crash",
    "has_journal",
    "list_purge_options",
    "purge_drive",
    "stopping_words",
]
