"""The site is built without a warning, and has what follows from the code."""

import subprocess
import sys
from pathlib import Path

import click
import pytest

from ssdlab.cli import main
from ssdlab.model import errors
from ssdlab.model.errors import SsdlabError
from ssdlab.model.finding import FINDING_KINDS
from tests.paths import ROOT
from tools import build_site
from tools.site.messages import render_messages, template
from tools.site.names import public_names


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("docs") / "site"
    command = [sys.executable, "-m", "tools.build_site", "--quick", str(target)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return target


def test_every_command_is_on_the_page_of_the_command_line(site: Path) -> None:
    page = (site / "reference" / "cli.html").read_text("utf-8")
    for name, command in main.commands.items():
        assert f'id="ssdlab-{name}"' in page
        inner = command.commands if isinstance(command, click.Group) else {}
        assert all(f'id="ssdlab-{name}-{one}"' in page for one in inner)


@pytest.mark.parametrize("module", ["ssdlab", "ssdlab.analysis", "ssdlab.figures"])
def test_every_public_name_is_on_its_page(site: Path, module: str) -> None:
    page = (site / "reference" / "api" / f"{module}.html").read_text("utf-8")
    missing = [
        name
        for name in public_names(module)
        if f'id="{module}.{name}"' not in page and name not in {"analysis", "figures"}
    ]
    assert missing == []


def test_front_page_leads_to_every_part(site: Path) -> None:
    page = (site / "index.html").read_text("utf-8")
    for pages in build_site.CONTENTS.values():
        assert all(f'href="{name}.html"' in page for name in pages)


@pytest.mark.parametrize(
    "text",
    [
        '<script src="https://example.org/a.js"></script>',
        '<link rel="stylesheet" href="//example.org/a.css">',
        '<a href="not-there.html">x</a>',
        '<img src="not-there.png">',
    ],
)
def test_reference_that_leads_nowhere_or_to_the_network_is_found(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / "page.html").write_text(text)
    assert len(list(build_site.find_wrong_references(tmp_path))) == 1


def test_link_to_another_site_and_to_a_page_that_is_there_are_right(
    tmp_path: Path,
) -> None:
    text = '<a href="https://example.org/">x</a><a href="page.html#part">y</a>'
    (tmp_path / "page.html").write_text(text)
    assert list(build_site.find_wrong_references(tmp_path)) == []


def test_every_error_and_finding_is_in_the_messages() -> None:
    text = render_messages()
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    names = {kind.__name__ for kind in kinds if issubclass(kind, SsdlabError)}
    for name in names - {"SsdlabError", "UserError", "StepError"}:
        assert f"#### {name}\n" in text
    for code in FINDING_KINDS:
        assert f"| `{code}` |" in text


def test_template_is_the_message_with_its_variables() -> None:
    said = template(errors.ConsentError)
    assert said == "<target>: <reason>. <remedy>"
    error = errors.MissingToolError(tool="A", needed_for="B", remedy="C")
    filled = template(errors.MissingToolError)
    for name in ("tool", "needed_for", "remedy"):
        filled = filled.replace(f"<{name}>", getattr(error, name))
    assert filled == str(error)
