"""A lab and a campaign for tests, as files and as a folder."""

from pathlib import Path

from ssdlab.campaign.folder import CampaignFolder
from ssdlab.campaign.submit import Request, read_request

LAB = """\
[hosts.lab1]
scratch = "{scratch}/lab1"
slots = 2
[hosts.lab1.drives.A1]
target = "virtual:size=64MiB"
model = "A"
[hosts.lab1.drives.A2]
target = "virtual:size=64MiB"
model = "A"
[hosts.lab2]
scratch = "{scratch}/lab2"
[hosts.lab2.drives.B1]
target = "virtual:size=64MiB"
model = "B"
[hosts.lab2.drives.B2]
target = "virtual:size=64MiB"
model = "B"
state = "bad"
note = "fails its self test"
"""
CAMPAIGN = """\
name = "ab"
profile = "demo"
tests = ["lat"]
[select]
model = "*"
"""


def write_files(place: Path, campaign: str = CAMPAIGN, lab: str = LAB) -> Request:
    """Write both files and read them."""
    lab_file, asked = place / "lab.toml", place / "campaign.toml"
    lab_file.write_text(lab.replace("{scratch}", str(place / "scratch")))
    asked.write_text(campaign)
    return read_request(lab_file, asked)


def campaign_at(place: Path) -> CampaignFolder:
    return CampaignFolder(place / "dir")
