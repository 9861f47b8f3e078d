"""How the drive hangs on PCI Express."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.host.made_host import DEVICE, DRIVE, Case, require_found

POLICY = "sys/module/pcie_aspm/parameters/policy"
LINK = DRIVE.pcie
assert LINK is not None

CASES = (
    Case(check="pcie_aspm", verdict="good", says="performance (/sys/module/pcie_aspm"),
    Case(
        check="pcie_aspm",
        verdict="bad",
        says="powersave",
        files={POLICY: "default performance [powersave] powersupersave"},
    ),
    Case(
        check="pcie_aspm",
        verdict="bad",
        says="powersupersave",
        files={POLICY: "default performance powersave [powersupersave]"},
    ),
    Case(
        check="pcie_aspm",
        verdict="warn",
        says="default",
        files={POLICY: "[default] performance powersave powersupersave"},
    ),
    Case(
        check="pcie_aspm",
        verdict="unknown",
        says="this kernel does not manage ASPM",
        files={POLICY: None},
    ),
    Case(
        check="pcie_aspm",
        verdict="unknown",
        says="does not apply: the target has no PCI Express link of its own",
        files={POLICY: "[default] performance powersave powersupersave"},
        drive={"bus": "loop", "pcie": None},
    ),
    Case(
        check="pcie_aspm",
        verdict="unknown",
        says="does not apply",
        files={POLICY: "[default] performance powersave powersupersave"},
        drive=None,
        target_kind="virtual",
    ),
    Case(
        check="pcie_aspm",
        verdict="warn",
        says="default",
        files={POLICY: "[default] performance powersave powersupersave"},
        drive=None,
        target_kind="",
    ),
    Case(check="pcie_aspm_link", verdict="good", says="no power saving on its link"),
    Case(
        check="pcie_aspm_link",
        verdict="bad",
        says="l1_aspm may be entered",
        files={f"{DEVICE}/link/l1_aspm": "1"},
    ),
    Case(
        check="pcie_aspm_link",
        verdict="unknown",
        says="the firmware controls ASPM",
        files={f"{DEVICE}/link/l1_aspm": None, f"{DEVICE}/link/clkpm": None},
    ),
    Case(
        check="pcie_aspm_link",
        verdict="unknown",
        says="does not apply: the drive has no PCI Express link",
        drive={"pcie": None},
    ),
    Case(check="pcie_link", verdict="good", says="4 of 4 lanes, 16 of 16 GT/s"),
    Case(
        check="pcie_link",
        verdict="bad",
        says="2 of 4 lanes",
        drive={"pcie": replace(LINK, width=2)},
    ),
    Case(
        check="pcie_link",
        verdict="bad",
        says="8 of 16 GT/s",
        drive={"pcie": replace(LINK, speed_gt_s=8.0)},
    ),
    Case(
        check="pcie_link",
        verdict="unknown",
        says="4 of 4 lanes; ",
        drive={"pcie": replace(LINK, speed_gt_s=None)},
    ),
    Case(
        check="pcie_link",
        verdict="unknown",
        says="do not state its maximum",
        drive={"pcie": replace(LINK, speed_gt_s=None, width_max=None)},
    ),
    Case(
        check="pcie_link",
        verdict="unknown",
        says="does not apply: the target is not a drive",
        drive=None,
    ),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_link_is_judged_by_what_is_read(case: Case, host: Path) -> None:
    require_found(host, case)
