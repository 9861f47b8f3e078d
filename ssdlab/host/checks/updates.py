"""Check of automatic updates, which load host and drive when nobody expects it."""

import re

from ssdlab.host.checks.check import Check, Finding, bad, good, unknown, warn
from ssdlab.host.checks.scene import Scene

_TIMERS = "/etc/systemd/system/timers.target.wants"
_APT_TIMERS = ("apt-daily.timer", "apt-daily-upgrade.timer")
_OTHER_TIMERS = (
    "dnf-automatic.timer",
    "dnf-automatic-install.timer",
    "dnf5-automatic.timer",
    "packagekit-background.timer",
)
_APT_SETTINGS = "/etc/apt/apt.conf.d"
_APT_SETTING = re.compile(
    r'^\s*APT::Periodic::([A-Za-z-]+)\s+"([^"]*)"\s*;', re.MULTILINE
)
_APT_TASKS = (
    "Update-Package-Lists",
    "Download-Upgradeable-Packages",
    "Unattended-Upgrade",
)
_OFF = ("0", "0s", "")
# As the kernel cuts the names of processes: at 15 characters.
_RUNNING = {"apt", "apt-get", "dpkg", "unattended-upgr", "dnf", "yum", "rpm", "zypper"}


def _check_updates(scene: Scene) -> Finding:
    running = sorted({one.name for one in scene.after.processes.values()} & _RUNNING)
    if running:
        return bad(
            f"{', '.join(running)} is running now",
            "Wait until it has ended; then measure.",
        )
    if scene.is_container:
        return unknown("a container does not show the timers of its host")
    enabled = set(scene.names(_TIMERS))
    if not enabled:
        return unknown(f"{_TIMERS} does not exist here, so no timer is known")
    found = [name for name in _OTHER_TIMERS if name in enabled]
    tasks = _apt_tasks(scene)
    if tasks:
        found += [name for name in _APT_TIMERS if name in enabled]
    if not found:
        return good(f"no timer of {_TIMERS} updates this host")
    what = f" ({', '.join(tasks)})" if tasks else ""
    names = " ".join(found)
    return warn(
        f"{names.replace(' ', ', ')}{what} ({_TIMERS})",
        f"Stop them until the next boot: sudo systemctl stop {names}",
    )


def _apt_tasks(scene: Scene) -> list[str]:
    """Return what APT's timers do; they do nothing that is not switched on."""
    settings: dict[str, str] = {}
    for name in sorted(scene.names(_APT_SETTINGS)):
        text = scene.text(f"{_APT_SETTINGS}/{name}")
        settings |= dict(_APT_SETTING.findall(text))
    if settings.get("Enable", "1") in _OFF:
        return []
    return [task for task in _APT_TASKS if settings.get(task, "0") not in _OFF]


UPDATES = Check(
    check_id="updates",
    title="Automatic updates",
    why="An update reads and writes drives and takes processor time at a time that "
    "nobody chose.",
    source="Micron, Rev. B 4/17",
    look=_check_updates,
)
