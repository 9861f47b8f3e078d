"""Input that atheris grows towards code that none has reached.

``python -m fuzz.guided TARGET FOLDER SECONDS``; a fault is kept, and it goes on.
"""

import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["ssdlab.fio", "ssdlab.analysis"]):
    from fuzz.targets import TARGETS

from fuzz.findings import Findings
from fuzz.guard import ViolationError, run_guarded
from fuzz.seeds import dictionary, find_seeds, write_seeds

_MAX_BYTES = 64 << 10
_TIMEOUT_S = 120
_RSS_MIB = 4096


def main() -> None:
    target, folder, seconds = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
    chosen = TARGETS[target]
    findings = Findings(target=target, folder=folder / "crashes")
    seeds = find_seeds(chosen.patterns, chosen.texts)
    write_seeds(folder / "seeds" / target, seeds)
    corpus = folder / "corpus" / target
    corpus.mkdir(parents=True, exist_ok=True)
    words = folder / f"{target}.dict"
    lines = [f'"{_escaped(word)}"\n' for word in (b"0x0001", *dictionary(seeds))]
    words.write_text("".join(lines))

    def test_one(data: bytes) -> None:
        try:
            run_guarded(chosen.parse, data)
        except ViolationError as violation:
            findings.keep(violation, data)

    (folder / "crashes").mkdir(exist_ok=True)
    arguments = [
        sys.argv[0],
        str(corpus),
        str(folder / "seeds" / target),
        f"-max_total_time={float(seconds):.0f}",
        f"-max_len={_MAX_BYTES}",
        f"-timeout={_TIMEOUT_S}",
        f"-rss_limit_mb={_RSS_MIB}",
        f"-artifact_prefix={folder / 'crashes' / target}-guided-",
        f"-dict={words}",
        "-print_final_stats=1",
        "-verbosity=0",
    ]
    atheris.Setup(arguments, test_one)
    atheris.Fuzz()


def _escaped(word: bytes) -> str:
    return "".join(
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\x{byte:02x}"
        for byte in word
    )


if __name__ == "__main__":
    main()
