"""Input built by hypothesis in steps: a seed, and what damage does to files.

``python -m fuzz.mutations TARGET FOLDER SECONDS``; a fault is kept, and it goes on.
"""

import gzip
import json
import sys
import time
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    rule,
    run_state_machine_as_test,
)

from fuzz.findings import Findings
from fuzz.guard import ViolationError, run_guarded
from fuzz.seeds import find_seeds
from fuzz.targets import TARGETS

_MAX_BYTES = 1 << 19
_PARTS = 1 << 16  # places are drawn as shares of the length
_STEPS = 8
_RUNS_AT_ONCE = 50

_TOKENS = (
    b"", b"0", b"-1", b"-0", b"1", b"NaN", b"nan", b"inf", b"-Infinity", b"1e999",
    b"1e308", b"0.1", b"9223372036854775807", b"9223372036854775808", b"1" * 400,
    b"18446744073709551615", b"-9223372036854775809", b"4294967295", b"null", b"true",
    b"{", b"}", b"[", b"]", b'"', b",", b", ", b":", b";", b"\n", b"\r\n", b"\0",
    b"\\", b"\\u0000", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"=", b"%",
    b"[" * 2000, b'{"a":' * 2000, b"0x0001", b"{}", b"[]", b'""', b"[0]", b"  ",
)  # fmt: skip

_share = st.integers(0, _PARTS)


class Damage(RuleBasedStateMachine):
    """The bytes of one file, damaged step by step, and read at the end."""

    seeds: tuple[bytes, ...] = ()
    target = ""
    findings: Findings
    count = 0
    current = Path()

    def __init__(self) -> None:
        super().__init__()
        self.data = b""

    @initialize(number=st.integers(0, _PARTS))
    def start(self, number: int) -> None:
        self.data = self.seeds[number % len(self.seeds)]

    def _place(self, share: int) -> int:
        return share * len(self.data) // _PARTS

    def _span(self, one: int, other: int) -> tuple[int, int]:
        first, last = sorted((self._place(one), self._place(other)))
        return first, last

    def _near(self, one: int, size: int) -> tuple[int, int]:
        first = self._place(one)
        return first, min(len(self.data), first + size)

    @rule(one=_share, value=st.integers(0, 255))
    def change_byte(self, one: int, value: int) -> None:
        first, last = self._near(one, 1)
        self.data = self.data[:first] + bytes([value]) + self.data[last:]

    @rule(one=_share, token=st.sampled_from(_TOKENS), size=st.integers(0, 12))
    def put(self, one: int, token: bytes, size: int) -> None:
        first, last = self._near(one, size)
        self.data = self.data[:first] + token + self.data[last:]

    @rule(one=_share, token=st.sampled_from(_TOKENS))
    def replace_number(self, one: int, token: bytes) -> None:
        """Put a token in the place of the next whole number."""
        first = self._place(one)
        while first < len(self.data) and not self.data[first : first + 1].isdigit():
            first += 1
        last = first
        while last < len(self.data) and self.data[last : last + 1].isdigit():
            last += 1
        self.data = self.data[:first] + token + self.data[last:]

    @rule(one=_share, number=_share)
    def replace_line(self, one: int, number: int) -> None:
        """Put another line of the file in the place of one."""
        lines = self.data.split(b"\n")
        lines[one * (len(lines) - 1) // _PARTS] = lines[
            number * (len(lines) - 1) // _PARTS
        ]
        self.data = b"\n".join(lines)

    @rule(one=_share, size=st.integers(1, 4000))
    def leave_out(self, one: int, size: int) -> None:
        first, last = self._near(one, size)
        self.data = self.data[:first] + self.data[last:]

    @rule(one=_share)
    def cut(self, one: int) -> None:
        self.data = self.data[: self._place(one)]

    @rule(
        one=_share, size=st.integers(1, 4000), times=st.sampled_from((2, 9, 99, 9999))
    )
    def repeat(self, one: int, size: int, times: int) -> None:
        first, last = self._near(one, size)
        part = self.data[first:last]
        room = max(0, _MAX_BYTES - len(self.data))
        more = min(times, room // max(1, len(part)))
        self.data = self.data[:first] + part * more + self.data[first:]

    @rule(number=_share, one=_share, first=_share, last=_share)
    def splice(self, number: int, one: int, first: int, last: int) -> None:
        """Put a part of another file somewhere."""
        other = self.seeds[number % len(self.seeds)]
        start, end = sorted(share * len(other) // _PARTS for share in (first, last))
        place = self._place(one)
        self.data = self.data[:place] + other[start:end] + self.data[place:]

    @rule(encoding=st.sampled_from(("utf-16", "utf-8-sig", "utf-32", "latin-1")))
    def encode(self, encoding: str) -> None:
        text = self.data[: _MAX_BYTES // 4].decode(errors="ignore")
        self.data = text.encode(encoding, errors="replace")

    @rule()
    def compress(self) -> None:
        self.data = gzip.compress(self.data, 1)

    def teardown(self) -> None:
        cls = type(self)
        cls.count += 1
        data = self.data[: 2 * _MAX_BYTES]
        cls.current.write_bytes(data)
        try:
            run_guarded(TARGETS[cls.target].parse, data)
        except ViolationError as violation:
            cls.findings.keep(violation, data)


def main() -> None:
    target, folder, seconds = sys.argv[1], Path(sys.argv[2]), float(sys.argv[3])
    Damage.target = target
    chosen = TARGETS[target]
    Damage.seeds = tuple(find_seeds(chosen.patterns, chosen.texts))
    Damage.findings = Findings(target=target, folder=folder / "crashes")
    Damage.current = folder / f"current-{target}-{Path(sys.argv[0]).stem}"
    steps = settings(
        max_examples=_RUNS_AT_ONCE,
        stateful_step_count=_STEPS,
        deadline=None,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    end_s = time.monotonic() + seconds
    while time.monotonic() < end_s:
        run_state_machine_as_test(Damage, settings=steps)
    Damage.current.unlink(missing_ok=True)
    print(json.dumps({"runs": Damage.count, "faults": Damage.findings.sizes}))


if __name__ == "__main__":
    main()
