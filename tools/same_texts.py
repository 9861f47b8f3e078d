"""The outputs of ssdlab for known runs, as texts to compare.

A text is reproducible, on any machine: it has no paths, not today's date, and numbers
with ten digits.
"""

import base64
import gzip
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import chdir
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
import numpy as np
from click.testing import CliRunner

import ssdlab
from ssdlab.cli import main as command_line
from ssdlab.model.schema import TABLES
from ssdlab.notebook import execute_notebook, find_notebook
from ssdlab.pts import PROFILES
from ssdlab.report import render_report
from tests.executed import COMPANIONS, Companion
from tests.made_demand import make_demand
from tests.made_ideal import ingested, measure_ideal
from tests.made_procedure import HOSTS, make_saturated, make_sequence
from tests.made_recovery import make_recovery
from tests.made_run import Recipe, make_run

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = Path("data") / "samples"
Texts = dict[str, str]

_DIGITS = 10
_SCRIPT = re.compile(r"(<(script|style)[^>]*>).*?(</\2>)", re.DOTALL)
# Of an object in memory, a styled frame and a widget.
_IDENTITY = re.compile(
    r"0x[0-9a-f]{12}|(?<=T_)[0-9a-f]{5}|[0-9a-f]{32}|(?<=it would end ).*"
)
_PATH_JOINT = re.compile(r"(?<=\w[/_.])(?=\w)")
_PACKED = re.compile(r'<script type="text/plain" id="packed-(\w+)">([^<]*)</script>')


def make_part(name: str) -> Texts:
    """Return the texts of a part; its temporary files are removed."""
    os.environ["COLUMNS"] = "100"
    with TemporaryDirectory() as folder, chdir(ROOT):
        texts = PARTS[name](Path(folder))
        return {
            f"{name}/{key}": _without_places(text, folder)
            for key, text in texts.items()
        }


def _without_places(text: str, folder: str) -> str:
    """Return a text without paths, today's date and object identities.

    In a table a long path may be broken, so that it fits.
    """
    today = datetime.now(tz=UTC).date().isoformat()
    for place, word in ((folder, "TMP"), (str(ROOT), "ROOT"), (today, "TODAY")):
        broken = _PATH_JOINT.sub("<wbr>", place)
        text = text.replace(place, word).replace(broken, word)
    return _IDENTITY.sub("ID", text)


# --- Runs: their tables, their report and its figures --------------------------------


def texts_of_run(run: ssdlab.Run) -> Texts:
    """Return the tables of a run, its report without scripts, and each figure."""
    tables = {f"tables/{name}": table_text(getattr(run, name)) for name in TABLES}
    return tables | page_texts(render_report(run))


def table_text(frame: Any) -> str:
    """Return a frame as text: the types of its columns, then its rows."""
    if frame is None:
        return "no such table\n"
    types = " ".join(f"{name}:{kind}" for name, kind in frame.dtypes.items())
    return f"{types}\n{frame.to_csv(index=False, float_format=f'%.{_DIGITS}g')}"


def page_texts(page: str) -> Texts:
    """Return a page without scripts and styles, and each figure that it holds."""
    packed = dict(_PACKED.findall(page))
    figures = json.loads(gzip.decompress(base64.b64decode(packed["figures"])))
    jobs = json.loads(gzip.decompress(base64.b64decode(packed["jobs"])))
    texts = {
        "page.html": _SCRIPT.sub(r"\1\3", page).replace("><", ">\n<"),
        "jobs": json_text(jobs),
    }
    return texts | {
        f"figures/{number:03d}": json_text(figure)
        for number, figure in enumerate(figures)
    }


def json_text(value: Any) -> str:
    """Return JSON whose numbers are rounded and whose packed arrays are unpacked."""
    return json.dumps(_rounded(value), indent=0, sort_keys=True, ensure_ascii=False)


def _rounded(value: Any) -> Any:
    match value:
        case {"bdata": str(data), "dtype": str(kind)}:
            array = np.frombuffer(base64.b64decode(data), dtype=kind)
            shape = [
                int(size) for size in str(value.get("shape", "")).split(",") if size
            ]
            return _rounded(array.reshape(shape or -1).tolist())
        case dict():
            return {key: _rounded(inner) for key, inner in value.items()}
        case list() | tuple():
            return [_rounded(inner) for inner in value]
        case float():
            return float(f"{value:.{_DIGITS}g}")
        case _:
            return value


def _sample(name: str, _folder: Path) -> Texts:
    run = ssdlab.open_run(SAMPLES / name)
    commands = (
        ("qos", str(SAMPLES / name), "--list"),
        ("qos", str(SAMPLES / name), "--json"),
        ("qos", str(SAMPLES / name)),
    )
    return texts_of_run(run) | command_texts(commands)


def _made(name: str, folder: Path) -> Texts:
    return texts_of_run(_MADE[name](folder / name))


def _made_ideal(folder: Path) -> ssdlab.Run:
    measure_ideal(folder)
    return ingested(folder)


