"""``ssdlab campaign``: what it prints, its exit codes, and what it touches."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ssdlab.campaign.folder import Attempt, CampaignFolder, append_line
from ssdlab.campaign.publish import publish
from ssdlab.campaign.submit import make_jobs
from ssdlab.campaign.work import Scratch
from ssdlab.cli import main
from ssdlab.testing import make_run
from tests.campaign.made_lab import campaign_at, write_files

TOO_OLD_S = 0.0


def call(*words: object) -> Result:
    return CliRunner().invoke(main, ["campaign", *map(str, words)])


@pytest.fixture
def campaign(tmp_path: Path) -> CampaignFolder:
    """Return a campaign whose jobs were written and never handed to an engine."""
    request = write_files(tmp_path)
    folder = campaign_at(tmp_path)
    folder.top.make()
    folder.top.write("campaign.toml", request.asked_text.encode())
    folder.top.write("lab.toml", request.lab_text.encode())
    from datetime import UTC, datetime  # noqa: PLC0415

    for job in make_jobs(request, now=datetime(2026, 11, 25, tzinfo=UTC)):
        folder.write_job(job)
    return folder


def note(campaign: CampaignFolder, job: str, *attempts: Attempt) -> None:
    for one in attempts:
        append_line((campaign.top / "attempts").make(), f"{job}.jsonl", one)


def test_plan_shows_each_host_and_what_is_left_out_and_touches_nothing(
    tmp_path: Path,
) -> None:
    write_files(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    shown = call("plan", tmp_path / "lab.toml", tmp_path / "campaign.toml")
    assert shown.exit_code == 0
    for words in ("lab1: 2 runs, 2 at once", "lab2: 1 runs", "B2, bad (fails its"):
        assert words in shown.stdout
    plain = call("plan", tmp_path / "lab.toml", tmp_path / "campaign.toml", "--json")
    data = json.loads(plain.stdout)
    assert [len(host["runs"]) for host in data["hosts"]] == [2, 1]
    assert data["left_out"] == {"B2": "bad"}
    one, two = data["hosts"][0]["runs"]
    assert data["hosts"][0]["seconds_max"] == max(
        one["seconds_max"], two["seconds_max"]
    )
    assert sorted(tmp_path.rglob("*")) == before


def test_status_names_what_needs_a_person_and_fails(campaign: CampaignFolder) -> None:
    assert call("status", campaign.path).exit_code == 0
    failed = Attempt(at_s=1.0, what="ended", host="h", state="failed", code=1)
    note(campaign, "A1-lat-00", Attempt(at_s=0.0, what="run", host="h"), failed)
    shown = call("status", campaign.path)
    assert shown.exit_code == 1
    assert "✗ failed" in shown.stdout
    data = json.loads(call("status", campaign.path, "--json").stdout)
    states = {one["job"]: one["state"] for one in data}
    assert states == {
        "A1-lat-00": "failed", "A2-lat-00": "planned", "B1-lat-00": "planned",
    }  # fmt: skip
    one = call("status", campaign.path, "B1-lat-00")
    assert (one.exit_code, "A1" in one.stdout) == (0, False)


def test_metrics_are_written_whole_and_their_path_is_printed(
    campaign: CampaignFolder, tmp_path: Path
) -> None:
    place = tmp_path / "ssdlab.prom"
    shown = call("status", campaign.path, "--openmetrics", place)
    assert shown.stdout.splitlines()[-1] == str(place)
    assert place.read_text().endswith("# EOF\n")


def test_cancelled_job_is_not_handed_over_and_a_retried_one_is_planned(
    campaign: CampaignFolder,
) -> None:
    shown = call("cancel", campaign.path, "A1-lat-00")
    assert shown.stdout == "A1-lat-00 cancelled\n"
    assert "no job can be held now" in call("hold", campaign.path, "A1-lat-00").stdout
    data = json.loads(call("status", campaign.path, "A1-lat-00", "--json").stdout)
    assert data[0]["state"] == "cancelled"


@pytest.mark.parametrize("words", [
    ["status", "nowhere"],
    ["status", "{dir}", "nix"],
    ["work", "{dir}", "../jobs/A1-lat-00"],
    ["logs", "{dir}", "nix"],
    ["tend", "nowhere"],
])  # fmt: skip
def test_wrong_request_is_told_with_exit_code_2(
    campaign: CampaignFolder, words: list[str]
) -> None:
    shown = call(*(word.replace("{dir}", str(campaign.path)) for word in words))
    assert shown.exit_code == 2
    assert "Traceback" not in shown.output
    assert shown.exception is None or isinstance(shown.exception, SystemExit)


@pytest.mark.parametrize(("name", "value"), [
    ("scratch", "relative"), ("target", "--confirm"), ("job", "B1-lat-00"),
    ("run_id", "../../x"), ("profile", "--runs"), ("seed", "seven"), ("more", 1),
])  # fmt: skip
def test_job_file_that_a_stranger_wrote_is_refused(
    campaign: CampaignFolder, name: str, value: object
) -> None:
    place = campaign.path / "jobs" / "A1-lat-00.json"
    place.write_text(json.dumps(json.loads(place.read_text()) | {name: value}))
    shown = call("work", campaign.path, "A1-lat-00")
    assert (shown.exit_code, "A1-lat-00.json" in shown.output) == (2, True)


def test_file_that_is_no_job_stops_no_other_and_is_told(
    campaign: CampaignFolder,
) -> None:
    (campaign.path / "jobs" / "A1-lat-00.json").write_text("[[[")
    shown = call("status", campaign.path)
    assert shown.exit_code == 1
    assert "B1-lat-00" in shown.stdout
    assert "A1-lat-00.json" in shown.stderr
    assert "A1-lat-00.json" in call("check", campaign.path).stdout


def test_link_in_place_of_a_job_file_is_not_followed(
    campaign: CampaignFolder, tmp_path: Path
) -> None:
    place = campaign.path / "jobs" / "A1-lat-00.json"
    moved = place.rename(tmp_path / "moved.json")
    place.symlink_to(moved)
    assert call("work", campaign.path, "A1-lat-00").exit_code == 2


def test_only_what_is_published_whole_is_cleaned(
    campaign: CampaignFolder,
) -> None:
    job = campaign.job("A1-lat-00")
    scratch = Scratch(job=job)
    make_run(scratch.run, tests=["lat"], steps=4)
    assert call("clean", campaign.path, "--yes").stdout == ""
    published = publish(scratch.run, campaign.runs)
    assert "can be removed" in call("clean", campaign.path).stdout
    state = published / "state.json"
    kept = state.read_bytes()
    state.write_bytes(b"{}")
    assert "kept" in call("clean", campaign.path, "--yes").stdout
    assert "state.json was changed" in call("check", campaign.path).stdout
    assert scratch.run.is_dir()
    state.write_bytes(kept)
    assert "removed" in call("clean", campaign.path, "--yes").stdout
    assert not scratch.run.exists()
    assert call("check", campaign.path).stdout == "All is well.\n"


def test_discovered_lab_can_be_read_again(tmp_path: Path) -> None:
    from ssdlab.campaign.lab import read_lab  # noqa: PLC0415

    shown = call("discover", "--name", "h1", "--scratch", "/srv/x")
    assert shown.exit_code == 0
    place = tmp_path / "lab.toml"
    place.write_text(shown.stdout)
    lab = read_lab(place)
    assert lab.hosts["h1"].scratch == "/srv/x"
    assert all(drive.state in {"good", "maintenance"} for _, _, drive in lab.drives)


def test_published_runs_are_collected_into_a_store_once(
    campaign: CampaignFolder, tmp_path: Path
) -> None:
    pytest.importorskip("deltalake")
    scratch = Scratch(job=campaign.job("A1-lat-00"))
    make_run(scratch.run, tests=["lat"])
    publish(scratch.run, campaign.runs)
    runner, store = CliRunner(), str(tmp_path / "store")
    assert runner.invoke(main, ["store", "init", store]).exit_code == 0
    assert "1 added" in call("collect", campaign.path, store).stdout
    assert "1 known" in call("collect", campaign.path, store).stdout
