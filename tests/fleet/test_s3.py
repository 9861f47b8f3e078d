"""A store in S3: moto's server on the loopback, and servers that are not as good."""

import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from urllib.request import Request, urlopen

import pytest

import ssdlab
from ssdlab.fleet import place as places
from ssdlab.fleet.delta import add_rows, create_tables, tend_tables
from ssdlab.fleet.listing import list_store
from ssdlab.fleet.place import Place, place_of
from ssdlab.model.errors import StoreError, StoreFailedError
from tests.cli.called import call
from tests.fleet.made_rows import NOW_S, made_rows
from tests.fleet.test_faults import assert_whole, at_once
from tests.paths import ROOT

# The server of the tests does not check and write in one step: on a busy machine both
# of two conditional writes may pass, and then the probe rightly refuses it.
pytestmark = pytest.mark.flaky(reruns=2)

pytest.importorskip("moto", reason="moto is not installed")
pytest.importorskip("flask_cors", reason="the server of moto is not installed")


@dataclass(frozen=True)
class Bucket:
    """A bucket of the server."""

    server: str
    url: str

    def fail(self, *faults: str) -> None:
        """Set the faults of the server."""
        with urlopen(f"{self.server}/faults/{','.join(faults)}") as answer:
            assert answer.status == 200


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Return the address of a server of S3, in a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.fleet.s3_server"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x"},
    )
    assert process.stdout is not None
    yield f"http://127.0.0.1:{int(process.stdout.readline())}"
    process.communicate(timeout=30)


@pytest.fixture
def bucket(server: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bucket]:
    """Return a new bucket, for which the environment is set."""
    for name, value in {
        "AWS_ENDPOINT_URL": server,
        "AWS_ALLOW_HTTP": "true",
        "AWS_ACCESS_KEY_ID": "x",
        "AWS_SECRET_ACCESS_KEY": "x",
        "AWS_REGION": "us-east-1",
        "NO_PROXY": "127.0.0.1",
    }.items():
        monkeypatch.setenv(name, value)
    name = f"lab-{uuid.uuid4()}"
    with urlopen(Request(f"{server}/{name}", method="PUT")) as answer:
        assert answer.status == 200
    found = Bucket(server, f"s3://{name}/store")
    yield found
    found.fail()


@pytest.fixture
def at(bucket: Bucket) -> Place:
    """Return a new store in the bucket."""
    place = place_of(bucket.url)
    create_tables(place)
    return place


def test_store_in_s3_takes_and_gives_what_a_folder_does(at: Place) -> None:
    for number in range(3):
        add_rows(at, made_rows(number))
    assert_whole(at, ["r000000", "r000001", "r000002"])
    assert tend_tables(at, now_s=NOW_S).packs == 3
    store = ssdlab.open_store(at.url)
    assert store.sql("select count(*) as n from cells")["n"].item() == 18
    name = store.cells()["workload"].iloc[0]
    assert len(store.quantile(name, 0.99)) == 3
    add_rows(at, made_rows(1, version=2))
    assert_whole(at, ["r000000", "r000001", "r000002"])


def test_commands_take_an_address_in_s3(at: Place) -> None:
    add_rows(at, made_rows(1))
    for command in (("store", "ls"), ("runs",)):
        done = call(*command, at.url)
        assert done.returncode == 0, done.stderr
        assert "r000001" in done.stdout
    assert [one["run_id"] for one in list_store(at.url)] == ["r000001"]


def test_writers_of_a_store_in_s3_lose_no_run(at: Place) -> None:
    made = [made_rows(number) for number in (1, 2, 3, 3)]
    assert at_once([partial(add_rows, at, rows) for rows in made]) == []
    assert_whole(at, ["r000001", "r000002", "r000003"])


def test_s3_without_conditional_put_is_refused_at_init(bucket: Bucket) -> None:
    bucket.fail("forgetful")
    with pytest.raises(StoreError, match="conditional PUT"):
        create_tables(place_of(bucket.url))
    with pytest.raises(StoreError):
        ssdlab.open_store(bucket.url)


def test_s3_that_answers_500_is_told_and_the_add_can_be_repeated(
    at: Place, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(places._S3_OPTIONS, "max_retries", "1")
    add_rows(at, made_rows(1))
    bucket.fail("failing")
    with pytest.raises(StoreFailedError):
        add_rows(at, made_rows(2))
    bucket.fail()
    assert_whole(at, ["r000001"])
    add_rows(at, made_rows(2))
    assert_whole(at, ["r000001", "r000002"])


def test_bucket_that_is_not_there_is_told(bucket: Bucket) -> None:
    bucket.fail()
    with pytest.raises((StoreError, StoreFailedError)):
        ssdlab.open_store("s3://nowhere/store")
