"""A campaign of five virtual SSDs in three hosts, from files to a fleet page.

    python -m tools.demo_campaign FOLDER

The three hosts are this machine, so no engine need be installed. Each command is
printed as one would type it. What is there already is left alone: after a stop, begin
again.
"""

import shlex
import subprocess
import sys
from pathlib import Path

_LAB = """\
engine = "local"  # the three hosts are this machine
{hosts}"""
_HOST = """
[hosts.{host}]
scratch = "{scratch}/{host}"
"""
_DRIVE = """
[hosts.{host}.drives.{serial}]
target = "virtual:size=64MiB,tprog={program_us},command={command_us},\
seed={seed},serial={serial},firmware={firmware}"
model = "ssdlab virtual SSD"
firmware = "{firmware}"
"""
# Host, firmware, time to program a page and controller time per request [us]: drives of
# one firmware differ a little, and firmware B answers 8 % later.
_DRIVES = (
    ("lab1", "A", 440, 100),
    ("lab1", "B", 452, 108),
    ("lab2", "A", 450, 100),
    ("lab2", "B", 446, 108),
    ("lab3", "A", 456, 100),
)
_CAMPAIGN = """\
name = "firmware-ab"
profile = "short.toml"
tests = ["iops,lat"]
repeats = 2
order = "interleaved"

[select]
model = "ssdlab virtual SSD"
"""
_PROFILE = """\
based_on = "demo"
cell_s = 0.5
iops_mixes = [100, 65, 0]
iops_block_sizes = ["128 KiB", "4 KiB"]
iops_tracking = ["RND 4 KiB 0/100", "RND 128 KiB 65/35"]
lat_block_sizes = ["4 KiB"]
histogram_s = 4
wipc_capacity_multiple = 1
"""


def lab_text(scratch: Path) -> str:
    """Return ``lab.toml`` with the drives of each host."""
    hosts: dict[str, str] = {}
    for number, (host, firmware, program_us, command_us) in enumerate(_DRIVES, start=1):
        hosts.setdefault(host, _HOST.format(host=host, scratch=scratch))
        hosts[host] += _DRIVE.format(
            host=host,
            serial=f"SSD-{number}",
            firmware=firmware,
            program_us=program_us,
            command_us=command_us,
            seed=number,
        )
    return _LAB.format(hosts="".join(hosts.values()))


def write_files(folder: Path) -> None:
    """Write the three files that a campaign begins with."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "lab.toml").write_text(lab_text(folder / "scratch"), "utf-8")
    (folder / "campaign.toml").write_text(_CAMPAIGN, "utf-8")
    (folder / "short.toml").write_text(_PROFILE, "utf-8")


def main(folder: Path) -> int:
    """Carry out the campaign in a folder; return the exit code of what failed."""
    write_files(folder)
    has_store = (folder / "store").exists()
    commands = (
        "campaign lab lab.toml",
        "campaign plan lab.toml campaign.toml",
        "campaign submit lab.toml campaign.toml work",
        "campaign status work --watch",
        *(() if has_store else ("store init store",)),
        "campaign collect work store",
        "runs store",
        "fleet store --accept neighbours -o fleet.html",  # all hosts are this machine
    )
    for command in commands:
        print(f"\n$ ssdlab {command}", flush=True)
        words = [sys.executable, "-m", "ssdlab", *shlex.split(command)]
        code = subprocess.run(words, cwd=folder, check=False).returncode
        if code:
            return code
    print(folder / "fleet.html")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).absolute()))
