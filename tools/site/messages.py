"""The list of messages: every error that a user can meet, and every finding."""

import ast
import inspect
import re
from collections.abc import Iterator

from ssdlab.model import errors
from ssdlab.model.errors import SsdlabError
from ssdlab.model.finding import FINDING_KINDS, SEVERITY_NAMES

_FINDINGS = """\
What a report marks, by its code. [Findings](reference/findings.md) has the exact
condition of each.
"""
_BASES = ("SsdlabError", "UserError", "StepError")


def render_messages() -> str:
    """Return the errors by exit code, and the findings by their codes."""
    kinds = list(_kinds())
    parts = ["## Errors\n"]
    for code, title in (
        (2, "The request cannot be carried out: exit code 2"),
        (1, "A run or a step failed: exit code 1"),
        (130, "Stopped: exit code 130"),
    ):
        parts.append(f"### {title}\n")
        parts += [_entry(kind) for kind in kinds if kind.exit_code == code]
    parts += [
        "## Findings\n",
        _FINDINGS,
        "| Code | What it means | Severity |\n| --- | --- | --- |",
    ]
    parts += [
        f"| `{name}` | {finding.meaning} | {SEVERITY_NAMES[finding.severity]} |"
        for name, finding in sorted(FINDING_KINDS.items())
    ]
    return "\n".join(parts) + "\n"


def _kinds() -> Iterator[type[SsdlabError]]:
    for name, kind in vars(errors).items():
        is_error = inspect.isclass(kind) and issubclass(kind, SsdlabError)
        if is_error and name not in _BASES:
            yield kind


def _entry(kind: type[SsdlabError]) -> str:
    said = template(kind)
    message = f"```text\n{said}\n```\n" if said else ""
    meaning = (inspect.getdoc(kind) or "").replace("``", "`")
    return f"#### {kind.__name__}\n\n{meaning}\n\n{message}"


def template(kind: type[SsdlabError]) -> str:
    """Return the message of an error, with what varies in angle brackets.

    >>> from ssdlab.model.errors import ParameterError
    >>> template(ParameterError)
    '<name> is <value> but must be <asked>.'
    """
    for base in kind.__mro__:
        if "__init__" not in vars(base) or not issubclass(base, SsdlabError):
            continue
        tree = ast.parse(inspect.getsource(base))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and _is_super_init(node) and node.args:
                return re.sub(r"\s+", " ", "".join(_words(node.args[0]))).strip()
    return ""


def _is_super_init(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Attribute) and node.func.attr == "__init__"


def _words(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=parts):
            for part in parts:
                yield from _words(part)
        case ast.BinOp(left=left, right=right):
            yield from _words(left)
            yield from _words(right)
        case ast.IfExp(body=body):
            yield from _words(body)
        case ast.FormattedValue(value=value):
            # The last name of a call is its argument: <remedy> of f(reason, remedy).
            names = [one.id for one in ast.walk(value) if isinstance(one, ast.Name)]
            yield f"<{names[-1]}>"
        case _:
            yield "…"
