"""Carry out the steps of the Containerfile without an engine, and open the demo.

    python -m tools.check_container [FOLDER]      default: build/container

Needs root, debootstrap and a network. Each stage becomes a folder that debootstrap
fills; its steps run in it by chroot, as the user that the file names. At the end the
command of the image is started, JupyterLab must answer, and a short run on the virtual
SSD must write its report, without a compiler. What an engine adds (layers, namespaces,
ports) is not checked.
"""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_SUITES = {"debian:12-slim": "bookworm"}
_PATIENCE_S = 120
_CERTIFICATES = "etc/host-certificates.crt"
# Of this host, so that the network is reached as from it.
_HOST_FILES = {
    "etc/resolv.conf": "etc/resolv.conf",
    "etc/pip.conf": "etc/pip.conf",
    "etc/ssl/certs/ca-certificates.crt": _CERTIFICATES,
}
_DEMO = (
    "ssdlab saturate --target virtual:size=32MiB --iterations 5 --minutes 0.01"
    " && ls data/runs/*/report.html && ! command -v gcc"
)


@dataclass(kw_only=True)
class Stage:
    """The root folder of a stage, and what its steps have set."""

    root: Path
    user: str = "root"
    folder: str = "/"
    environment: dict[str, str] = field(default_factory=dict)
    command: Sequence[str] = ()

    def call(self, words: Sequence[str]) -> list[str]:
        """Return the command that runs words in this stage."""
        inside = f"mkdir -p {shlex.quote(self.folder)} && cd {shlex.quote(self.folder)}"
        return [
            *("chroot", f"--userspec={self.ids()}", str(self.root), "/usr/bin/env"),
            *("-i", *(f"{key}={value}" for key, value in self._variables().items())),
            *("/bin/sh", "-c", f'{inside} && exec "$@"', "sh", *words),
        ]

    def run(self, text: str) -> None:
        """Run a line of shell."""
        print(f"[{self.root.name}] {text}", flush=True)
        subprocess.run(self.call(("/bin/sh", "-c", text)), check=True)

    def _variables(self) -> Mapping[str, str]:
        names = [name for name in os.environ if re.match("PIP_|.*_proxy$", name)]
        variables = {name: os.environ[name] for name in names}
        if (self.root / _CERTIFICATES).is_file():
            variables["PIP_CERT"] = f"/{_CERTIFICATES}"
        variables |= {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"}
        return variables | self.environment

    def ids(self) -> str:
        """Return user and group as numbers, as the stage knows them."""
        lines = (self.root / "etc" / "passwd").read_text().splitlines()
        entries = (line.split(":") for line in lines)
        return next(f"{one[2]}:{one[3]}" for one in entries if one[0] == self.user)


def parse(text: str) -> Iterator[tuple[str, str]]:
    r"""Yield the instructions of a Containerfile.

    >>> list(parse("# image\nFROM debian:12-slim\nRUN a && \\\n  b\n"))
    [('FROM', 'debian:12-slim'), ('RUN', 'a && b')]
    """
    joined = re.sub(r"\\\n\s*", "", text)
    for line in joined.splitlines():
        if line.strip() and not line.startswith("#"):
            name, _, rest = line.partition(" ")
            yield name, rest.strip()


@dataclass(kw_only=True)
class Builder:
    """Carries out instructions; ``stage`` is that of the last FROM."""

    folder: Path
    stages: dict[str, Stage] = field(default_factory=dict)
    stage: Stage

    def do_from(self, rest: str) -> None:
        """Begin a stage with a base system."""
        image, _, alias = rest.partition(" AS ")
        self.stage = Stage(root=self.folder / (alias or "image"))
        self.stages[alias] = self.stage
        _fill(self.stage.root, _SUITES[image])

    def do_run(self, rest: str) -> None:
        """Run a line of shell."""
        self.stage.run(rest)

    def do_copy(self, rest: str) -> None:
        """Copy from the context or from another stage."""
        words = rest.split()
        *froms, place = [word for word in words if not word.startswith("--")]
        target = self.stage.root / place.lstrip("/")
        target.mkdir(parents=True, exist_ok=True)
        if words[0].startswith("--from="):
            source = self.stages[words[0].removeprefix("--from=")].root
            for one in froms:
                path = f"{source}/{one.lstrip('/')}"
                path += "/." if Path(path).is_dir() else ""
                subprocess.run(["cp", "-a", path, str(target)], check=True)
        else:
            _copy_checkout(target)

    def do_env(self, rest: str) -> None:
        """Set a variable of later steps and of the command."""
        key, _, value = rest.partition("=")
        self.stage.environment[key] = value

    def do_user(self, rest: str) -> None:
        """Set the user of later steps and of the command."""
        self.stage.user = rest

    def do_workdir(self, rest: str) -> None:
        """Make a folder of the user, and go there."""
        self.stage.folder = rest
        made = self.stage.root / rest.lstrip("/")
        made.mkdir(parents=True, exist_ok=True)
        user, group = map(int, self.stage.ids().split(":"))
        os.chown(made, user, group)

    def do_cmd(self, rest: str) -> None:
        """Keep the command of the image."""
        self.stage.command = json.loads(rest)

    def do_expose(self, rest: str) -> None:
        """Do nothing: a port is documentation until an engine maps it."""


def build(text: str, folder: Path) -> Stage:
    """Carry out every instruction; return the last stage."""
    builder = Builder(folder=folder, stage=Stage(root=folder))
    for name, rest in parse(text):
        getattr(builder, f"do_{name.lower()}")(rest)
    return builder.stage


def _fill(root: Path, suite: str) -> None:
    """Fill a folder with the base system; a second stage copies the first one's."""
    base = root.parent / f"base-{suite}"
    if not base.is_dir():
        command = ["debootstrap", "--variant=minbase", suite, f"{base}.part"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        Path(f"{base}.part").rename(base)
    _remove(root)
    subprocess.run(["cp", "-a", str(base), str(root)], check=True)
    mount = ["mount", "-t", "proc", "proc", str(root / "proc")]
    subprocess.run(mount, check=True)
    for name, place in _HOST_FILES.items():
        if Path("/", name).is_file():
            shutil.copy(Path("/", name), root / place)


def _remove(root: Path) -> None:
    if not root.is_dir():
        return
    if os.path.ismount(root / "proc"):
        subprocess.run(["umount", str(root / "proc")], check=True)
    shutil.rmtree(root)


def _copy_checkout(target: Path) -> None:
    """Copy the context of the build: the files that git knows, and new ones."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(listing, cwd=ROOT, capture_output=True, check=True)
    subprocess.run(
        ["xargs", "-0", "cp", "-a", "--parents", "-t", str(target), "--"],
        cwd=ROOT,
        input=listed.stdout,
        check=True,
    )


def check(stage: Stage) -> None:
    """Measure with the image, and open JupyterLab.

    Raises
    ------
    SystemExit
        If JupyterLab does not answer.
    """
    stage.run(_DEMO)
    place = re.search(r"--port=(\d+)", " ".join(stage.command))
    port = place[1] if place else "8888"
    loopback = [word.replace("0.0.0.0", "127.0.0.1") for word in stage.command]
    server = subprocess.Popen(stage.call(loopback), start_new_session=True)
    try:
        print(f"JupyterLab answers: {_wait_for(f'http://127.0.0.1:{port}/api')}")
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait()


def _wait_for(address: str) -> str:
    deadline = time.monotonic() + _PATIENCE_S
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(address) as answer:
                return str(answer.read().decode())
        except OSError:
            time.sleep(1)
    sys.exit(f"{address} did not answer")


def main(arguments: Sequence[str]) -> int:
    """Build every stage, check the last one, and remove them."""
    folder = Path(arguments[0] if arguments else ROOT / "build" / "container")
    folder = folder.resolve()
    if os.geteuid() or shutil.which("debootstrap") is None:
        print("needs root, and debootstrap from the distribution", file=sys.stderr)
        return 2
    folder.mkdir(parents=True, exist_ok=True)
    try:
        check(build((ROOT / "Containerfile").read_text("utf-8"), folder))
    finally:
        for root in folder.iterdir():
            if not root.name.startswith("base-"):
                _remove(root)
    print("the steps of the Containerfile work")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
