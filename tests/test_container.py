"""The container file and that of Binder ask for what the set-up asks for.

`python -m tools.check_container` carries the container file out.
"""

import json
import os
import re
import subprocess

import pytest
import yaml  # type: ignore[import-untyped]  # no stubs in the lock

from tests.paths import ROOT
from tools.check_container import Builder, parse

STEPS = list(parse((ROOT / "Containerfile").read_text("utf-8")))
IMAGE = STEPS[max(i for i, (name, _) in enumerate(STEPS) if name == "FROM") :]
SETUP = (ROOT / "tools" / "setup.sh").read_text("utf-8")


def test_check_carries_out_every_instruction() -> None:
    assert all(hasattr(Builder, f"do_{name.lower()}") for name, _ in STEPS)


def test_image_runs_as_an_ordinary_user_on_the_port_that_it_exposes() -> None:
    names = [name for name, _ in IMAGE]
    assert names.index("USER") < names.index("CMD")
    assert dict(IMAGE)["USER"] != "root"
    assert f"--port={dict(IMAGE)['EXPOSE']}" in json.loads(dict(IMAGE)["CMD"])


def test_image_has_no_compiler() -> None:
    installed = " ".join(rest for name, rest in IMAGE if name == "RUN")
    assert "nbdkit" in installed
    assert not re.search(r"\b(gcc|clang|libc6-dev|nbdkit-plugin-dev)\b", installed)


def test_binder_installs_the_packages_of_the_set_up() -> None:
    packages = (ROOT / ".binder" / "apt.txt").read_text("utf-8").split()
    wanted = re.findall(r"^\s+.*echo '[^|']+\|[^|']+\|([^']+)'$", SETUP, re.MULTILINE)
    named = {package for line in wanted for package in line.split()}
    assert {"fio", "nbdkit", "gcc"} <= named
    assert named <= set(packages)


def test_what_binder_runs_is_an_executable_script() -> None:
    script = ROOT / ".binder" / "postBuild"
    assert os.access(script, os.X_OK)
    subprocess.run(["sh", "-n", str(script)], check=True)


@pytest.mark.parametrize(
    "form", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml"))
)
def test_form_has_fields_with_a_label_and_an_id_of_their_own(form: object) -> None:
    loaded = yaml.safe_load((ROOT / str(form)).read_text("utf-8"))
    fields = [one for one in loaded["body"] if one["type"] != "markdown"]
    assert all(one["attributes"]["label"] for one in fields)
    ids = [one["id"] for one in fields]
    assert len(ids) == len(set(ids)) > 4


def test_citation_names_title_version_and_authors() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert {"cff-version", "title", "message", "authors", "version"} <= set(citation)
