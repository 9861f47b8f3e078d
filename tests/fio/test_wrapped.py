"""fio's output in the logs of containers, in mail, and in strings of JSON."""

import json
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from ssdlab.fio.frames.result import FioResult
from ssdlab.fio.read import read_fio
from ssdlab.model.errors import FioOutputError
from tests.fio.samples import captured
from tests.fio.test_appended import grave, normal, terse
from tests.quick_fio import CLOCK

Wrap = Callable[[str], str]

OUTPUTS: Mapping[str, str] = {
    "json": captured("randrw.json").read_text(),
    "normal": normal(300),
    "two": normal(300) + normal(310),
    "terse": terse(300, disk_ios=3),
}


def each_line(prefix: str) -> Wrap:
    return lambda text: "".join(f"{prefix}{line}\n" for line in text.splitlines())


def numbered(form: str) -> Wrap:
    return lambda text: "".join(
        form.format(second=number % 60, part=number * 7919) + line + "\n"
        for number, line in enumerate(text.splitlines())
    )


def in_mail(text: str) -> str:
    quoted = each_line("> ")(text).replace("> \n", ">\n")
    return f"On Monday, A. wrote:\n{quoted}\nThis is what I see, too.\n"


def in_ansible(text: str) -> str:
    fields = {"changed": True, "rc": 0, "stdout": text, "stderr": ""}
    fields["stdout_lines"] = text.splitlines()
    return f"host1 | CHANGED => {json.dumps(fields, indent=4)}\n"


def in_playbook(text: str) -> str:
    results = [{"item": "a", "stdout": "no"}, {"item": "b", "stdout": text}]
    return json.dumps({"plays": [{"tasks": [{"hosts": {"h": {"results": results}}}]}]})


def as_docker_keeps_it(text: str) -> str:
    return "".join(
        json.dumps({"log": f"{line}\n", "stream": "stdout", "time": "2026-11-22"})
        + "\n"
        for line in text.splitlines()
    )


WRAPS: Mapping[str, Wrap] = {
    "kubectl": numbered("2026-11-22T15:07:{second:02}.{part:09}Z "),
    "kubectl-zone": numbered("2026-11-22T15:07:{second:02}.1+01:00 "),
    "kubectl-source": each_line("[pod/fio-7c9/fio] "),
    "containerd": numbered("2026-11-22T15:07:{second:02}.{part:09}Z stdout F "),
    "compose": each_line("fio-1  | "),
    "compose-times": numbered("fio-1  | 2026-11-22T15:07:{second:02}.{part:09}Z "),
    "syslog": numbered("Nov 22 15:07:{second:02} host fio[{part}]: "),
    "brackets": numbered("[2026-11-22 15:07:{second:02}] "),
    "mail": in_mail,
    "mail-twice": lambda text: in_mail(in_mail(text)),
    "hash": each_line("# "),
    "ansible": in_ansible,
    "lines-only": lambda text: json.dumps({"stdout_lines": text.splitlines()}),
    "playbook": in_playbook,
    "docker": as_docker_keeps_it,
}


def rows(result: FioResult) -> list[tuple[object, ...]]:
    columns = ["direction", "io_bytes", "iops", "lat_mean_ns", "runtime_ms"]
    frame = result.jobs.loc[result.jobs["is_result"], columns].fillna(-1)
    return [*frame.itertuples(index=False, name=None)]


# Nothing tells unknown signs before a single line from its text.
PAIRS = [
    (name, wrap)
    for name in OUTPUTS
    for wrap in WRAPS
    if (name, wrap) != ("terse", "hash")
]


@pytest.mark.parametrize(("name", "wrap"), PAIRS)
def test_wrapped_output_is_read_as_if_it_were_not(name: str, wrap: str) -> None:
    text = OUTPUTS[name]
    bare, wrapped = read_fio(text.encode()), read_fio(WRAPS[wrap](text).encode())
    assert rows(wrapped) == rows(bare)
    assert wrapped.documents["is_whole"].all()
    assert grave(wrapped) == grave(bare) == set()
    assert {*wrapped.issues["kind"]} & {"line-prefix", "in-json"}


def test_output_of_two_services_is_put_together_again() -> None:
    texts = [normal(300, pid=1), normal(310, pid=2)]
    lines = zip(*(text.splitlines() for text in texts), strict=True)
    mixed = "".join(f"a-1  | {one}\nb-1  | {other}\n" for one, other in lines)
    result = read_fio(mixed.encode())
    assert result.jobs["io_bytes"].tolist() == [300 * 4096, 310 * 4096]
    assert result.jobs["is_result"].all()


def test_output_of_several_hosts_is_each_a_result() -> None:
    text = "".join(in_ansible(terse(n, disk_ios=n)) for n in (300, 200))
    assert [row[1] for row in rows(read_fio(text.encode())) if row[1]] == [
        300 * 4096,
        200 * 4096,
    ]


@pytest.mark.parametrize("name", OUTPUTS)
@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_cut_string_of_json_is_refused_in_a_sentence(name: str, share: float) -> None:
    text = json.dumps({"stdout": OUTPUTS[name]})
    with pytest.raises(FioOutputError, match=r"JSON strings|no output of fio"):
        read_fio(text[: int(len(text) * share)].encode())


def test_text_in_options_does_not_look_wrapped() -> None:
    content = json.loads(OUTPUTS["json"])
    content["jobs"][0]["job options"]["description"] = "> j: (g=0): rw=read"
    said = "fio said\n" + json.dumps(content, indent=2)
    result = read_fio(said.encode())
    assert rows(result) == rows(read_fio(OUTPUTS["json"].encode()))
    assert not {*result.issues["kind"]} & {"line-prefix", "in-json"}


@pytest.mark.fio
@pytest.mark.parametrize("wrap", ["kubectl", "compose", "mail", "ansible", "docker"])
@pytest.mark.parametrize("form", ["normal", "json+", "normal,json,terse"])
def test_real_output_is_unwrapped(tmp_path: Path, wrap: str, form: str) -> None:
    job = ("--name=a b", "--size=2m", "--rw=randrw", "--bs=4k", "--group_reporting")
    text = subprocess.run(
        ["fio", CLOCK, *job, f"--output-format={form}", f"--directory={tmp_path}"],
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    wrapped = read_fio(WRAPS[wrap](text).encode())
    assert rows(wrapped) == rows(read_fio(text.encode()))
    assert wrapped.jobs["io_bytes"].sum() >= 2 << 20


@pytest.mark.parametrize(
    "text",
    [
        '"a": "' + 'x: (g=0): rw= \\" ' * 100_000,
        '{"log":"a: (g=0): rw=' + '"\n{"log":"' * 100_000,
        '"x: (g=0): "\n' + "[\n" * 100_000,
    ],
    ids=["one line", "broken lines", "deep"],
)
def test_what_only_looks_like_json_is_given_up_soon(text: str) -> None:
    started = time.process_time()
    with pytest.raises(FioOutputError):
        read_fio(text.encode())
    assert time.process_time() - started < 30
