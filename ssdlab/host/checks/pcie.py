"""How the drive hangs on PCI Express."""

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


def _look_at_policy(scene: Scene) -> Finding:
    if scene.target_kind and not (scene.drive and scene.drive.pcie):
        return not_applying("the target has no PCI Express link of its own")
    policy = chosen(scene.text(_POLICY))
    if not policy:
        return missing(_POLICY, ": this kernel manages no ASPM")
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


def _look_at_states(scene: Scene) -> Finding:
    folder = _link_folder(scene)
    told = _link_states(scene)
    if not folder:
        return not_applying("the drive has no PCI Express link of its own")
    if not told:
        return unknown(f"{folder} tells no state: the firmware keeps ASPM to itself")
    asleep = [name for name, value in told.items() if value == "1"]
    if not asleep:
        return good(f"no power saving on its link ({folder}: {', '.join(told)} are 0)")
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


def _look_at_link(scene: Scene) -> Finding:
    link = scene.drive.pcie if scene.drive else None
    if link is None:
        return not_applying("the drive has no PCI Express link of its own")
    place = f"/sys/bus/pci/devices/{link.address}/current_link_* and max_link_*"
    pairs = {
        "lanes": (link.width, link.width_max),
        "GT/s": (link.speed_gt_s, link.speed_gt_s_max),
    }
    told = {
        unit: (now, most)
        for unit, (now, most) in pairs.items()
        if now is not None and most is not None
    }
    if not told:
        return unknown(f"{place} do not tell what it can do")
    read = ", ".join(
        f"{now:g} of {most:g} {unit}" for unit, (now, most) in told.items()
    )
    if any(now < most for now, most in told.values()):
        return bad(
            f"{read} ({place})",
            "Put the drive into a slot that has all its lanes and its speed, or look "
            "whether cable and BIOS keep the link down.",
        )
    if len(told) < len(pairs):
        return unknown(f"{read}; {place} do not tell the rest")
    return good(f"{read} ({place})")


def _link_folder(scene: Scene) -> str:
    link = scene.drive.pcie if scene.drive else None
    return f"/sys/bus/pci/devices/{link.address}/link" if link else ""


def _link_states(scene: Scene) -> dict[str, str]:
    folder = _link_folder(scene)
    if not folder:
        return {}
    told = {name: scene.text(f"{folder}/{name}") for name in _LINK_STATES}
    return {name: value for name, value in told.items() if value}


POLICY = Check(
    check_id="pcie_aspm",
    title="PCI Express power saving",
    why="A link that went to sleep takes microseconds to wake before an IO can pass.",
    source=guide("2.3"),
    look=_look_at_policy,
    settings=_policy_to_set,
)
STATES = Check(
    check_id="pcie_aspm_link",
    title="Power saving of the drive's link",
    why="Whatever the policy is, these states may be entered between two IOs.",
    look=_look_at_states,
    settings=_states_to_set,
    needs="drive",
)
LINK = Check(
    check_id="pcie_link",
    title="PCI Express link of the drive",
    why="A link narrower or slower than the drive's own caps its data rate.",
    source=guide("3.1"),
    look=_look_at_link,
    needs="drive",
)
