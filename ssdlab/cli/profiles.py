"""The commands ``profiles`` and ``profiles show``."""

import json

import click

from ssdlab.cli.group import json_option, main


@main.group(invoke_without_command=True)
@json_option
@click.pass_context
def profiles(ctx: click.Context, *, as_json: bool) -> None:
    """List the profiles, or show one.

    Times exclude the fills of preconditioning, which depend on the drive; `ssdlab plan`
    includes them.
    """
    if ctx.invoked_subcommand is not None:
        return
    from ssdlab.engine.profiles import Outline, outline_profiles
    from ssdlab.model.units import duration_label

    def lines(outline: Outline) -> tuple[str, ...]:
        profile = outline.profile
        least, most = map(duration_label, (outline.seconds_min, outline.seconds_max))
        fills = f"fills of {outline.fill_capacities:g} user capacities"
        return (
            f"{profile.name:<20}{profile.title}, {profile.spec_version}",
            f"{'':<20}{', '.join(profile.tests)}",
            f"{'':<20}{least} to {most}, plus {fills}",
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
    """Print every value of a profile with its meaning.

    NAME is a profile or FILE.toml. The output is a file that `--profile` of `ssdlab
    run` and `plan` accepts.
    """
    from ssdlab.engine.profiles import open_profile
    from ssdlab.pts.profile_file import render_profile

    click.echo(render_profile(open_profile(name)), nl=False)
