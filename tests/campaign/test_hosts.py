"""What hosts say of themselves, and what is wrong with it."""

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ssdlab.campaign.folder import CampaignFolder
from ssdlab.campaign.hosts import check_hosts, note_host
from tests.campaign.bench import JOB


@pytest.fixture
def campaign(tmp_path: Path) -> CampaignFolder:
    """Return a campaign of a job on each of two hosts, which have begun."""
    found = CampaignFolder(tmp_path / "dir")
    found.path.mkdir()
    for host in ("lab1", "lab2"):
        job = replace(JOB, job=f"{host}-lat-00", host=host, scratch=str(tmp_path))
        found.write_job(job)
        note_host(found, job, time.time)
    return found


def change(campaign: CampaignFolder, **values: Any) -> None:
    path = campaign.path / "hosts" / "lab2.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def test_like_hosts_are_well(campaign: CampaignFolder) -> None:
    assert list(check_hosts(campaign)) == []


@pytest.mark.parametrize("off_s", [-30.0, 30.0])
def test_clock_that_is_apart_is_told(campaign: CampaignFolder, off_s: float) -> None:
    change(campaign, at_s=time.time() + off_s)
    (words,) = check_hosts(campaign)
    assert words.startswith("lab2: its clock is ")
    assert ("ahead" in words) is (off_s > 0)


def test_little_space_is_told(campaign: CampaignFolder) -> None:
    change(campaign, scratch_free_bytes=1_000_000)
    (words,) = check_hosts(campaign)
    assert "1 MB" in words


def test_versions_that_differ_are_told(campaign: CampaignFolder) -> None:
    change(campaign, version="9.9.9")
    (words,) = check_hosts(campaign)
    assert "9.9.9 on lab2" in words


def test_host_without_a_file_is_not_known_and_a_strange_file_is_told(
    campaign: CampaignFolder,
) -> None:
    (campaign.path / "hosts" / "lab1.json").unlink()
    (campaign.path / "hosts" / "lab2.json").write_text("[]")
    (words,) = check_hosts(campaign)
    assert words.startswith("lab2: ")
