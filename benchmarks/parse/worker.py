"""Run one reader once or more, and report the time of each pass.


``python -m benchmarks.parse.worker MODULE:FUNCTION FOLDER``; what the reader imports
is imported before the clock starts.
"""

import argparse
import gc
import importlib
import json
import time
from pathlib import Path

import numpy as np


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("reader")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--import", action="append", default=[], dest="imports")
    parser.add_argument("--passes", type=int, default=1)
    parser.add_argument("--answer", type=Path)
    given = parser.parse_args()
    for name in given.imports:
        importlib.import_module(name)
    module, _, function = given.reader.partition(":")
    read = getattr(importlib.import_module(f"benchmarks.parse.{module}"), function)
    passes_s = []
    for _ in range(given.passes):
        start = time.perf_counter()
        answer = read(given.folder)
        passes_s.append(time.perf_counter() - start)
        gc.collect()
    if given.answer:
        np.savez(given.answer, **answer)
    print(json.dumps({"passes_s": passes_s}))


if __name__ == "__main__":
    main()
