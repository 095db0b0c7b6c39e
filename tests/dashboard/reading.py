"""What a reader sees of text that a page was given as Markdown."""

from __future__ import annotations

import re

_CODE = re.compile(r"(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_LIVE = re.compile(r"(?<!\\)(?:\\\\)*!\[")
_UNSEEN = "\N{WORD JOINER}"


def read(markdown: str) -> str:
    """`markdown` with what is escaped in it as it is shown."""
    return _ESCAPED.sub(r"\1", markdown).replace(_UNSEEN, "")


def draws(markdown: str) -> bool:
    """Whether it has an image, which the browser would ask for."""
    return _LIVE.search(_CODE.sub("", markdown)) is not None
