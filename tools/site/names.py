"""The reference of the public names, as directives of autodoc."""

import importlib
import inspect
import re
from pathlib import Path

import ssdlab

_MODULES = {
    "ssdlab": "What notebooks use",
    "ssdlab.analysis": "Numbers",
    "ssdlab.figures": "Figures",
    "ssdlab.testing": "Runs without a drive",
}
_ROOT = Path(ssdlab.__file__).parent


def render_names() -> dict[str, str]:
    """Return the pages of the names, by their path below ``reference``."""
    pages = {}
    for module, title in _MODULES.items():
        directives = [_directive(module, name) for name in public_names(module)]
        body = "\n".join(filter(None, directives))
        head = f"# {title}: `{module}`\n\n"
        pages[f"api/{module}.md"] = f"{head}```{{eval-rst}}\n{body}\n```\n"
    return pages


def public_names(module: str) -> list[str]:
    """Return the names of a module's stub, sorted."""
    place = _ROOT.joinpath(*module.split(".")[1:])
    stub = place / "__init__.pyi" if place.is_dir() else place.with_suffix(".pyi")
    return sorted(set(re.findall(r" as (\w+)$", stub.read_text("utf-8"), re.MULTILINE)))


def render_name_links() -> str:
    """Return the list of the pages of names."""
    lines = (
        f"- [`{name}`](api/{name}.md): {title[0].lower()}{title[1:]}\n"
        for name, title in _MODULES.items()
    )
    return "".join(lines)


def _directive(module: str, name: str) -> str:
    found = getattr(importlib.import_module(module), name)
    if inspect.isclass(found):
        members = "   :members:\n   :inherited-members: object, Exception\n"
        return f".. autoclass:: {module}.{name}\n{members}"
    if callable(found):
        return f".. autofunction:: {module}.{name}\n"
    return ""
