"""Checks of the drive's PCI Express link."""

from ssdlab.host.checks.check import (
    Check,
    Finding,
    Setting,
    bad,
    good,
    guide,
    missing,
    not_applying,
    unknown,
    warn,
    write_by_hand,
)
from ssdlab.host.checks.scene import Scene
from ssdlab.host.notation import chosen

_POLICY = "/sys/module/pcie_aspm/parameters/policy"
_LINK_STATES = (
    "clkpm",
    "l0s_aspm",
    "l1_aspm",
    "l1_1_aspm",
    "l1_2_aspm",
    "l1_1_pcipm",
    "l1_2_pcipm",
)


def _check_policy(scene: Scene) -> Finding:
    if scene.target_kind and not (scene.drive and scene.drive.pcie):
        return not_applying("the target has no PCI Express link of its own")
    policy = chosen(scene.text(_POLICY))
    if not policy:
        return missing(_POLICY, ": this kernel does not manage ASPM")
    read = f"{policy} ({_POLICY})"
    if policy == "performance":
        return good(read)
    remedy = (
        f"{write_by_hand('performance', _POLICY)}; for good: boot with "
        "pcie_aspm.policy=performance"
    )
    return warn(read, remedy) if policy == "default" else bad(read, remedy)


def _policy_to_set(scene: Scene) -> tuple[Setting, ...]:
    text = scene.text(_POLICY)
    if "performance" not in text.replace("[", " ").replace("]", " ").split():
        return ()
    return (Setting(path=_POLICY, value="performance"),)


def _check_states(scene: Scene) -> Finding:
    folder = _link_folder(scene)
    raw = _link_states(scene)
    if not folder:
        return not_applying("the drive has no PCI Express link of its own")
    if not raw:
        return unknown(f"{folder} has no state: the firmware controls ASPM")
    asleep = [name for name, value in raw.items() if value == "1"]
    if not asleep:
        return good(f"no power saving on its link ({folder}: {', '.join(raw)} are 0)")
    return bad(
        f"{', '.join(asleep)} may be entered ({folder})",
        write_by_hand(0, " ".join(f"{folder}/{name}" for name in asleep)),
    )


def _states_to_set(scene: Scene) -> tuple[Setting, ...]:
    return tuple(
        Setting(path=f"{_link_folder(scene)}/{name}", value="0")
        for name, value in _link_states(scene).items()
        if value == "1"
    )


def _check_link(scene: Scene) -> Finding:
    link = scene.drive.pcie if scene.drive else None
    if link is None:
        return not_applying("the drive has no PCI Express link of its own")
    place = f"/sys/bus/pci/devices/{link.address}/current_link_* and max_link_*"
    pairs = {
        "lanes": (link.width, link.width_max),
        "GT/s": (link.speed_gt_s, link.speed_gt_s_max),
    }
    raw = {
        unit: (now, most)
        for unit, (now, most) in pairs.items()
        if now is not None and most is not None
    }
    if not raw:
        return unknown(f"{place} do not state its maximum")
    read = ", ".join(f"{now:g} of {most:g} {unit}" for unit, (now, most) in raw.items())
    if any(now < most for now, most in raw.values()):
        return bad(
            f"{read} ({place})",
            "Use a slot with all lanes and the speed of the drive, or check whether "
            "cable or BIOS limits the link.",
        )
    if len(raw) < len(pairs):
        return unknown(f"{read}; {place} do not state the rest")
    return good(f"{read} ({place})")


def _link_folder(scene: Scene) -> str:
    link = scene.drive.pcie if scene.drive else None
    return f"/sys/bus/pci/devices/{link.address}/link" if link else ""


def _link_states(scene: Scene) -> dict[str, str]:
    folder = _link_folder(scene)
    if not folder:
        return {}
    raw = {name: scene.text(f"{folder}/{name}") for name in _LINK_STATES}
    return {name: value for name, value in raw.items() if value}


POLICY = Check(
    check_id="pcie_aspm",
    title="PCI Express power saving",
    why="A sleeping link takes microseconds to wake before an IO can pass.",
    source=guide("2.3"),
    look=_check_policy,
    settings=_policy_to_set,
)
STATES = Check(
    check_id="pcie_aspm_link",
    title="Power saving of the drive's link",
    why="Whatever the policy, these states may be entered between two IOs.",
    look=_check_states,
    settings=_states_to_set,
    needs="drive",
)
LINK = Check(
    check_id="pcie_link",
    title="PCI Express link of the drive",
    why="A link narrower or slower than the drive's own limits its data rate.",
    source=guide("3.1"),
    look=_check_link,
    needs="drive",
)
