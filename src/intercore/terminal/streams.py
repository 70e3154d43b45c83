"""Standard streams that can be used, however the tool was started: closed ones, and ones that lack our characters."""

from __future__ import annotations

import codecs
import io
import os
import sys
import unicodedata

_INSTEAD = str.maketrans(
    {"→": "->", "←": "<-", "×": "x", "±": "+-", "–": "-", "—": "-", "≤": "<=", "≥": ">=", "≈": "~"}
)
"""Of what Unicode does not decompose into letters, digits and marks."""
_HANDLER = "intercore"


def prepare() -> None:
    """Make standard input, output and error usable.

    One that was closed (`>&-`) stays closed in effect: there is no standard input, output is an error, and messages are
    dropped. But its number is in use, so that no opened file gets our output. Characters that a stream's encoding lacks
    (PYTHONIOENCODING=ascii, a code page of Windows) are written in others.
    """
    codecs.register_error(_HANDLER, _in_other_characters)
    for name, access, mode in (("stdin", os.O_RDONLY, "r"), ("stdout", os.O_RDONLY, "w"), ("stderr", os.O_WRONLY, "w")):
        if getattr(sys, name) is None:
            number = os.open(os.devnull, access)
            if name != "stdin":  # a command that reads reports that there is none
                setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and not is_utf(stream.encoding):
            stream.reconfigure(errors=_HANDLER)


def is_utf(encoding: str | None) -> bool:
    """Whether an encoding has every character, as what keeps text without one does."""
    return encoding is None or codecs.lookup(encoding).name.startswith("utf-")


def _in_other_characters(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    near = unicodedata.normalize("NFKD", lacking.translate(_INSTEAD)).replace("μ", "u").replace("⁄", "/")
    return near.encode("ascii", "replace").decode(), error.end
