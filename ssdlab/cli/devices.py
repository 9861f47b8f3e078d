"""The command that lists the drives of this machine."""

import json
from typing import TYPE_CHECKING, Any

import click

from ssdlab.cli.group import json_option, main

if TYPE_CHECKING:
    from ssdlab.drive.survey import DriveSurvey


@main.command()
@json_option
def devices(*, as_json: bool) -> None:
    """List the drives of this machine and which can be tested.

    Nothing is written or changed. What only root may read is shown as unknown.
    """
    from ssdlab.cli.device_lines import device_lines
    from ssdlab.drive.survey import survey_drives

    surveys = survey_drives()
    if as_json:
        click.echo(json.dumps([as_dict(survey) for survey in surveys], indent=1))
        return
    for survey in surveys:
        click.echo("\n".join((*device_lines(survey), "")))
    if not surveys:
        click.echo("No drives found: /sys/block is empty.")


def as_dict(survey: "DriveSurvey") -> dict[str, Any]:
    """Return the facts of a drive, with the same keys for each; unknown is null."""
    from dataclasses import asdict, fields

    from ssdlab.model.drive import Drive

    drive, queues = survey.drive, survey.queues
    known = {field.name: None for field in fields(Drive)} | {"path": survey.path}
    return {
        **(asdict(drive) if drive else known),
        "can_be_tested": survey.can_be_tested,
        "target": survey.named or None,
        "confirm": survey.consent.text if survey.consent else None,
        "uses": [asdict(use) for use in survey.uses],
        "unseen_processes": survey.unseen,
        "same_serial": survey.twins,
        "write_cache": survey.write_cache,
        "queues": queues and asdict(queues) | {"outstanding": queues.outstanding},
        "health": asdict(survey.health),
        "health_trouble": survey.health_trouble,
        "trouble": survey.trouble,
    }
