"""Text from a device is untrusted, and nothing leaves the page."""

import re
from dataclasses import replace
from html.parser import HTMLParser

from tests.made_run import ENTERPRISE
from tests.rendered import SMALL, Render, words

HOSTILE = (
    "</script><script>alert(1)</script>",
    "\"><img src=x onerror='alert(1)'>",
    "{{ 7 * 7 }} {% raw %}",
    "Grüße ☃ \u2028 <!-- --> &amp;",
)


class Tags(HTMLParser):
    """Collects every tag of a page with its attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def tags_of(page: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = Tags()
    parser.feed(page)
    return parser.tags


def test_text_of_a_device_is_text_wherever_it_stands(render: Render) -> None:
    text = " ".join(HOSTILE)
    recipe = replace(
        SMALL,
        tests=("lat",),
        serial=text,
        model=text,
        label=text,
        message=text,
        status="failed",
        departures=(text,),
        profile=replace(ENTERPRISE, name=text, title=text, spec_version=text),
    )
    page = render(recipe)
    tags = tags_of(page)
    calm = tags_of(render(replace(recipe, model="m", serial="s", label="l")))
    assert [tag for tag, _ in tags].count("script") == 5
    assert [tag for tag, _ in tags].count("img") == 0
    assert [tag for tag, _ in tags] == [tag for tag, _ in calm]
    assert not [name for _, attrs in tags for name in attrs if name.startswith("on")]
    assert re.sub(r"\s+", " ", text) in words(page)


def test_page_loads_nothing(page: str) -> None:
    for tag, attrs in tags_of(page):
        for name in ("src", "href", "action", "data", "poster", "srcset"):
            value = attrs.get(name)
            assert value is None or value.startswith("#"), (tag, name, value)
        assert tag not in {"link", "iframe", "object", "embed", "base", "form"}
    style = "".join(re.findall(r"<style>(.*?)</style>", page, flags=re.DOTALL))
    assert "url(" not in style
    assert "@import" not in style


def test_page_forbids_every_request(page: str) -> None:
    (policy,) = [
        str(attrs["content"])
        for tag, attrs in tags_of(page)
        if tag == "meta" and attrs.get("http-equiv") == "Content-Security-Policy"
    ]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    ours, plotly = rules["script-src"].split()
    assert all(re.fullmatch(r"'sha256-[\w+/]{43}='", one) for one in (ours, plotly))
    assert rules["img-src"] == "data: blob:"
    assert not {"connect-src", "font-src", "frame-src"} & rules.keys()