_MADE: Mapping[str, Callable[[Path], ssdlab.Run]] = {
    "basic": lambda folder: make_run(folder, Recipe(saturation_rounds=40)),
    "recovery": make_recovery,
    "demand": make_demand,
    "ideal": _made_ideal,
    "saturate": make_saturated,
    "sequence": make_sequence,
}


# --- Commands and notebooks ----------------------------------------------------------


def command_texts(commands: Sequence[Sequence[str]]) -> Texts:
    """Return the output and exit code of each command line."""
    return {
        f"commands/{' '.join(map(_short, words))}": _called(words) for words in commands
    }


def _short(word: str) -> str:
    return Path(word).name.removeprefix("--").replace(" ", "-")


def _called(words: Sequence[str]) -> str:
    done = CliRunner().invoke(command_line, list(words))
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    try:
        said = json_text(json.loads(done.stdout))
    except ValueError:
        said = done.stdout
    return f"exit code {done.exit_code}\n{said}\n--- stderr\n{done.stderr}"


def _commands(folder: Path) -> Texts:
    samples = sorted(str(path) for path in SAMPLES.iterdir() if path.is_dir())
    ours = [path for path in samples if "virtual-" in path]
    series = folder / "series.csv"
    series.write_text("iops\n900\n500\n410\n400\n395\n402\n398\n", "utf-8")
    hosts = [
        str(make_saturated(folder / name, share=share).path)
        for name, share in HOSTS.items()
    ]
    pages = {
        name: str(folder / f"{name}.html") for name in ("sides", "hosts", "classes")
    }
    asked: list[Sequence[str]] = [
        ("runs", "--runs", str(SAMPLES)),
        ("compare", *ours, "--accept", "fio version", "-o", pages["sides"]),
        ("compare-hosts", *hosts, "-o", pages["hosts"]),
        ("classes", *ours[:1], "--rank-virtual", "-o", pages["classes"]),
        ("profiles",),
        ("import", "--list-references"),
        ("steady-state", str(series)),
    ]
    asked = [line for words in asked for line in (words, _with_json(words)) if line]
    asked += [("profiles", "show", name) for name in PROFILES]
    texts = command_texts(asked) | _helps() | _parsed(ours[0])
    for name, page in pages.items():
        told = page_texts(Path(page).read_text("utf-8"))
        texts |= {f"pages/{name}/{key}": text for key, text in told.items()}
    return texts


def _with_json(words: Sequence[str]) -> Sequence[str]:
    """Return the command line with --json, if the command has that option."""
    command = command_line.commands[words[0]]
    names = {name for option in command.params for name in option.opts}
    return (*words, "--json") if "--json" in names else ()


def _helps() -> Texts:
    context = click.Context(command_line, info_name="ssdlab", terminal_width=80)
    texts = {"help/ssdlab": command_line.get_help(context)}
    for name, command in sorted(command_line.commands.items()):
        inner = click.Context(command, context, name, terminal_width=80)
        texts[f"help/{name}"] = command.get_help(inner)
    return texts


def _parsed(run: str) -> Texts:
    """Return each table of `ssdlab parse` for the fio output of a run."""
    steps = sorted(map(str, Path(run).glob("steps/*/fio.json*")))[:3]
    kinds = ("jobs", "documents", "percentiles", "bins", "options", "issues")
    return command_texts([("parse", *steps, "--table", kind) for kind in kinds])


def _plan(profile: str, folder: Path) -> Texts:
    """Return the plan of a profile, and all of its fio jobs."""
    target = ("--target", "virtual:size=32GiB", "--seed", "7")
    words = ("plan", *target, "--profile", profile, "--tests", "all")
    jobs = folder / "jobs"
    texts = command_texts([words, (*words, "--json"), (*words, "--jobs", str(jobs))])
    files = sorted(path for path in jobs.rglob("*") if path.is_file())
    told = (
        f"=== {path.relative_to(jobs)}\n{path.read_text('utf-8')}" for path in files
    )
    return texts | {"jobs": "\n".join(told)}


def _notebook(companion: Companion, folder: Path) -> Texts:
    done = folder / companion.notebook
    execute_notebook(
        find_notebook(companion.notebook), done, dict(companion.parameters)
    )
    cells = json.loads(done.read_text("utf-8"))["cells"]
    shown = (line for cell in cells for line in _outputs(cell))
    return {"shown": "\n".join(shown)}


def _outputs(cell: Mapping[str, Any]) -> Iterator[str]:
    for output in cell.get("outputs", ()):
        if "text" in output:
            yield "".join(output["text"])
        for kind, value in sorted(output.get("data", {}).items()):
            told = value if isinstance(value, dict) else "".join(value)
            yield f"{kind}: {json_text(told)}"


def _parts() -> dict[str, Callable[[Path], Texts]]:
    samples = sorted(path.name for path in (ROOT / SAMPLES).iterdir() if path.is_dir())
    return {
        **{f"notebooks/{one.notebook}": partial(_notebook, one) for one in COMPANIONS},
        "commands": _commands,
        **{f"samples/{name}": partial(_sample, name) for name in samples},
        **{f"made/{name}": partial(_made, name) for name in _MADE},
        **{f"plans/{name}": partial(_plan, name) for name in PROFILES},
    }


PARTS = _parts()
