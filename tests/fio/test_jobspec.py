"""Job files are read and written as fio does, trap by trap."""

import json
import shlex
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ssdlab.fio.installed import require_fio
from ssdlab.fio.jobs.jobspec import (
    ALIASES,
    JobFile,
    JobSection,
    find_job_file_doubts,
    parse_job_file,
    render_job_file,
)
from ssdlab.model.errors import FioOutputError
from tests.paths import FIO_SAMPLES, ROOT, require_folder

DATA = ROOT / "tests" / "data" / "jobs"
WRITTEN = sorted(DATA.glob("*.fio"))

TRAPS = DATA / "traps.fio"


def sample_job_files() -> list[Path]:
    folder = require_folder(FIO_SAMPLES)
    found = [*folder.glob("*/*.fio"), *folder.glob("*/*.job")]
    assert len(found) >= 2
    return sorted(found)


def one(text: str) -> JobSection:
    (section,) = parse_job_file(text).sections
    return section


@pytest.mark.parametrize(
    ("line", "option"),
    [
        ("bs=4k", ("bs", "4k")),
        (" \tbs = 4k \r", ("bs", " 4k")),
        ("bs=4k # small", ("bs", "4k")),
        ("filename=/dev/a;b", ("filename", "/dev/a")),
        (r"filename=/dev/a\#b", ("filename", "/dev/a\\")),
        ("group_reporting", ("group_reporting", None)),
        ("group_reporting=", ("group_reporting", "")),
        ("exec_prerun=a=b", ("exec_prerun", "a=b")),
        ("size=${SIZE}", ("size", "${SIZE}")),
        ("BS=4k", ("BS", "4k")),
        ("include more.fio", ("include", "more.fio")),
        ("include=more.fio", ("include", "more.fio")),
    ],
)
def test_option_is_cut_where_fio_cuts_it(
    line: str, option: tuple[str, str | None]
) -> None:
    assert one(f"[a]\n{line}\n").options == (option,)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("[a job]", "a job"),
        ("  [a]  ; why", "a"),
        ("[a job; b]", "a jo"),
        ("[a]]", "a]"),
        ("[ a ]", " a "),
        ("[a]b", "a]"),
        ("[]", ""),
        (f"[{'n' * 300}]", "n" * 254),
        (f"[{'é' * 300}]", "é" * 126),
    ],
)
def test_section_name_ends_one_character_before_its_line(line: str, name: str) -> None:
    assert one(f"{line}\n").name == name


def test_comments_and_blank_lines_say_nothing() -> None:
    text = "; why\n#[no]\n\n \t\n[a]\n ;bs=8k\n\n# end"
    assert one(text) == JobSection(name="a")
    assert one(text).line == 5


def test_options_keep_their_order_and_may_be_repeated() -> None:
    section = one("[a]\nbs=8k\nrw=read\nbs=4k\n")
    assert section.options == (("bs", "8k"), ("rw", "read"), ("bs", "4k"))
    assert parse_job_file("[a]\nbs=8k\nbs=4k\n").resolved("a") == {"bs": "4k"}


def test_global_sections_hold_for_the_jobs_below_them() -> None:
    job_file = parse_job_file(TRAPS.read_text("utf-8"))
    assert [job.name for job in job_file.jobs] == ["first", "twice", "twice", "Global"]
    assert job_file.resolved("first") == {"ioengine": "null", "size": "1m", "bs": "8k"}
    assert job_file.resolved(1)["rw"] == "randread"
    assert job_file.resolved(2)["rw"] == "write"
    last = job_file.resolved("Global")
    assert (last["iodepth"], last["bs"]) == ("7", "1k")


@pytest.mark.parametrize("job", ["twice", "nobody", 4, -1])
def test_job_that_is_not_there_once_is_refused(job: int | str) -> None:
    job_file = parse_job_file(TRAPS.read_text("utf-8"))
    with pytest.raises(ValueError, match="jobs of the file are"):
        job_file.resolved(job)


@pytest.mark.parametrize("text", ["bs=4k\n[a]\n", "[\n[a]", "\ufeff[a]", '{"jobs": 1}'])
def test_text_outside_of_a_section_is_refused_by_line(text: str) -> None:
    with pytest.raises(FioOutputError, match=r"job\.fio: line 1 is outside"):
        parse_job_file(text, source="job.fio")


def test_doubts_name_what_the_file_does_not_say() -> None:
    text = f"[a]\ninclude more.fio\nsize=${{SIZE}}\nfilename=/{'x' * 4096}\n"
    include, environment, long = find_job_file_doubts(parse_job_file(text))
    assert (include.kind, include.is_grave) == ("include", True)
    assert include.place == "[a], from line 1"
    assert (environment.kind, long.kind) == ("environment", "long-value")
    assert "size=${SIZE}" in environment.meaning
    assert not find_job_file_doubts(parse_job_file("[a]\nbs=4k\n"))


@pytest.mark.parametrize(
    "section",
    [
        JobSection(name="a", options=(("filename", "/dev/a#b"),)),
        JobSection(name="a", options=(("filename", "/dev/a "),)),
        JobSection(name="a", options=(("filename", "a\nrw=write"),)),
        JobSection(name="a", options=(("filename", "a\0b"),)),
        JobSection(name="a", options=(("a=b", "c"),)),
        JobSection(name="a", options=(("[b", None),)),
        JobSection(name="a", options=((" bs", "4k"),)),
        JobSection(name="a", options=(("included", "x"),)),
        JobSection(name="a", options=(("", None),)),
        JobSection(name="a;b"),
        JobSection(name="a\nb"),
        JobSection(name="n" * 255),
    ],
    ids=repr,
)
def test_what_fio_could_not_read_back_is_not_written(section: JobSection) -> None:
    with pytest.raises(ValueError, match="fio cannot read back"):
        render_job_file(JobFile(sections=(section,)))


