"""Build the documentation as a site, in build/site.

    python -m tools.build_site [--quick] [FOLDER]

The pages of ``docs`` are rendered by Sphinx, with parts that follow from the code:
commands, public names, messages, gallery, executed notebooks. Warnings are errors.
With ``--quick`` the gallery and the notebooks, which take a minute, are left out.
"""

import contextlib
import gc
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import unquote

from sphinx.cmd.build import main as sphinx_build

from tools.build_gallery import draw_all
from tools.site.commands import render_commands
from tools.site.gallery import (
    Shown,
    render_index,
    render_pages,
    show_all,
    write_figures,
)
from tools.site.messages import render_messages
from tools.site.names import render_name_links, render_names
from tools.site.notebooks import write_notebooks

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
SITE = ROOT / "tools" / "site"
CONTENTS = {
    "Begin": ("how-to/install", "tutorial", "first-drive", "lab"),
    "Use": ("how-to/index", "gallery", "notebooks", "troubleshooting"),
    "Understand": ("methods/index", "pts-coverage", "virtual-ssd", "real-drives"),
    "Evidence": (
        *("coverage-of-intervals", "power-of-comparisons", "hard-cases"),
        *("conformance-trials", "robustness", "hardware-coverage"),
    ),
    "Look up": ("reference/index", "data-dictionary", "decisions/index"),
    "Project": ("architecture", "contributing", "releasing", "security", "changelog"),
}
_OTHERS = {"CONTRIBUTING.md": "", "CHANGELOG.md": "", "SECURITY.md": ""}
_LINK = re.compile(r"(?<=\]\()([^)\s]+)(?=\))")
_HOLE = re.compile(r"<!-- site: (\w+) -->\n.*?<!-- end -->\n", re.DOTALL)
_REFERENCE = re.compile(r'<(a|img|link|script)\b[^>]*?\b(?:href|src)="([^"]+)"')
_LEFT_OUT = "This build of the site was made with `--quick`, without them.\n"


def assemble(
    source: Path, filled: Mapping[str, str], gallery: Mapping[str, str]
) -> None:
    """Write the source of the site: docs, what fills their marks, and the gallery."""
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(DOCS, source)
    for page in sorted(source.rglob("*.md")):
        text = _HOLE.sub(lambda found: filled[found[1]], page.read_text("utf-8"))
        page.write_text(_as_site(text), "utf-8")
        if page.name == "README.md":
            page.rename(page.with_name("index.md"))
    for name in _OTHERS:
        text = (ROOT / name).read_text("utf-8").replace("](docs/", "](")
        (source / name.lower()).write_text(_as_site(text), "utf-8")
    for place, text in render_names().items():
        page = source / "reference" / place
        page.parent.mkdir(exist_ok=True)
        page.write_text(text, "utf-8")
    (source / "gallery").mkdir()
    for group, text in gallery.items():
        (source / "gallery" / f"{group}.md").write_text(text, "utf-8")
    _add_contents(source, gallery)
    shutil.copy(SITE / "conf.py", source)
    static = source / "_static"
    static.mkdir()
    for name in ("site.css", "gallery.js"):
        shutil.copy(SITE / name, static)


def _as_site(text: str) -> str:
    """Return a page with its links as the site has them."""

    def moved(found: re.Match[str]) -> str:
        place = found[1]
        for name in _OTHERS:
            place = re.sub(rf"^(\.\./)*{name}", lambda _, to=name: to.lower(), place)
        return re.sub(r"(^|/)README\.md", r"\1index.md", place)

    return _LINK.sub(moved, text)


def _add_contents(source: Path, gallery: Iterable[str]) -> None:
    trees = [_toctree(pages, caption=title) for title, pages in CONTENTS.items()]
    _append(source / "index.md", "\n".join(trees))
    for folder in ("how-to", "methods", "reference"):
        index = source / folder / "index.md"
        links = re.findall(r"\]\(([\w.-]+)\.md\)", index.read_text("utf-8"))
        others = [name for name in dict.fromkeys(links) if name != "index"]
        _append(index, _toctree(others))
    # More than half of all pages: reached from their index, not from every page.
    for page in sorted((source / "decisions").glob("0*.md")):
        page.write_text(f"---\norphan: true\n---\n\n{page.read_text('utf-8')}", "utf-8")
    names = [place.removesuffix(".md") for place in render_names()]
    _append(source / "reference" / "api.md", _toctree(names))
    figures = [f"gallery/{group}" for group in gallery]
    _append(source / "gallery.md", _toctree(figures))


def _append(page: Path, text: str) -> None:
    page.write_text(f"{page.read_text('utf-8')}\n{text}", "utf-8")


def _toctree(pages: Sequence[str], *, caption: str = "") -> str:
    head = f":caption: {caption}\n" if caption else ""
    return f"```{{toctree}}\n:hidden:\n{head}\n" + "\n".join(pages) + "\n```\n"


def build(target: Path, *, is_quick: bool = False) -> int:
    """Build the site into a folder; return 1 if something is wrong with it."""
    source = target.with_name(f"{target.name}-source")
    extra = target.with_name(f"{target.name}-notebooks")
    shutil.rmtree(extra, ignore_errors=True)
    shown = [] if is_quick else _draw()
    gallery = render_pages(shown)
    filled = {
        "commands": render_commands(),
        "names": render_name_links(),
        "messages": render_messages(),
        "figures": render_index(gallery) if shown else _LEFT_OUT,
        "notebooks": _LEFT_OUT if is_quick else write_notebooks(extra),
    }
    assemble(source, filled, gallery)
    write_figures(shown, source / "_static")
    shutil.rmtree(target, ignore_errors=True)
    arguments = ["-q", "-W", "--keep-going", "-b", "html"]
    arguments += ["-d", str(target.with_name(f"{target.name}-doctrees"))]
    failed = sphinx_build([*arguments, str(source), str(target)])
    if extra.is_dir():
        shutil.move(extra, target / "notebooks")
    wrong = list(find_wrong_references(target))
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return 1 if failed or wrong else 0


def _draw() -> list[Shown]:
    with TemporaryDirectory() as folder:
        drawn = draw_all(Path(folder))
    with contextlib.chdir(ROOT):
        return list(show_all(drawn))


def find_wrong_references(site: Path) -> Iterator[str]:
    """Yield what a page loads from the network, or links to and is not there."""
    for page in sorted(site.rglob("*.html")):
        if page.parent.name == "notebooks":
            continue  # pages of their own, in one file each
        for kind, place in _REFERENCE.findall(page.read_text("utf-8")):
            if _is_wrong(kind, place, page):
                yield f"{page}: {place} is not there, or elsewhere"


def _is_wrong(kind: str, place: str, page: Path) -> bool:
    if re.match(r"\w+:|//", place):
        return kind != "a"  # a link may lead elsewhere; a page loads nothing from there
    path = unquote(place.partition("#")[0].partition("?")[0])
    return bool(path) and not (page.parent / path).is_file()


def main(arguments: Sequence[str]) -> int:
    """Build the site."""
    places = [one for one in arguments if not one.startswith("-")]
    target = Path(places[0] if places else ROOT / "build" / "site").resolve()
    is_quick = "--quick" in arguments
    if is_quick:  # to collect its trees takes a third of the time; they have 1.2 GB
        gc.disable()
    exit_code = build(target, is_quick=is_quick)
    if not exit_code:
        print(target / "index.html")
    return exit_code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
