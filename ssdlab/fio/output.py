"""All documents in one output of fio, in any form and order."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain

from ssdlab.fio.document import Doubt, FioDocument
from ssdlab.fio.encodings import decode_output
from ssdlab.fio.from_json.parse import document_from_json
from ssdlab.fio.from_json.scan import find_only_json, iterate_json
from ssdlab.fio.from_text.normal import iterate_normal
from ssdlab.fio.from_text.normal_lines import iterate_lines
from ssdlab.fio.from_text.normal_runs import iterate_printings
from ssdlab.fio.from_text.terse import is_sum_line, parse_terse
from ssdlab.fio.marks import holds_mark
from ssdlab.fio.wrapped import is_wrapped, unwrap
from ssdlab.model.errors import FioOutputError

_CLIENT = re.compile(r"^hostname=[^,\n]{0,255}, be=", re.MULTILINE)
_KEPT_CHARACTERS = 1 << 16
_VERSION_KEY = "fio version"
_TERSE_LINE = r"[ \t]*(?:[3-5];fio[- ]|2;.{0,400}?;\d+;-?\d+;).*(?:\n|\Z)"
_TERSE_LINES = re.compile(
    rf"^(?:{_TERSE_LINE}(?:(?:Jobs: .*|[ \t]*)\n)*)+", re.MULTILINE
)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class _Piece:
    """A stretch of an output: documents of fio, or other text.

    ``lines`` are its terse lines.
    """

    text: str = ""
    lines: str = ""
    documents: tuple[FioDocument, ...] = ()


def parse_output(data: bytes, *, source: str) -> tuple[FioDocument, ...]:
    """Return every document in the output of fio, in order.

    The text before each is its ``prefix``, that after the last one its ``suffix``.
    """
    whole = find_only_json(data)
    if whole is not None:
        return (document_from_json(whole, source=source),)
    text, doubts = decode_output(data)
    pieces = [*_cut_at_json(text, source)]
    if any(map(_may_be_wrapped, pieces)):
        text, of_wrapping = unwrap(text, source=source)
        doubts = (*doubts, *of_wrapping)
        pieces = [*_cut_at_json(text, source)] if of_wrapping else pieces
    documents = list(_documents(_cut_at_text(pieces, source)))
    if not any(one.jobs for one in documents) and (not documents or is_wrapped(text)):
        raise FioOutputError(
            source=source,
            reason=_why_nothing(text),
            remedy="Use output of fio, such as of --output-format=json+.",
        )
    if doubts:
        first = documents[0]
        documents[0] = replace(first, doubts=(*doubts, *first.doubts))
    return tuple(documents)


def _why_nothing(text: str) -> str:
    if is_wrapped(text):
        return (
            "fio's output is in JSON strings, which are damaged or truncated, so it "
            "cannot be extracted"
        )
    if _VERSION_KEY not in text:
        return "it has no output of fio"
    return (
        f"it has {_VERSION_KEY}, but not at the beginning of a JSON document: text was "
        "inserted before its lines or quotes, or its keys were reordered"
    )


def _cut_at_json(text: str, source: str) -> Iterator[_Piece]:
    """Yield the whole text: JSON documents, and the text between them."""
    data = text.encode("utf-8", "replace")
    end = 0
    for found in iterate_json(data, source=source):
        yield _Piece(text=data[end : found.start].decode())
        yield _Piece(documents=(document_from_json(found, source=source),))
        end = found.end
    yield _Piece(text=data[end:].decode())


def _may_be_wrapped(piece: _Piece) -> bool:
    """Tell whether output of fio may be in other text, or was truncated."""
    return holds_mark(piece.text) or any(not one.is_whole for one in piece.documents)


def _cut_at_text(pieces: Sequence[_Piece], source: str) -> Sequence[_Piece]:
    """Return the pieces, split where documents of other forms begin and end."""
    has_clients = any(_CLIENT.search(piece.text) for piece in pieces)
    pieces = [*chain.from_iterable(_cut_at_terse_lines(one, source) for one in pieces)]
    if has_clients:
        pieces = [*_with_clients(pieces, source)]
    if any(piece.text.strip() for piece in pieces):
        return _with_normal(pieces, source)
    return pieces


def _with_clients(pieces: Sequence[_Piece], source: str) -> Iterator[_Piece]:
    """Yield the pieces, the terse lines of each client/server run as one document.

    A client prints other forms between the lines, and their sum last.
    """
    lines = ""
    for piece in pieces:
        lines += piece.lines
        if not piece.lines:
            yield piece
        elif is_sum_line(piece.lines):
            yield _Piece(lines=lines, documents=parse_terse(lines, source=source))
            lines = ""
        else:
            yield _Piece()
    if lines:
        yield _Piece(lines=lines, documents=parse_terse(lines, source=source))


def _cut_at_terse_lines(piece: _Piece, source: str) -> Iterator[_Piece]:
    if piece.documents:
        yield piece
        return
    text = piece.text.replace("\r\n", "\n").replace("\r", "\n")
    end = 0
    for match in _TERSE_LINES.finditer(text):
        yield _Piece(text=text[end : match.start()])
        documents = parse_terse(match[0], source=source)
        text_outside, lines = ("", match[0]) if documents else (match[0], "")
        yield _Piece(text=text_outside, lines=lines, documents=documents)
        end = match.end()
    yield _Piece(text=text[end:])


def _with_normal(pieces: Sequence[_Piece], source: str) -> list[_Piece]:
    """Return the pieces with runs in normal text parsed.

    The start of a run, such as fio's version, may come before documents of other forms,
    and its results after them: so the text is read as one.
    """
    texts = [piece.text.removesuffix("\n") for piece in pieces]
    plain = "\n".join(texts) + ("\n" if pieces[-1].text.endswith("\n") else "")
    documents = [*iterate_normal(plain, source=source)]
    if not documents:
        return list(pieces)
    ends = list(accumulate(text.count("\n") + 1 for text in texts))
    said: dict[int, list[FioDocument]] = {}
    is_begun_last = not any(piece.documents for piece in pieces) or _is_begun(texts[-1])
    for line, document in documents:
        place = bisect_left(ends, line) if line else len(ends) - 1
        if line or is_begun_last:
            said.setdefault(place, []).append(document)
    return [
        _with_documents(piece, tuple(said.get(number, ())))
        for number, piece in enumerate(pieces)
    ]


def _is_begun(text: str) -> bool:
    """Tell whether a run begins in a text without its results.

    Text before a document of another form is the beginning of that one's run.
    """
    return any(not printing.sections for printing in iterate_printings(text))


def _with_documents(piece: _Piece, documents: tuple[FioDocument, ...]) -> _Piece:
    if documents:
        return _Piece(documents=documents)
    return piece if piece.documents else _Piece(text=_text_outside_results(piece.text))


def _text_outside_results(text: str) -> str:
    lines = (line for line in iterate_lines(text) if line.kind is None)
    return "\n".join(line.text for line in lines)


def _documents(pieces: Sequence[_Piece]) -> Iterator[FioDocument]:
    """Yield the documents, each with the text before it, and after the last one."""
    last = max((n for n, piece in enumerate(pieces) if piece.documents), default=-1)
    after = "\n".join(piece.text for piece in pieces[last + 1 :]).strip()
    before: list[str] = []
    for number, piece in enumerate(pieces[: last + 1]):
        if piece.documents:
            around = "\n".join(before).strip(), after if number == last else ""
            yield from _placed(piece, around)
            before = []
        else:
            before.append(piece.text)


def _placed(piece: _Piece, around: tuple[str, str]) -> Iterator[FioDocument]:
    if not any(around):
        yield from piece.documents
        return
    prefix, suffix, doubts = _kept(*around)
    last = len(piece.documents) - 1
    for number, document in enumerate(piece.documents):
        yield replace(
            document,
            prefix=_joined(prefix if not number else "", document.prefix),
            suffix=_joined(document.suffix, suffix if number == last else ""),
            doubts=(*document.doubts, *(doubts if not number else ())),
        )


def _joined(*texts: str) -> str:
    return "\n".join(filter(None, texts))


def _kept(before: str, after: str) -> tuple[str, str, tuple[Doubt, ...]]:
    """Return the text next to a document, and a doubt if more of it was left out."""
    prefix, suffix = before[-_KEPT_CHARACTERS:], after[:_KEPT_CHARACTERS]
    left_out = len(before) + len(after) - len(prefix) - len(suffix)
    if not left_out:
        return prefix, suffix, ()
    meaning = f"{left_out} characters of the text around the document are left out"
    return prefix, suffix, (Doubt(kind="text-cut", place="text", meaning=meaning),)
