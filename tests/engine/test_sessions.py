"""The sessions of a run, and what its host was like in them."""

import json
from pathlib import Path

from ssdlab.engine.sessions import begin_session, end_session
from ssdlab.store.records import read_state


def test_changes_of_the_host_outlast_the_session_that_found_them(
    tmp_path: Path,
) -> None:
    begin_session(tmp_path)
    end_session(tmp_path, "interrupted", "")
    begin_session(tmp_path, ("Turbo clock: good before, warning now",))
    end_session(tmp_path, "failed", "")
    begin_session(tmp_path, ("Scheduler: good before, bad now",))
    begin_session(tmp_path, ("Scheduler: good before, bad now",))
    state = read_state(tmp_path)
    assert state.host_changes == (
        "Turbo clock: good before, warning now",
        "Scheduler: good before, bad now",
    )
    assert [how for _, _, how in state.sessions] == [
        "interrupted",
        "failed",
        "killed",
        "running",
    ]


def test_state_of_an_older_version_has_no_changes(tmp_path: Path) -> None:
    begin_session(tmp_path)
    path = tmp_path / "state.json"
    old = json.loads(path.read_bytes())
    del old["host_changes"]
    path.write_text(json.dumps(old), "utf-8")
    assert read_state(tmp_path).host_changes == ()