TEXTS = st.text(
    alphabet=st.one_of(st.sampled_from(" \t=[]:,/ab${}\\\u00e9\x01"), st.characters())
)


@st.composite
def job_files(draw: st.DrawFn) -> JobFile:
    """Return job files among which are many that fio cannot express."""
    values = st.one_of(st.none(), TEXTS)
    options = st.lists(st.tuples(TEXTS, values), max_size=4).map(tuple)
    sections = st.builds(JobSection, name=TEXTS, options=options)
    return JobFile(sections=tuple(draw(st.lists(sections, max_size=3))))


@given(job_files())
def test_written_job_file_is_read_back_or_refused(job_file: JobFile) -> None:
    try:
        text = render_job_file(job_file)
    except ValueError:
        return
    assert parse_job_file(text) == job_file


NAMES = st.text("abcdefgz_", min_size=1).filter(lambda name: "include"[:3] not in name)
VALUES = st.one_of(st.none(), st.text(" =:,[]$\\k4é", max_size=6).map(str.rstrip))


@given(
    st.lists(
        st.tuples(
            st.text("abg l]", max_size=8),
            st.lists(st.tuples(NAMES, VALUES), max_size=4),
        )
    )
)
def test_job_file_that_fio_can_express_is_always_written(
    content: list[tuple[str, list[tuple[str, str | None]]]],
) -> None:
    sections = [JobSection(name=n, options=tuple(o)) for n, o in content]
    job_file = JobFile(sections=tuple(sections))
    assert parse_job_file(render_job_file(job_file)) == job_file


LINES = st.one_of(
    st.sampled_from(["[global]", "[a]", "[global2]", "include x", "bs=4k", "; no"]),
    TEXTS,
)


@given(st.lists(LINES).map("\n".join))
@example("[")
def test_reading_and_writing_settles_at_once_on_any_text(text: str) -> None:
    try:
        job_file = parse_job_file("[first]\n" + text)
        written = render_job_file(job_file)
    except ValueError:  # an option without a name, or one that reads as a section
        names = [name for s in job_file.sections for name, _ in s.options]
        assert any(not name or name.startswith("[") for name in names)
        return
    assert parse_job_file(written) == job_file
    assert render_job_file(parse_job_file(written)) == written


def test_job_files_of_others_are_read_and_settle() -> None:
    for path in sample_job_files():
        text = path.read_text("utf-8")
        job_file = parse_job_file(text, source=path.name)
        assert parse_job_file(render_job_file(job_file)) == job_file
        assert not find_job_file_doubts(job_file)
        assert all("rw" in job_file.resolved(at) for at in range(len(job_file.jobs)))


def show(path: Path) -> str:
    """Return the options that ``fio --showcmd`` reads from a job file."""
    return subprocess.run(
        [require_fio()[0], "--showcmd", path.name],
        cwd=path.parent,
        check=True,
        capture_output=True,
        text=True,
    ).stdout


def shown(path: Path) -> list[dict[str, str | None]]:
    """Return the options of each job, those of the one global section under them."""
    jobs: list[dict[str, str | None]] = []
    shared: dict[str, str | None] = {}
    current = shared
    for word in shlex.split(show(path))[1:]:
        name, equals, value = word.removeprefix("--").partition("=")
        if name == "name":
            current = {}
            jobs.append(current)
        else:
            current[name] = value if equals else None
    return [shared | job for job in jobs]


@pytest.mark.fio
def test_resolved_options_are_those_that_fio_shows() -> None:
    paths = [path for path in WRITTEN if path != TRAPS]
    assert paths
    for path in [*paths, *sample_job_files()]:
        job_file = parse_job_file(path.read_text("utf-8"))
        found = [job_file.resolved(at) for at in range(len(job_file.jobs))]
        assert found == shown(path), path.name


@pytest.mark.fio
def test_rewritten_job_file_is_the_same_to_fio(tmp_path: Path) -> None:
    for path in [*WRITTEN, *sample_job_files()]:
        again = tmp_path / path.name
        job_file = parse_job_file(path.read_text("utf-8"))
        again.write_text(render_job_file(job_file), "utf-8")
        assert show(again) == show(path), path.name


@pytest.mark.fio
def test_section_names_and_options_are_those_of_a_run(tmp_path: Path) -> None:
    said = tmp_path / "said.json"
    subprocess.run(
        [require_fio()[0], "--output-format=json", f"--output={said}", TRAPS.name],
        cwd=DATA,
        check=True,
    )
    content = json.loads(said.read_bytes())
    job_file = parse_job_file(TRAPS.read_text("utf-8"))
    assert [job["jobname"] for job in content["jobs"]] == [
        job.name for job in job_file.jobs
    ]
    shared = content["global options"]
    for at, job in enumerate(content["jobs"]):
        options = {k: v for k, v in job["job options"].items() if k != "name"}
        resolved = job_file.resolved(at)
        held = {k: v for k, v in resolved.items() if v is not None}  # fio leaves out
        assert {k: held[k] for k in options} == options
        assert set(held) <= set(options) | set(shared)


@pytest.mark.fio
@pytest.mark.parametrize(("alias", "name"), ALIASES.items())
def test_alias_is_of_the_option_that_fio_names(alias: str, name: str) -> None:
    said = subprocess.run(
        [require_fio()[0], f"--cmdhelp={name}"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert f"alias: {alias}" in said
