"""The network, for a drive that is reached by one."""

from pathlib import Path

import pytest

from ssdlab.host.programs import Said
from tests.host.made_host import Case, require_found

NET = "sys/class/net"
SMALL: dict[str, str | None] = {f"{NET}/eth0/mtu": "1500"}
BESIDE: dict[str, str | None] = {
    f"{NET}/eth1/mtu": "1500",
    f"{NET}/eth1/operstate": "up",
    f"{NET}/eth1/device/vendor": "0x8086",
}

BRIDGE: dict[str, str | None] = {
    f"{NET}/docker0/mtu": "1500",
    f"{NET}/docker0/operstate": "up",
    f"{NET}/docker0/bridge/bridge_id": "8000",
}
ROUTE = Said(exit_code=0, text="192.0.2.9 dev eth0 src 192.0.2.1 uid 0 \\    cache ")


def by_tcp(address: str, controller: str = "nvme0") -> dict[str, str | None]:
    return {
        f"sys/class/nvme/{controller}/transport": "tcp",
        f"sys/class/nvme/{controller}/address": address,
    }


CASES = (
    Case(
        check="mtu",
        verdict="good",
        says="eth0 9216 (/sys/class/net/*/mtu); the switch",
        files=BRIDGE,
        is_network=True,
    ),
    Case(
        check="mtu",
        verdict="good",
        says="eth0 9216 (/sys/class/net/*/mtu), through which the drive is reached",
        files={**BESIDE, **by_tcp("traddr=192.0.2.9,trsvcid=4420")},
        answers={"ip -o route get 192.0.2.9": ROUTE},
    ),
    Case(
        check="mtu",
        verdict="bad",
        says="eth1 1500 (/sys/class/net/*/mtu), through which the drive is reached",
        files={**BESIDE, **by_tcp("traddr=192.0.2.9,trsvcid=4420,host_iface=eth1")},
    ),
    Case(
        check="mtu",
        verdict="warn",
        says="not all are large",
        files={**BESIDE, **by_tcp("traddr=192.0.2.9")},
        answers={"ip -o route get 192.0.2.9": None},
    ),
    Case(
        check="mtu",
        verdict="warn",
        says="not all are large",
        files={**BESIDE, **by_tcp("traddr=--help")},
    ),
    Case(
        check="mtu",
        verdict="good",
        says="eth0 9216 (/sys/class/net/*/mtu), through which the drive is reached",
        files={
            **BESIDE,
            **by_tcp("traddr=192.0.2.9", "nvme4"),
            "sys/class/nvme-subsystem/nvme-subsys4/nvme4/state": "live",
        },
        drive={"controller": "nvme-subsys4"},
        answers={"ip -o route get 192.0.2.9": ROUTE},
    ),
    Case(check="mtu", verdict="good", says="eth0 9216", is_network=True),
    Case(check="mtu", verdict="bad", says="eth0 1500", files=SMALL, is_network=True),
    Case(
        check="mtu",
        verdict="warn",
        says="eth0 9216, eth1 1500 (/sys/class/net/*/mtu): not all are large",
        files=BESIDE,
        is_network=True,
    ),
    Case(
        check="mtu",
        verdict="good",
        says="eth0 9216",
        files={**BESIDE, f"{NET}/eth1/operstate": "down"},
        is_network=True,
    ),
    Case(
        check="mtu",
        verdict="unknown",
        says="no interface",
        files={f"{NET}/eth0/operstate": "down"},
        is_network=True,
    ),
    Case(
        check="mtu",
        verdict="unknown",
        says="does not apply: the target is not reached by a network",
        files=SMALL,
    ),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_network_is_judged_by_what_is_read(case: Case, host: Path) -> None:
    require_found(host, case)


@pytest.mark.parametrize(
    ("transport", "verdict"),
    [("tcp", "bad"), ("rdma", "bad"), ("fc", "unknown"), ("pcie", "unknown")],
)
def test_nvme_over_fabrics_is_seen_to_be_a_network(
    transport: str, verdict: str, tmp_path: Path
) -> None:
    files = {**SMALL, "sys/class/nvme/nvme0/transport": transport}
    case = Case(check="mtu", verdict=verdict, says="", files=files)
    require_found(tmp_path, case)
