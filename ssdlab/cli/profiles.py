"""Commands that show the profiles."""

import json

import click

from ssdlab.cli.group import json_option, main


@main.group(invoke_without_command=True)
@json_option
@click.pass_context
def profiles(ctx: click.Context, *, as_json: bool) -> None:
    """List the profiles, or show one: `ssdlab profiles show NAME`.

    The times are without the fills of the preconditioning, which depend on the drive;
    `ssdlab plan` reckons with them.
    """
    if ctx.invoked_subcommand is not None:
        return
    from ssdlab.campaign.profiles import Outline, outline_profiles
    from ssdlab.model.units import duration_label

    def lines(outline: Outline) -> tuple[str, ...]:
        profile = outline.profile
        least, most = map(duration_label, (outline.seconds_min, outline.seconds_max))
        fills = f"{outline.fill_capacities:g} user capacities of fills"
        return (
            f"{profile.name:<20}{profile.title}, by {profile.spec_version}",
            f"{'':<20}{', '.join(profile.tests)}",
            f"{'':<20}{least} to {most}, and {fills}",
        )

    found = outline_profiles()
    if as_json:
        rows = [
            {
                "name": outline.profile.name,
                "title": outline.profile.title,
                "spec_version": outline.profile.spec_version,
                "nominal": outline.profile.nominal,
                "tests": outline.profile.tests,
                "seconds_min": outline.seconds_min,
                "seconds_max": outline.seconds_max,
                "fill_capacities": outline.fill_capacities,
            }
            for outline in found
        ]
        click.echo(json.dumps(rows, indent=1))
        return
    click.echo("\n".join(line for outline in found for line in lines(outline)))


@profiles.command()
@click.argument("name")
def show(name: str) -> None:
    """Print every value of a profile, NAME or FILE.toml, with what it means.

    What is printed is a file that `--profile` of `ssdlab run` and `plan` accepts.
    """
    from ssdlab.campaign.profiles import open_profile
    from ssdlab.pts.profile_file import render_profile

    click.echo(render_profile(open_profile(name)), nl=False)
