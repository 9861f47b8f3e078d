"""Which jobs follow from a campaign, in which order; and what is refused."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from ssdlab.campaign.asked import left_out
from ssdlab.campaign.backends.local import LocalBackend
from ssdlab.campaign.submit import make_jobs, read_request, submit
from ssdlab.model.errors import CampaignError, UserError, UserFileError
from tests.campaign.made_lab import CAMPAIGN, LAB, campaign_at, write_files

TWICE = CAMPAIGN.replace('tests = ["lat"]', 'tests = ["lat", "iops,tp"]\nrepeats = 2')


def jobs(place: Path, campaign: str = CAMPAIGN, lab: str = LAB) -> list[str]:
    return [one.job for one in write_files(place, campaign, lab).wanted]


def test_drives_that_are_not_good_are_left_out_and_told(tmp_path: Path) -> None:
    request = write_files(tmp_path)
    assert [one.job for one in request.wanted] == [
        "A1-lat-00", "B1-lat-00", "A2-lat-00",
    ]  # fmt: skip
    bad = left_out(request.lab, request.asked, source="")
    assert {serial: drive.state for serial, drive in bad.items()} == {"B2": "bad"}


def test_unlike_drives_take_turns_in_every_repeat(tmp_path: Path) -> None:
    found = jobs(tmp_path, TWICE)
    assert found[:3] == ["A1-lat-00", "B1-lat-00", "A2-lat-00"]
    assert found[3:6] == ["A1-iops+tp-00", "B1-iops+tp-00", "A2-iops+tp-00"]
    assert found[6] == "A1-lat-01"
    assert len(found) == len(set(found)) == 12


def test_order_by_drive_finishes_one_drive_before_the_next(tmp_path: Path) -> None:
    found = jobs(tmp_path, TWICE.replace("[select]", 'order = "by drive"\n[select]'))
    assert [name[:2] for name in found] == ["A1"] * 4 + ["A2"] * 4 + ["B1"] * 4


def test_drives_can_be_listed_or_selected_by_pattern(tmp_path: Path) -> None:
    listed = CAMPAIGN.partition("[select]")[0] + 'drives = ["B1", "A2"]\n'
    assert jobs(tmp_path, listed) == ["B1-lat-00", "A2-lat-00"]
    chosen = CAMPAIGN.replace('model = "*"', 'host = "lab1"')
    assert jobs(tmp_path, chosen) == ["A1-lat-00", "A2-lat-00"]


@pytest.mark.parametrize(("old", "new", "words"), [
    ('name = "ab"', 'name = "../ab"', "../ab"),
    ('name = "ab"', 'nam = "ab"', "'nam'"),
    ('tests = ["lat"]', 'tests = ["lat"]\nrepeats = 0', "repeats"),
    ('tests = ["lat"]', 'tests = ["lat", "lat"]', "alike"),
    ('tests = ["lat"]', 'tests = ["lta"]', "lat"),
    ('tests = ["lat"]', "tests = []", "tests is empty"),
    ('profile = "demo"', 'profile = "dmeo"', "demo"),
    ('profile = "demo"', 'profile = "nix.toml"', "nix.toml"),
    ("[select]", 'drives = ["A1"]\n[select]', "one of both"),
    ('[select]\nmodel = "*"', 'drives = ["Z9"]', "Z9"),
    ('[select]\nmodel = "*"', 'drives = ["A1", "A1"]', "twice"),
    ('[select]\nmodel = "*"', 'drives = ["B2"]', "no drive that is good"),
    ('name = "ab"', "name = ", "TOML"),
    ('name = "ab"', 'name = "ab"\npriority = 5000', "priority"),
])  # fmt: skip
def test_campaign_that_cannot_be_carried_out_is_refused(
    tmp_path: Path, old: str, new: str, words: str
) -> None:
    with pytest.raises(UserError, match=words):
        jobs(tmp_path, CAMPAIGN.replace(old, new))


@pytest.mark.parametrize(("old", "new", "words"), [
    ("[hosts.lab1]", "shared_folder = false\n[hosts.lab1]", "a folder that all hosts"),
    ("[hosts.lab2.drives.B1]", "[hosts.lab2.drives.A1]", "A1 is in lab1 and in lab2"),
    ('state = "bad"', 'state = "bade"', "bade"),
    ("slots = 2", "slots = 0", "slots"),
    ('scratch = "{scratch}/lab1"', 'scratch = "here"', "absolute"),
    ("hosts.lab1.drives.A2", 'hosts.lab1.drives."A 2"', "A 2"),
    ("hosts.lab1.drives.A2", 'hosts.lab1.drives."../x"', "../x"),
    ('target = "virtual:size=64MiB"', 'target = "--confirm"', "--confirm"),
    ('note = "fails its self test"', "colour = 1", "colour"),
])  # fmt: skip
def test_lab_that_is_not_valid_is_refused(
    tmp_path: Path, old: str, new: str, words: str
) -> None:
    with pytest.raises(UserFileError, match=words) as caught:
        jobs(tmp_path, lab=LAB.replace(old, new))
    assert "lab.toml" in str(caught.value)


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    write_files(tmp_path)
    (tmp_path / "lab.toml").unlink()
    with pytest.raises(UserFileError, match="cannot be read"):
        read_request(tmp_path / "lab.toml", tmp_path / "campaign.toml")


def test_lab_without_a_host_that_has_jobs_is_refused(tmp_path: Path) -> None:
    campaign = campaign_at(tmp_path)
    for job in make_jobs(write_files(tmp_path), now=datetime.now(tz=UTC)):
        campaign.top.make()
        campaign.write_job(job)
    smaller = write_files(tmp_path, lab=LAB[: LAB.index("[hosts.lab2]")])
    with pytest.raises(CampaignError, match="jobs of lab2, no longer a host"):
        submit(smaller, campaign, LocalBackend(campaign, program=("false",)))
    assert not campaign.top.has("lab.toml")
