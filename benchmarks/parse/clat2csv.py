"""Run fio's ``fio_jsonplus_clat2csv`` on many documents in one process.

``python clat2csv.py TOOL FOLDER TARGET``: a separate script, so that any Python that
has ``six``, which the tool imports, can run it.
"""

import contextlib
import io
import runpy
import sys
from pathlib import Path


def main() -> None:
    tool, folder, target = sys.argv[1:]
    convert = runpy.run_path(tool, run_name="clat2csv")["main"]
    with contextlib.redirect_stdout(io.StringIO()):
        for path in sorted(Path(folder).glob("*.json")):
            sys.argv = [tool, str(path), f"{target}/{path.stem}.csv"]
            convert()


if __name__ == "__main__":
    main()
