"""The environment is written down three times; these tests keep the three equal."""

import re
import tomllib
from importlib.metadata import distributions
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]  # no stubs in the lock
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from tests.paths import ROOT

PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
ENVIRONMENT: dict[str, Any] = yaml.safe_load(
    (ROOT / "environment.yml").read_text("utf-8")
)
LOCK_TEXT = (ROOT / "requirements.lock").read_text("utf-8")
# An entry is one line that begins with a name, and its continuations.
LOCK_ENTRIES = re.findall(r"^\S.*?(?<!\\)$", LOCK_TEXT, re.MULTILINE | re.DOTALL)


# Peers to time and a fuzzer: those who want them install them, whatever is newest.
LOCKED_EXTRAS = (
    "export",
    "ocp",
    "postgresql",
    "fleet",
    "lab",
    "dashboard",
    "dev",
    "docs",
)


def wanted_requirements() -> list[Requirement]:
    project = PYPROJECT["project"]
    extras = project["optional-dependencies"]
    locked = [text for name in LOCKED_EXTRAS for text in extras[name]]
    texts = [*project["dependencies"], *locked]
    return [Requirement(text) for text in texts + PYPROJECT["build-system"]["requires"]]


def locked_versions() -> dict[str, str]:
    pins = (entry.split()[0] for entry in LOCK_ENTRIES if not entry.startswith("#"))
    return {
        canonicalize_name(name): version
        for name, version in (pin.split("==") for pin in pins)
    }


def conda_specs() -> dict[str, Requirement]:
    texts = [text for text in ENVIRONMENT["dependencies"] if isinstance(text, str)]
    texts += [text for text in from_pip() if text != "-e ."]
    return {canonicalize_name(spec.name): spec for spec in map(Requirement, texts)}


def from_pip() -> list[str]:
    """Return what pip adds to the conda environment."""
    parts = [part for part in ENVIRONMENT["dependencies"] if isinstance(part, dict)]
    return [text for part in parts for text in part["pip"]]


WANTED = wanted_requirements()
by_name = pytest.mark.parametrize("wanted", WANTED, ids=lambda wanted: wanted.name)


@by_name
def test_lock_satisfies_every_bound_of_pyproject(wanted: Requirement) -> None:
    version = locked_versions()[canonicalize_name(wanted.name)]
    assert wanted.specifier.contains(version), version


@by_name
def test_conda_environment_has_the_locked_version(wanted: Requirement) -> None:
    name = canonicalize_name(wanted.name)
    assert str(conda_specs()[name].specifier) == f"=={locked_versions()[name]}"


def test_lock_asks_for_no_later_python_than_pyproject() -> None:
    """Debian 12 has 3.11.2, and what asks for 3.11.5 cannot be installed there."""
    floor = PYPROJECT["project"]["requires-python"].removeprefix(">=")
    later = [
        f"{one.name} {one.version}"
        for one in distributions()
        if canonicalize_name(one.name) in locked_versions()
        and f"{floor}.0"
        not in SpecifierSet("".join(one.metadata.get_all("Requires-Python") or ()))
    ]
    assert later == []


def test_conda_environment_has_nothing_that_pyproject_does_not_ask_for() -> None:
    wanted = {canonicalize_name(requirement.name) for requirement in WANTED}
    assert set(conda_specs()) - wanted == {"python", "pip", "fio"}


def test_conda_environment_asks_for_the_python_of_pyproject() -> None:
    wanted = PYPROJECT["project"]["requires-python"]
    assert str(conda_specs()["python"].specifier) == wanted


def test_conda_environment_takes_conda_forge_alone_and_installs_the_package() -> None:
    assert ENVIRONMENT["channels"] == ["conda-forge"]
    assert from_pip()[-1] == "-e ."


@by_name
def test_pyproject_sets_a_lower_bound_and_no_upper_one(wanted: Requirement) -> None:
    assert {specifier.operator for specifier in wanted.specifier} == {">="}


def test_lock_has_hashes_for_every_entry() -> None:
    entries = [entry for entry in LOCK_ENTRIES if not entry.startswith("#")]
    assert len(entries) >= len(WANTED)
    bare = [e for e in entries if not re.search(r"--hash=sha256:[0-9a-f]{64}\b", e)]
    assert bare == []


@pytest.mark.parametrize(
    "name", ["requirements.lock", "environment.yml", "tools/lock.in"]
)
def test_installation_files_name_no_host_and_no_folder(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    assert not re.findall(r"\S*://\S*|--[a-z-]*(?:index|host|find-links)\S*", text)
    assert not re.findall(r"(?:^|[\s=\"'@])/\w\S*", text)
