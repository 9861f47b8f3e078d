"""A process that adds runs to a store: ``writer.py STORE ROWS``.

ROWS is a file of pickled rows. A line is printed when it begins, and one for each run
that is in the store.
"""

import pickle
import sys
from pathlib import Path

from ssdlab.fleet.delta import add_rows
from ssdlab.fleet.place import place_of


def main() -> None:
    """Add the runs."""
    url, made = sys.argv[1:]
    runs = pickle.loads(Path(made).read_bytes())
    print("ready", flush=True)
    for rows in runs:
        add_rows(place_of(url), rows)
        print(rows.run_id, flush=True)


if __name__ == "__main__":
    main()
