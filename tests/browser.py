"""A page in a headless browser: what is in it after its scripts ran."""

import re
import shutil
import subprocess
from dataclasses import dataclass
from html import unescape
from pathlib import Path

import pytest

_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# Chatter of the browser itself, on pages without a graphics card.
_CHATTER = re.compile(r"GPU stall|GL Driver Message|willReadFrequently|software WebGL")


@dataclass(frozen=True)
class Visit:
    """The page as it stood when its scripts had run, and what the console said."""

    dom: str
    console: tuple[str, ...]

    def value(self, name: str) -> str:
        """Return an attribute of the root element."""
        root = re.search(r"<html[^>]*>", self.dom)
        found = root and re.search(rf'{name}="([^"]*)"', root[0])
        return unescape(found[1]) if found else ""


def find_browser() -> str:
    """Return the browser, or skip the test with a plain reason."""
    found = next((path for name in _BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("no Chromium on this machine")
    return found


def is_chatter(line: str) -> bool:
    """Return whether the browser talks of itself and not of the page."""
    return _CHATTER.search(line) is not None


def visit(page: Path, *, profile: Path, flags: tuple[str, ...] = ()) -> Visit:
    """Open a page from disk and let its scripts run."""
    done = subprocess.run(
        [
            find_browser(),
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--enable-unsafe-swiftshader",
            "--virtual-time-budget=300000",
            "--window-size=1280,900",
            "--enable-logging=stderr",
            f"--user-data-dir={profile}",
            *flags,
            "--dump-dom",
            page.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=180,
        check=True,
    )
    lines = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    said = tuple(line for line in lines if not is_chatter(line))
    return Visit(dom=done.stdout, console=said)


def print_pdf(page: Path, pdf: Path, *, profile: Path) -> bytes:
    """Print a page and return the PDF."""
    subprocess.run(
        [
            find_browser(),
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--virtual-time-budget=300000",
            f"--user-data-dir={profile}",
            "--no-pdf-header-footer",
            f"--print-to-pdf={pdf}",
            page.as_uri(),
        ],
        capture_output=True,
        timeout=180,
        check=True,
    )
    return pdf.read_bytes()
