"""Automatic updates: timers that are enabled and have something to do."""

from pathlib import Path

import pytest

from tests.host.made_host import Case, require_found

TIMERS = "etc/systemd/system/timers.target.wants"
APT = {
    f"{TIMERS}/apt-daily.timer": "[Timer]",
    f"{TIMERS}/apt-daily-upgrade.timer": "[Timer]",
}
SETTINGS = "etc/apt/apt.conf.d/20auto-upgrades"
UPGRADES = 'APT::Periodic::Unattended-Upgrade "1";'
PROCESS = "S 1 1 1 0 -1 0 0 0 0 0 5 5 0 0 20 0 1 0 1"

CASES = (
    Case(check="updates", verdict="good", says="no timer of /etc/systemd/system"),
    Case(  # as on Debian without unattended-upgrades
        check="updates", verdict="good", says="no timer", files=APT
    ),
    Case(
        check="updates",
        verdict="warn",
        says="apt-daily.timer, apt-daily-upgrade.timer (Update-Package-Lists, "
        "Unattended-Upgrade)",
        files={
            **APT,
            SETTINGS: f'APT::Periodic::Update-Package-Lists "1";\n{UPGRADES}',
        },
    ),
    Case(
        check="updates",
        verdict="good",
        says="no timer",
        files={**APT, SETTINGS: f"// {UPGRADES}"},
    ),
    Case(
        check="updates",
        verdict="good",
        says="no timer",
        files={**APT, SETTINGS: f'{UPGRADES}\nAPT::Periodic::Enable "0";'},
    ),
    Case(  # a later file has the last word
        check="updates",
        verdict="good",
        says="no timer",
        files={
            **APT,
            SETTINGS: UPGRADES,
            "etc/apt/apt.conf.d/99lab": 'APT::Periodic::Unattended-Upgrade "0";',
        },
    ),
    Case(
        check="updates",
        verdict="warn",
        says="dnf-automatic.timer",
        files={f"{TIMERS}/dnf-automatic.timer": "[Timer]"},
    ),
    Case(
        check="updates",
        verdict="bad",
        says="unattended-upgr is running now",
        files={"proc/19/stat": f"19 (unattended-upgr) {PROCESS}"},
    ),
    Case(
        check="updates",
        verdict="unknown",
        says="does not exist here",
        files={"etc/systemd/system/timers.target.wants/fstrim.timer": None},
    ),
    Case(
        check="updates",
        verdict="unknown",
        says="a container",
        files={"run/systemd/container": "lxc"},
    ),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_updates_are_found_where_they_are_scheduled(tmp_path: Path, case: Case) -> None:
    found = require_found(tmp_path, case)
    if found.verdict == "warn":
        assert found.remedy.startswith("Stop them until the next boot: sudo systemctl")


def test_remedy_names_each_timer_to_stop(tmp_path: Path) -> None:
    found = require_found(tmp_path, CASES[2])
    assert found.remedy.endswith("stop apt-daily.timer apt-daily-upgrade.timer")
