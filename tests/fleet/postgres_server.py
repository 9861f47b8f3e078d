"""A PostgreSQL of its own, reached by a socket in its folder."""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

OWNER = "postgres"  # as PostgreSQL does not run as root
_DEBIAN = "usr/lib/postgresql/*/bin"


def find(program: str) -> str | None:
    """Return a program of PostgreSQL; Debian has them beside the PATH."""
    folders = [str(path) for path in sorted(Path("/").glob(_DEBIAN), reverse=True)]
    path = os.pathsep.join((*folders, os.environ.get("PATH", "")))
    return shutil.which(program, path=path)


@contextmanager
def database() -> Iterator[str]:
    """Serve an empty database; yield its address."""
    initdb, server = find("initdb"), find("postgres")
    if initdb is None or server is None:
        pytest.skip("PostgreSQL is not installed here")
    owner = OWNER if os.getuid() == 0 else None
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        place = Path(folder)
        if owner:
            shutil.chown(place, owner)
        trusted = ("--auth=trust", "--encoding=UTF8", "--no-sync", "-U", "ssd")
        subprocess.run(
            [initdb, *trusted, "-D", place / "data"],
            user=owner,
            cwd="/",
            check=True,
            capture_output=True,
        )
        words = ("-k", folder, "-c", "listen_addresses=", "-c", "fsync=off")
        with subprocess.Popen(
            [server, "-D", place / "data", *words],
            user=owner,
            cwd="/",
            stderr=subprocess.DEVNULL,
        ) as process:
            try:
                address = f"postgresql://ssd@/postgres?host={folder}"
                _await(address)
                yield address
            finally:
                process.terminate()


def _await(address: str) -> None:
    ready = find("pg_isready")
    assert ready is not None
    for _ in range(100):
        words = [ready, "--dbname", address, "--quiet", "--timeout", "1"]
        if subprocess.run(words, check=False).returncode == 0:
            return
        time.sleep(0.1)
    pytest.fail("PostgreSQL does not answer")
