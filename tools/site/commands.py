"""The reference of the command line, from the commands themselves."""

import re
from collections.abc import Iterator

import click

from ssdlab.cli import main
from ssdlab.cli.group import _SECTIONS


def render_commands() -> str:
    """Return every command by section: usage, description, options."""
    context = click.Context(main, info_name="ssdlab")
    listed = [name for names in _SECTIONS.values() for name in names.split()]
    rest = [name for name in main.list_commands(context) if name not in listed]
    sections = {**_SECTIONS, **({"Others": " ".join(rest)} if rest else {})}
    parts = []
    for title, names in sections.items():
        parts.append(f"## {title}\n")
        for name in names.split():
            command = main.get_command(context, name)
            assert command is not None
            parts += _command(command, click.Context(command, context, name), 3)
    return "\n".join(parts)


def _command(
    command: click.Command, context: click.Context, level: int
) -> Iterator[str]:
    yield f"{'#' * level} {context.command_path}\n"
    usage = " ".join(command.collect_usage_pieces(context))
    yield f"```text\n{context.command_path} {usage}\n```\n"
    yield _description(command.help or "")
    options = [record for one in command.params if (record := _record(one, context))]
    if options:
        yield "| Option | Meaning |\n| --- | --- |"
        yield from (f"| `{name}` | {meaning} |" for name, meaning in options)
        yield ""
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from _command(inner, click.Context(inner, context, name), level + 1)


def _record(option: click.Parameter, context: click.Context) -> tuple[str, str] | None:
    record = option.get_help_record(context)
    if record is None:
        return None
    name, meaning = (_in_cell(part) for part in record)
    return name, _quoted(meaning)


def _description(text: str) -> str:
    """Return a help text as Markdown; lines of commands become blocks of code."""
    blocks = []
    for block in text.replace("\b\n", "").replace("\f", "").split("\n\n"):
        lines = block.strip("\n").splitlines()
        if lines and all(re.match(r"\s*(ssdlab|fio) ", line) for line in lines):
            body = "\n".join(line.strip() for line in lines)
            blocks.append(f"```shell\n{body}\n```")
        else:
            blocks.append(_quoted(" ".join(line.strip() for line in lines)))
    return "\n\n".join(blocks) + "\n"


def _quoted(text: str) -> str:
    """Return text with what Markdown would read as markup escaped, except code."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(
        part if part.startswith("`") else re.sub(r"([*_<>\[\]{}#])", r"\\\1", part)
        for part in parts
    )


def _in_cell(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|")
